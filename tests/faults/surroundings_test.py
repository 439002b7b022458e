"""Folders, names, environments and argument lists as nobody would wish for."""

import os
import resource
import shutil
import subprocess

from fault_case import ALL, FAULTY_CALLS, PROGRAM, FaultTestCase, files_below, main, pipeline

HINT = "A folder for temporary files is needed; name one with TMPDIR"


class TemporaryFolders(FaultTestCase):
    def setUp(self):
        super().setUp()
        self.packed, self.source = self.packed_database(), self.loops()
        self.commands = [("info", self.packed), ("cycles", self.source, "--xlsx", self.out / "a.xlsx"),
                         ("convert", "-", "-o", self.out / "a.xplane.pb")]

    def run_with(self, place, **options):
        for command in self.commands:
            with self.subTest(command=command[0]):
                stdin = {"input": self.source.read_bytes()} if "-" in command else {}
                yield self.run_lockstep(*command, env={**self.environment, "TMPDIR": str(place)},
                                        **options, **stdin)

    def test_that_are_none_are_told(self):
        a_file = self.write("file", "x")
        for place, reason in [(self.folder / "gone", "No such file or directory"),
                              (a_file, "Not a directory"),
                              (self.folder / ("n" * 300), "File name too long"),
                              ("/" + "n/" * 3000, "File name too long")]:
            for done in self.run_with(place):
                self.check_sentence(done, 3, f"{place}: cannot be written: {reason}. {HINT}\n")
        self.assertEqual(files_below(self.out), {})

    def test_may_be_relative_or_empty_or_odd(self):
        (self.folder / "odd % name?#\n x").mkdir()
        for place in ("tmp", "./tmp/../tmp/", "odd % name?#\n x", self.tmp):
            for done in self.run_with(place, cwd=self.folder):
                self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(os.listdir(self.folder / "odd % name?#\n x"), [])
        self.check_nothing_temporary()
        for done in self.run_with(""):
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_may_be_links(self):
        (self.folder / "door").symlink_to(self.tmp)
        for done in self.run_with(self.folder / "door"):
            self.assertEqual(done.returncode, 0, done.stderr)
        self.check_nothing_temporary()

    def test_without_permission_are_told(self):
        self.tmp.chmod(0o555)
        self.out.chmod(0o777)
        done = self.as_nobody("info", self.packed)
        self.check_sentence(done, 3, f"{self.tmp}: cannot be written: Permission denied. {HINT}\n")
        self.tmp.chmod(0o755)

    def test_are_private(self):
        if not FAULTY_CALLS:
            self.skipTest("calls of a program with a sanitizer cannot be disturbed")
        # Stopped at its first write, which goes into the folder.
        run = subprocess.Popen([PROGRAM, "info", self.packed], stdout=subprocess.DEVNULL,
                               env={**self.environment, "LOCKSTEP_FAULT": "write 1 after signal 19",
                                    "LD_PRELOAD": FAULTY_CALLS})
        os.waitpid(run.pid, os.WUNTRACED)
        (made,) = self.tmp.iterdir()
        self.assertEqual(made.stat().st_mode & 0o777, 0o700)
        self.assertEqual([p.stat().st_mode & 0o777 for p in made.iterdir()], [0o600])
        run.send_signal(18)
        self.assertEqual(run.wait(timeout=60), 0)
        self.check_nothing_temporary()


class Folders(FaultTestCase):
    def test_without_permission_are_told(self):
        trace = self.loops()
        self.out.chmod(0o555)
        done = self.as_nobody("convert", trace, "-o", self.out / "a.json")
        self.check_sentence(done, 3, "cannot be written: Permission denied. Check that you may "
                                     "write there\n")
        done = self.as_nobody("cycles", trace, "--csv", self.out / "tables")
        self.check_sentence(done, 3, "cannot be written: Permission denied")
        self.out.chmod(0o755)
        self.assertEqual(os.listdir(self.out), [])

    def test_a_file_of_another_user_in_a_shared_folder_stays(self):
        if os.geteuid() != 0:
            self.skipTest("needs two users")
        self.out.chmod(0o1777)
        old = self.write("out/a.json", "precious")
        done = self.as_nobody("convert", self.loops(), "-o", old)
        self.check_sentence(done, 3, "cannot be replaced: Operation not permitted")
        self.assertEqual(files_below(self.out), {"a.json": b"precious"})

    def test_an_ordinary_user_can_do_everything(self):
        for folder in (self.out, self.tmp):
            folder.chmod(0o777)
        for writer in self.writers():
            if "input" in writer.options:
                continue
            with self.subTest(writer=writer.name):
                wanted = self.wanted_outputs(writer)
                self.put_old_outputs([])
                self.out.mkdir()
                self.out.chmod(0o777)
                done = self.as_nobody(*writer.command(self.out))
                self.assertEqual(done.returncode, 0, done.stderr)
                self.check_outputs(wanted, True)

    def test_a_current_folder_that_vanished(self):
        trace, profile = self.loops(), self.write("in/a.lkp", pipeline())
        database = self.trace("nsys")
        for command, code in [(("info", trace), 0), (("info", database), 0),
                              (("convert", trace, "-o", self.out / "a.json"), 0),
                              (("cycles", trace, "--csv", self.out / "tables"), 0),
                              (("kernel", "decode", profile), 0), (("info", "."), 3),
                              (("info", "a.json"), 3), (("convert", trace, "-o", "a.json"), 3),
                              (("cycles", trace, "--csv", "tables"), 3)]:
            with self.subTest(command=command):
                gone = self.folder / "gone"
                gone.mkdir()
                done = subprocess.run(
                    ["sh", "-c", 'cd "$0" && rmdir "$0" && exec "$@"', gone, PROGRAM,
                     *map(str, command)], capture_output=True, check=False, timeout=120,
                    env=self.environment)
                self.assertEqual(done.returncode, code, done.stderr)
                if code:
                    self.check_sentence(done, code, "")

    def test_a_folder_that_vanishes_during_the_reading(self):
        trace, gone = self.loops(), self.out / "gone"
        gone.mkdir()
        (self.out / "moved").mkdir()
        done = self.run_lockstep(
            "convert", trace, "-o", gone / "a.json",
            fault=f"write 1 before rename {gone} {self.out / 'moved'}")
        self.check_sentence(done, 3, "cannot be replaced: No such file or directory")

    def test_a_very_deep_folder(self):
        trace = self.loops()
        self.succeed("info", trace)
        deep, depth = self.inputs, 0
        while len(str(deep)) < 3900:
            deep = deep / ("d" * 100)
            depth += 1
        deep.mkdir(parents=True)
        shutil.copy(trace, deep / "a.json")
        done = self.run_lockstep("info", deep / "a.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        done = self.run_lockstep("info", "--json", self.inputs)
        self.assertEqual(done.returncode, 0, done.stderr)
        done = self.run_lockstep("convert", trace, "-o", deep / "b.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(sorted(os.listdir(deep)), ["a.json", "b.json"])

    def test_folders_deeper_than_a_path_can_be(self):
        self.loops()
        depth = 3000 if ALL else 300
        here = os.open(self.inputs, os.O_RDONLY)
        back = os.open(".", os.O_RDONLY)
        try:
            os.fchdir(here)
            for _ in range(depth):
                os.mkdir("deeper_and_deeper")
                os.chdir("deeper_and_deeper")
        finally:
            os.fchdir(back)
            os.close(here)
            os.close(back)
        self.addCleanup(subprocess.run, ["rm", "-rf", self.inputs], check=True)
        done = self.run_lockstep("info", self.inputs)
        self.assertIn(done.returncode, (0, 3), done.stderr)


class Names(FaultTestCase):
    NAMES = ["new\nline", "escape\x1b[31m", "tab\there", "-leading", "--json", "quote'\"", "back\\slash",
             "100%s%n", "question?", "hash#", "amp&semi;", " space ", "a" * 240, "\u00e9\u4e2d\U0001f600",
             "$(touch x)", "*", "[a]", "{}", "{0}"]

    def test_of_inputs_and_outputs_may_be_anything(self):
        text = self.loops().read_bytes()
        for name in self.NAMES + [b"\xff\xfe".decode(errors="surrogateescape")]:
            with self.subTest(name=name):
                trace = self.inputs / (name + ".json")
                trace.write_bytes(text)
                out = self.out / (name + ".pftrace")
                done = self.run_lockstep("convert", trace, "-o", out)
                self.assertEqual((done.returncode, done.stderr), (0, b""))
                self.check_printable(done.stdout)
                done = self.run_lockstep("info", out)
                self.assertEqual(done.returncode, 0, done.stderr)
                out.unlink()
        self.assertEqual(os.listdir(self.out), [])

    def check_printable(self, told):
        self.assertEqual(told.count(b"\n"), 1, told)

    def test_behind_two_dashes_may_begin_with_a_dash(self):
        text = self.loops().read_bytes()
        (self.inputs / "--json").write_bytes(text)
        done = self.run_lockstep("info", "--", "--json", cwd=self.inputs)
        self.assertEqual(done.returncode, 0, done.stderr)
        done = self.run_lockstep("info", "./--json", cwd=self.inputs)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_in_sentences_are_on_one_line(self):
        for name in self.NAMES:
            done = self.run_lockstep("info", self.inputs / name)
            self.check_sentence(done, 3, "no such file")
            self.assertEqual(done.stderr.count(b"\n"), 1)

    def test_too_long_are_told(self):
        trace = self.loops()
        for name in ("n" * 300 + ".json", "d/" * 3000 + "a.json"):
            self.check_sentence(self.run_lockstep("info", name), 3, "File name too long")
            self.check_sentence(self.run_lockstep("convert", trace, "-o", name), 3,
                                "File name too long. Choose a shorter name\n")
            self.check_sentence(self.run_lockstep("cycles", trace, "--csv", name), 3,
                                "File name too long. Choose a shorter name\n")


class Environments(FaultTestCase):
    def test_empty(self):
        trace = self.loops()
        wanted = self.succeed("info", trace)
        self.assertEqual(self.succeed("info", trace, env={}), wanted)
        done = self.run_lockstep("info", self.packed_database(), env={})
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_huge(self):
        huge = {f"VARIABLE_{i}": "x" * 100_000 for i in range(10)}
        self.succeed("info", self.loops(), env={**self.environment, **huge})

    def test_odd(self):
        trace = self.loops()
        wanted = self.succeed("info", trace)
        for odd in [{"LANG": "tr_TR.UTF-8", "LC_ALL": "tr_TR.UTF-8"}, {"LC_ALL": "no_such"},
                    {"COLUMNS": "-1"}, {"COLUMNS": "x"}, {"COLUMNS": ""}, {"TERM": ""},
                    {"HOME": "/nowhere"}, {"PWD": "/nowhere"}, {"NO_COLOR": "1"}]:
            with self.subTest(odd=odd):
                self.assertEqual(self.succeed("info", trace, env={**self.environment, **odd}), wanted)

    def test_without_proc(self):
        """In a mount namespace of its own, where one can be had."""
        script = ('mount -t tmpfs tmpfs /proc && "$0" convert "$1" -o "$2/a.json" && '
                  '"$0" info "$3" && "$0" cycles "$1" --xlsx "$2/a.xlsx"')
        command = ["unshare", "-m", "sh", "-c", script, PROGRAM, self.loops(), self.out,
                   self.packed_database()]
        if shutil.which("unshare") is None or subprocess.run(
                ["unshare", "-m", "mount", "-t", "tmpfs", "tmpfs", "/proc"], check=False,
                capture_output=True).returncode != 0:
            self.skipTest("/proc cannot be taken away here")
        if not FAULTY_CALLS:
            self.skipTest("a sanitizer needs /proc")
        done = subprocess.run(command, capture_output=True, check=False, timeout=120,
                              env=self.environment)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.check_nothing_temporary()

    def test_few_descriptors(self):
        if not FAULTY_CALLS:
            self.skipTest("a sanitizer needs descriptors")
        trace, packed = self.loops(), self.packed_database()
        for limit in range(3, 16):
            for command in [("info", trace), ("info", packed), ("info", self.inputs),
                            ("cycles", trace, "--xlsx", self.out / "a.xlsx")]:
                with self.subTest(limit=limit, command=command):
                    done = self.run_lockstep(*command, preexec_fn=lambda: resource.setrlimit(
                        resource.RLIMIT_NOFILE, (limit, limit)))
                    if done.returncode == 127:
                        continue  # the loader itself
                    self.assertIn(done.returncode, (0, 3), done.stderr)
                    if done.returncode == 3:
                        self.check_sentence(done, 3, "")
                    self.check_nothing_temporary()


class Arguments(FaultTestCase):
    def test_none(self):
        done = subprocess.run([PROGRAM], capture_output=True, check=False)
        self.check_sentence(done, 2, "a command is missing")

    def test_not_even_a_name(self):
        done = subprocess.run(["bash", "-c", 'exec -a "" "$0"', PROGRAM], capture_output=True,
                              check=False)
        self.check_sentence(done, 2, "a command is missing")

    def test_the_same_input_twice_is_told(self):
        trace = self.loops()
        (self.inputs / "link.json").symlink_to(trace)
        for other in (trace, self.inputs / "link.json", self.inputs / "../in/loops.json"):
            self.check_sentence(self.run_lockstep("info", trace, other), 2, "is given twice")

    def test_many_inputs(self):
        text = self.write("in/one.json", b'{"traceEvents":[{"ph":"X","name":"k","cat":"kernel",'
                                         b'"pid":0,"tid":7,"ts":1,"dur":2}]}').read_bytes()
        count = 10_000 if ALL else 300
        for i in range(count):
            (self.out / f"rank{i}.json").write_bytes(text)
        names = [f"rank{i}.json" for i in range(count)]
        for given in (names, ["."]):
            done = self.run_lockstep("info", "--json", *given, cwd=self.out)
            self.assertEqual(done.returncode, 0, done.stderr[-300:])
            self.assertIn(f'"kernels": {count},'.encode(), done.stdout)

    def test_many_inputs_that_are_databases(self):
        packed = self.packed_database().read_bytes()
        for i in range(200 if ALL else 40):
            (self.out / f"rank{i}.sqlite.gz").write_bytes(packed)
        done = self.run_lockstep("info", "--json", self.out, preexec_fn=lambda: resource.setrlimit(
            resource.RLIMIT_NOFILE, (64, 64)))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.check_nothing_temporary()


if __name__ == "__main__":
    main()

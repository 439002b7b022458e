"""Links as outputs, as inputs and in directories of inputs."""

import os
import socket
import subprocess
import unittest

from fault_case import OLD, PROGRAM, FaultTestCase, main

HAS_PROC = os.path.exists("/proc/self/fd")


class OutputsThroughLinks(FaultTestCase):
    def setUp(self):
        super().setUp()
        self.source = self.loops()
        self.succeed("convert", self.source, "-o", self.folder / "wanted.json")
        self.wanted = (self.folder / "wanted.json").read_bytes()

    def convert_to(self, output, **options):
        return self.run_lockstep("convert", self.source, "-o", output, **options)

    def check_written(self, output, target, **options):
        done = self.convert_to(output, **options)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.assertEqual(target.read_bytes(), self.wanted)

    def test_links_stay_and_what_they_lead_to_is_replaced(self):
        target = self.write("out/target.json", OLD)
        (self.out / "relative.json").symlink_to("target.json")
        (self.out / "absolute.json").symlink_to(target)
        (self.out / "chain.json").symlink_to("relative.json")
        (self.out / "long_way.json").symlink_to("../out/../out/./chain.json")
        for name in ("relative.json", "absolute.json", "chain.json", "long_way.json"):
            with self.subTest(name=name):
                target.write_bytes(OLD)
                before = os.readlink(self.out / name)
                self.check_written(self.out / name, target)
                self.assertEqual(os.readlink(self.out / name), before)
        self.assertEqual(len(os.listdir(self.out)), 5)

    def test_a_link_to_nothing_makes_the_file_it_names(self):
        (self.out / "link.json").symlink_to("new.json")
        self.check_written(self.out / "link.json", self.out / "new.json")
        self.assertTrue((self.out / "link.json").is_symlink())

    def test_a_link_into_a_folder_that_is_not_there_is_told(self):
        (self.out / "link.json").symlink_to("nowhere/new.json")
        self.check_sentence(self.convert_to(self.out / "link.json"), 3,
                            "cannot be written: No such file or directory. Check that the folder "
                            "exists\n")
        self.assertEqual(os.listdir(self.out), ["link.json"])

    def test_links_in_a_circle_are_told(self):
        (self.out / "a.json").symlink_to("b.json")
        (self.out / "b.json").symlink_to("a.json")
        (self.out / "self.json").symlink_to("self.json")
        for name in ("a.json", "self.json"):
            self.check_sentence(self.convert_to(self.out / name), 3, "Its links lead in a circle\n")

    def test_a_link_to_a_folder_is_no_output(self):
        (self.out / "link.json").symlink_to(self.tmp)
        self.check_sentence(self.convert_to(self.out / "link.json"), 3,
                            "is a directory. Name a file\n")
        self.check_nothing_temporary()

    def test_the_folder_may_be_a_link(self):
        (self.folder / "door").symlink_to(self.out)
        self.check_written(self.folder / "door" / "a.json", self.out / "a.json")
        self.assertEqual(os.listdir(self.out), ["a.json"])

    def test_other_names_of_a_file_keep_the_old_content(self):
        self.write("out/a.json", OLD)
        os.link(self.out / "a.json", self.out / "b.json")
        self.check_written(self.out / "a.json", self.out / "a.json")
        self.assertEqual((self.out / "b.json").read_bytes(), OLD)

    def test_a_folder_of_tables_may_be_a_link(self):
        (self.folder / "door").symlink_to(self.out)
        self.succeed("cycles", self.source, "--csv", self.folder / "door")
        self.assertTrue(all(name.endswith(".csv") for name in os.listdir(self.out)))
        self.assertTrue(os.listdir(self.out))


class OutputThatIsTheInput(FaultTestCase):
    def setUp(self):
        super().setUp()
        self.source = self.loops()
        self.before = self.source.read_bytes()

    def refused(self, *arguments, **options):
        done = self.run_lockstep(*arguments, **options)
        self.check_sentence(done, 2, "is an input")
        self.assertEqual(self.source.read_bytes(), self.before)

    def test_through_any_link(self):
        for name, make in [("soft.json", lambda path: path.symlink_to(self.source)),
                           ("hard.json", lambda path: os.link(self.source, path))]:
            make(self.inputs / name)
            link = self.inputs / name
            self.refused("convert", self.source, "-o", link)
            self.refused("convert", link, "-o", self.source)
            self.refused("anomalies", link, "--markdown", self.source)
            self.refused("cycles", self.source, "--annotate", link)
            self.refused("compare", self.source, link, "--csv", self.source)

    def test_a_folder_that_holds_it(self):
        door = self.folder / "door"
        door.symlink_to(self.inputs)
        self.refused("convert", door, "-o", self.source)
        self.refused("anomalies", self.inputs, "--markdown", door / self.source.name)

    def test_a_log_beside_it(self):
        """Which belongs to a database, and need not be there."""
        self.source = self.trace("nsys")
        self.before = self.source.read_bytes()
        door = self.folder / "door.sqlite"
        door.symlink_to(self.source)
        for suffix in ("-wal", "-journal", "-shm"):
            log = self.source.with_name(self.source.name + suffix)
            for old in (None, b"the log of a writer"):
                if old:
                    log.write_bytes(old)
                link = self.out / f"link{suffix}.json"
                link.unlink(missing_ok=True)
                link.symlink_to(log)
                for name in (self.source, door):
                    for output in (log, link):
                        self.refused_log("convert", name, "-o", output, "--to", "chrome")
                        self.refused_log("cycles", name, "--annotate", output)
                self.refused_log("convert", self.source.parent, "-o", log, "--to", "chrome")
                self.assertEqual(log.read_bytes() if log.exists() else None, old)
            log.unlink()

    def refused_log(self, *arguments):
        done = self.run_lockstep(*arguments)
        self.check_sentence(done, 2, "has the name of a log of the input")
        self.assertEqual(self.source.read_bytes(), self.before)

    def test_through_standard_input(self):
        for name in ["-"] + (["/dev/stdin", "/proc/self/fd/0"] if HAS_PROC else []):
            with self.subTest(name=name), open(self.source, "rb") as stream:
                self.refused("convert", name, "-o", self.source, stdin=stream)
            with self.subTest(name=name), open(self.source, "rb") as stream:
                self.refused("anomalies", name, "--markdown", self.source, stdin=stream)

    def test_through_standard_output(self):
        for name in ["-"] + (["/dev/stdout"] if HAS_PROC else []):
            with self.subTest(name=name), open(self.source, "ab") as stream:
                done = subprocess.run([PROGRAM, "convert", self.source, "-o", name, "--to",
                                       "chrome"], stdout=stream, stderr=subprocess.PIPE,
                                      check=False, timeout=120)
                self.check_sentence(done, 2, "is an input")
                self.assertEqual(self.source.read_bytes(), self.before)

    def test_a_terminal_or_device_on_both_sides_is_fine(self):
        with open("/dev/null", "r+b") as null:
            done = subprocess.run([PROGRAM, "convert", "-", "-o", "-", "--to", "chrome"],
                                  stdin=null, stdout=null, stderr=subprocess.PIPE, check=False,
                                  timeout=120)
        self.check_sentence(done, 3, "standard input: is empty")


class InputsThroughLinks(FaultTestCase):
    def test_a_link_is_read_as_what_it_leads_to(self):
        trace = self.loops()
        (self.inputs / "a.json").symlink_to("loops.json")
        (self.inputs / "b.json").symlink_to("a.json")
        self.assertEqual(self.info(self.inputs / "b.json")["kernels"], self.info(trace)["kernels"])

    def test_links_that_lead_nowhere_are_told(self):
        (self.inputs / "gone.json").symlink_to("nowhere.json")
        (self.inputs / "circle.json").symlink_to("circle.json")
        self.check_sentence(self.run_lockstep("info", self.inputs / "gone.json"), 3,
                            "no such file or directory")
        self.check_sentence(self.run_lockstep("info", self.inputs / "circle.json"), 3,
                            "cannot be opened: Too many levels of symbolic links")

    def test_a_link_to_a_folder_is_that_folder(self):
        self.loops()
        (self.folder / "door").symlink_to(self.inputs)
        self.assertEqual(self.info(self.folder / "door")["kernels"],
                         self.info(self.inputs)["kernels"])

    @unittest.skipUnless(os.path.exists("/dev/zero"), "no /dev/zero here")
    def test_a_link_to_a_device_is_refused_by_its_first_bytes(self):
        (self.inputs / "zero.json").symlink_to("/dev/zero")
        self.check_sentence(self.run_lockstep("info", self.inputs / "zero.json"), 3,
                            "is named like a trace and does not begin like one")


class LinksInDirectories(FaultTestCase):
    def setUp(self):
        super().setUp()
        self.loops()
        self.kernels = self.info(self.inputs)["kernels"]

    def test_loops_are_not_followed(self):
        (self.inputs / "up").symlink_to("..")
        (self.inputs / "here").symlink_to(".")
        (self.inputs / "sub").mkdir()
        (self.inputs / "sub" / "root").symlink_to("/")
        self.assertEqual(self.info(self.inputs)["kernels"], self.kernels)

    def test_dangling_and_circular_links_do_not_end_the_reading(self):
        (self.inputs / "gone.json").symlink_to("nowhere.json")
        (self.inputs / "circle.json").symlink_to("circle.json")
        done = self.run_lockstep("info", "--json", self.inputs)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_what_is_linked_twice_is_read_once(self):
        (self.inputs / "again.json").symlink_to("loops.json")
        done = self.run_lockstep("info", "--json", self.inputs)
        self.assertEqual(done.returncode, 0)
        self.assertIn(f'"kernels": {self.kernels}'.encode(), done.stdout)

    def test_links_that_lead_out_are_read(self):
        outside = self.write("out/outside.json", (self.inputs / "loops.json").read_bytes())
        (self.inputs / "other.json").symlink_to(outside)
        done = self.run_lockstep("info", "--json", self.inputs)
        self.assertIn(f'"kernels": {2 * self.kernels}'.encode(), done.stdout)

    def test_links_to_what_never_ends_are_not_opened(self):
        os.mkfifo(self.folder / "fifo")
        for name, target in [("fifo.json", self.folder / "fifo"), ("tty.json", "/dev/tty"),
                             ("zero.json", "/dev/zero"), ("proc.json", "/proc/kmsg")]:
            (self.inputs / name).symlink_to(target)
        listening = socket.socket(socket.AF_UNIX)
        self.addCleanup(listening.close)
        listening.bind(os.path.relpath(self.inputs / "socket.json"))
        self.assertEqual(self.info(self.inputs)["kernels"], self.kernels)


if __name__ == "__main__":
    main()

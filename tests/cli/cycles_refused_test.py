"""`lockstep cycles` from outside: every sentence for what it cannot do, and how it ends when it is interrupted."""

import signal
import subprocess
import time

from cli_test_case import PROGRAM, main
from cycles_case import CyclesTestCase
from loop_trace import host_only_trace


class Refused(CyclesTestCase):
    def test_two_outputs_that_are_one_file(self):
        book = self.folder / "o.xlsx"
        link = self.folder / "o.pftrace"
        link.symlink_to(book)
        self.fails_with(2, "--xlsx and --annotate name the same file", "cycles",
                        self.small_trace(), "--xlsx", book, "--annotate", link)
        self.assertFalse(book.exists())

    def test_trace_without_kernels(self):
        trace = self.write("host.json", host_only_trace())
        message = self.fails_with(3, "host.json: holds no kernels. 'lockstep info' tells", "cycles",
                                  trace)
        self.assertEqual(self.fails_with(3, "", "cycles", "--json", trace), message)
        self.fails_with(3, "the inputs: hold no kernels", "cycles", trace,
                        self.write("more.json", host_only_trace()))
        out = self.folder / "out.pftrace"
        self.fails_with(3, "holds no kernels", "cycles", trace, "--annotate", out)
        self.assertEqual(self.names_in_folder(), ["host.json", "more.json"])

    def test_words_that_mean_nothing(self):
        for option, word, sentence in [
                ("--method", "ancor", "--method 'ancor' is not known; did you mean 'anchor'?"),
                ("--method", "x", "Known are repetitions, anchor"),
                ("--mode", "decod", "did you mean 'decode'?"),
                ("--symbol", "names", "did you mean 'name'?"),
                ("--top", "many", "'many' is not a whole number"),
                ("--pass-tolerance", "101", "'101' is not a percentage from 0 to 100"),
                ("--layer-tolerance", "a", "'a' is not a percentage"),
                ("--anchor-min-count", "1.5", "'1.5' is not a whole number"),
                ("--anchor-min-sub-pairs", "-1", "'-1' is not a whole number"),
                ("--anchor-sub-gap-tolerance", "200", "'200' is not a percentage"),
                ("--anchor-match", "nan", "'nan' is not a percentage")]:
            with self.subTest(option=option, word=word):
                self.fails_with(2, sentence, "cycles", self.loop(), option, word)

    def test_options_of_the_other_method(self):
        self.fails_with(2, "--anchor-match has no meaning with --method repetitions", "cycles",
                        self.loop(), "--anchor-match", "90")
        self.fails_with(2, "--anchor-min-sub-pairs has no meaning with --method repetitions",
                        "cycles", self.loop(), "--anchor-min-sub-pairs", "3")
        self.fails_with(2, "--symbol has no meaning with --method anchor", "cycles", self.loop(),
                        "--method", "anchor", "--symbol", "role")

    def test_names_of_outputs(self):
        trace = self.loop()
        for option, name, sentence in [
                ("--xlsx", "a.xls", "does not end in .xlsx"),
                ("--xlsx", "", "the name after --xlsx is empty"),
                ("--csv", "", "the name after --csv is empty"),
                ("--annotate", "", "the name after --annotate is empty"),
                ("--annotate", "-", "--annotate cannot go to standard output"),
                ("--xlsx", "/dev/stdout", "--xlsx cannot go to standard output"),
                ("--annotate", "a.json", "--annotate writes Perfetto, and the name 'a.json'"),
                ("--annotate", "a.txt", "End it in .pftrace")]:
            with self.subTest(option=option, name=name):
                self.fails_with(2, sentence, "cycles", trace, option, name)

    def test_output_that_is_the_input(self):
        trace = self.folder / "loop.pftrace"
        self.succeed("convert", self.loop(), "-o", trace)
        before = trace.read_bytes()
        message = self.fails_with(2, "is an input", "cycles", trace, "--annotate", trace)
        self.assertIn("Choose another name with --annotate", message)
        folder = self.folder / "in"
        folder.mkdir()
        inner = folder / "loop.pftrace"
        inner.write_bytes(before)
        self.fails_with(2, "is an input", "cycles", folder, "--annotate", inner)
        self.assertEqual((trace.read_bytes(), inner.read_bytes()), (before, before))
        self.assertEqual(len(list(folder.iterdir())), 1)

    def test_outputs_that_cannot_be_written(self):
        trace = self.loop()
        nowhere = self.folder / "nowhere"
        self.fails_with(3, "cannot be written", "cycles", trace, "--xlsx", nowhere / "a.xlsx")
        self.fails_with(3, "cannot be written", "cycles", trace, "--annotate", nowhere / "a.pb")
        self.fails_with(3, "cannot be written", "cycles", trace, "--csv", nowhere / "csv")
        self.fails_with(3, "is no directory", "cycles", trace, "--csv", self.write("f", ""))
        self.assertEqual(self.names_in_folder(), ["f", "loop.json"])

    def test_bad_input_leaves_the_old_outputs(self):
        old = self.write("a.xlsx", "precious")
        self.fails_with(3, "is empty", "cycles", self.write("empty.json", ""), "--xlsx", old)
        self.assertEqual(old.read_text(), "precious")

    def test_strict_ends_with_3_after_the_answer(self):
        done = self.run_lockstep("cycles", "--strict", self.truncated_trace())
        self.assertEqual(done.returncode, 3)
        self.assertIn(b"--strict was given", done.stderr)
        self.assertIn(b"Stream 7", done.stdout)

    def test_loss_is_told_on_standard_error(self):
        done = self.run_lockstep("cycles", self.truncated_trace())
        self.assertEqual(done.returncode, 0)
        self.assertIn("lockstep: data loss: ", done.stderr.decode())


class Interrupted(CyclesTestCase):
    def test_closed_pipe_ends_it_quietly(self):
        trace = self.loop(passes=400)
        with subprocess.Popen([PROGRAM, "cycles", "--json", trace], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE) as run:
            run.stdout.read(10)
            run.stdout.close()
            self.assertEqual(run.stderr.read(), b"")
            self.assertIn(run.wait(timeout=60), (0, -signal.SIGPIPE))

    def test_signal_leaves_nothing(self):
        run = subprocess.Popen([PROGRAM, "cycles", "-", "--annotate", self.folder / "a.pftrace",
                                "--xlsx", self.folder / "a.xlsx", "--csv", self.folder / "csv"],
                               stdin=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(run.stderr.close)
        self.addCleanup(run.stdin.close)
        for _ in range(500):
            if len(self.names_in_folder()) == 2:
                break
            time.sleep(0.02)
        self.assertEqual(len(self.names_in_folder()), 2, "the outputs were not begun")
        run.send_signal(signal.SIGINT)
        self.assertEqual(run.wait(timeout=60), -signal.SIGINT)
        self.assertEqual(self.names_in_folder(), [])


if __name__ == "__main__":
    main()

"""Standard streams that the caller closed: no file takes their place, and the exit code is right."""

import os
from itertools import combinations

from fault_case import FaultTestCase, files_below, main, pipeline

SUBSETS = [set(s) for n in (1, 2, 3) for s in combinations((0, 1, 2), n)]


def close(descriptors):
    def act():
        for descriptor in descriptors:
            os.close(descriptor)
    return act


class ClosedStreams(FaultTestCase):
    def test_outputs_hold_what_they_hold_otherwise(self):
        for writer in self.writers():
            if "input" in writer.options:
                continue
            wanted = self.wanted_outputs(writer)
            for closed in SUBSETS:
                with self.subTest(writer=writer.name, closed=closed):
                    self.put_old_outputs(wanted)
                    done = self.run_lockstep(*writer.command(self.out), preexec_fn=close(closed))
                    # The commands on kernels say nothing; the others tell what they wrote.
                    code = 3 if 1 in closed and "kernel" not in writer.name else 0
                    self.assertEqual(done.returncode, code, done.stderr)
                    self.check_outputs(wanted, True)
                    if code == 3 and 2 not in closed:
                        self.assertEqual(done.stderr, b"lockstep: standard output: writing failed: "
                                                      b"Bad file descriptor\n")

    def test_messages_do_not_get_into_an_output(self):
        trace = self.truncated_trace("in/cut.json")
        for command in [("convert", trace, "-o", self.out / "a.json"),
                        ("cycles", trace, "--annotate", self.out / "a.pftrace"),
                        ("anomalies", trace, "--markdown", self.out / "a.md")]:
            self.put_old_outputs([])
            self.out.mkdir()
            self.run_lockstep(*command)
            wanted = files_below(self.out)
            self.assertTrue(wanted)
            for closed in SUBSETS:
                with self.subTest(command=command[0], closed=closed):
                    self.put_old_outputs(wanted)
                    self.run_lockstep(*command, preexec_fn=close(closed))
                    self.check_outputs(wanted, True)

    def test_reports_fail_where_they_cannot_be_read(self):
        trace, profile = self.loops(), self.write("in/a.lkp", pipeline())
        for command in [("info", trace), ("info", "--json", trace), ("cycles", trace),
                        ("anomalies", trace), ("compare", trace, trace),
                        ("kernel", "decode", profile), ("help",), ("--version",),
                        ("convert", "--help"), ("convert", trace, "-o", "-", "--to", "chrome"),
                        ("convert", trace, "-o", "/dev/stdout", "--to", "chrome")]:
            for closed in SUBSETS:
                with self.subTest(command=command, closed=closed):
                    done = self.run_lockstep(*command, preexec_fn=close(closed))
                    self.assertEqual(done.returncode, 3 if 1 in closed else 0, done.stderr)
                    if closed == {1}:
                        self.check_sentence(done, 3, "Bad file descriptor")

    def test_standard_input_that_is_closed_is_told(self):
        out = self.out / "a.json"
        for command in [("info", "-"), ("cycles", "-"), ("anomalies", "-"), ("kernel", "decode", "-"),
                        ("convert", "-", "-o", out), ("convert", "-", "-o", self.out / "a.xplane.pb"),
                        ("compare", self.loops(), "-"), ("info", "/dev/stdin")]:
            for closed in ({0}, {0, 1}, {0, 1, 2}):
                with self.subTest(command=command, closed=closed):
                    done = self.run_lockstep(*command, preexec_fn=close(closed))
                    self.assertEqual(done.returncode, 3, done.stderr)
                    if 2 not in closed:
                        self.check_sentence(done, 3, "")
        self.assertEqual(files_below(self.out), {})
        self.check_nothing_temporary()

    def test_wrong_words_are_wrong_whatever_is_closed(self):
        for closed in SUBSETS:
            for command in [("frobnicate",), ("info",), ("info", "--jsno")]:
                done = self.run_lockstep(*command, preexec_fn=close(closed))
                self.assertEqual(done.returncode, 2)

    def test_an_output_is_not_taken_for_a_stream_that_is_closed(self):
        done = self.run_lockstep("kernel", "decode", self.write("in/a.lkp", pipeline()), "-o",
                                 "/dev/null", preexec_fn=close({1}))
        self.assertEqual((done.returncode, done.stderr), (0, b""))

    def test_descriptors_above_the_three_are_no_concern(self):
        read, write = os.pipe()
        self.addCleanup(os.close, write)
        out = self.out / "a.json"
        done = self.run_lockstep("convert", self.loops(), "-o", out, pass_fds=[read])
        os.close(read)
        self.assertEqual((done.returncode, done.stderr), (0, b""))


if __name__ == "__main__":
    main()

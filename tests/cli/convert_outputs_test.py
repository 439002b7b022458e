"""`lockstep convert` from outside: names of outputs, outputs that are replaced, outputs that fail."""

import gzip
import os
import resource
import signal
import subprocess
import time
import unittest

from cli_test_case import PROGRAM, CliTestCase, main

ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"


def no_core_files():
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


class OutputNames(CliTestCase):
    def convert(self, name, *options):
        out = self.folder / name
        self.succeed("convert", self.small_trace(), "-o", out, *options)
        return out.read_bytes()

    def test_what_was_written_is_told(self):
        out = self.folder / "out.json"
        told = self.succeed("convert", self.small_trace(), "-o", out)
        self.assertRegex(told, rf"^wrote {out}: 12 events, 4 flows, [0-9.]+ kB\n$")

    def test_name_tells_the_format(self):
        for name in ["a.json", "a.trace", "a.pt.trace.json"]:
            self.assertEqual(self.convert(name)[:1], b"{")
        for name in ["a.pftrace", "a.perfetto-trace", "a.perfetto", "a.pb"]:
            self.assertEqual(self.convert(name)[:1], b"\x0a", name)  # field 1: packet

    def test_name_tells_the_compression(self):
        self.assertEqual(gzip.decompress(self.convert("a.json.gz"))[:1], b"{")
        self.assertEqual(gzip.decompress(self.convert("a.pftrace.gz"))[:1], b"\x0a")
        self.assertEqual(self.convert("a.json.zst")[:4], ZSTD_MAGIC)

    def test_to_wins_over_the_name(self):
        self.assertEqual(self.convert("a.json", "--to", "perfetto")[:1], b"\x0a")
        self.assertEqual(self.convert("a.out", "--to", "chrome")[:1], b"{")

    def test_name_that_tells_no_format_is_refused_with_those_known(self):
        message = self.fails_with(2, "does not tell which format", "convert", self.small_trace(), "-o",
                            self.folder / "a.txt")
        self.assertIn(".json .trace (chrome)", message)
        self.assertIn(".pftrace", message)

    def test_standard_output_needs_a_format(self):
        self.fails_with(2, "--to", "convert", self.small_trace(), "-o", "-")

    def test_misspelt_format_is_guessed(self):
        self.fails_with(2, "did you mean 'perfetto'?", "convert", self.small_trace(), "-o",
                  self.folder / "a.json", "--to", "perfeto")


class StandardOutputByName(CliTestCase):
    def convert_to(self, output, redirected):
        return subprocess.run([PROGRAM, "convert", self.small_trace(), "-o", output, "--to",
                               "chrome"], stdout=redirected, stderr=subprocess.PIPE, check=False,
                              timeout=120)

    @unittest.skipUnless(os.path.exists("/proc/self/fd/1"), "no /proc here")
    def test_device_file_is_written_and_stays(self):
        before = os.readlink("/dev/stdout")
        link = self.folder / "link"
        link.symlink_to("/dev/stdout")
        for output in ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", link]:
            with self.subTest(output=output):
                with open(self.folder / "out.json", "wb") as out:
                    out.write(b" ")
                    out.flush()
                    done = self.convert_to(output, out)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn(b"wrote standard output: 12 events", done.stderr)
                self.assertEqual((self.folder / "out.json").read_bytes()[:2], b" {")
                self.assertEqual(self.info(self.folder / "out.json")["kernels"], 4)
        self.assertEqual(os.readlink("/dev/stdout"), before)
        self.assertEqual(self.names_in_folder(), ["link", "out.json", "small.json"])

    @unittest.skipUnless(os.path.exists("/proc/self/fd/1"), "no /proc here")
    def test_pipe_by_name_holds_the_trace_alone(self):
        done = self.convert_to("/dev/stdout", subprocess.PIPE)
        self.assertIn(b"wrote standard output", done.stderr)
        self.assertEqual(self.info(self.write("piped.json", done.stdout))["kernels"], 4)

    def test_closed_standard_input_is_not_the_output(self):
        self.fails_with(3, "standard input: reading failed: Bad file descriptor", "convert", "-",
                        "-o", self.folder / "out.json", preexec_fn=lambda: os.close(0))
        self.assertEqual(self.names_in_folder(), [])

    def test_closed_standard_error_does_not_become_the_output(self):
        out = self.folder / "out.json"
        self.run_lockstep("convert", self.truncated_trace(), "-o", out,
                          preexec_fn=lambda: os.close(2))
        self.assertEqual(self.info(out)["kernels"], 3)


class ReplacedOutputs(CliTestCase):
    def test_link_and_mode_stay(self):
        target = self.write("target.json", "old")
        target.chmod(0o640)
        link = self.folder / "link.json"
        link.symlink_to("target.json")
        self.succeed("convert", self.small_trace(), "-o", link)
        self.assertEqual(os.readlink(link), "target.json")
        self.assertEqual(target.stat().st_mode & 0o777, 0o640)
        self.assertEqual(self.info(target)["kernels"], 4)

    def test_longest_name_is_written(self):
        out = self.folder / ("n" * 250 + ".json")
        self.succeed("convert", self.small_trace(), "-o", out)
        self.assertEqual(self.info(out)["kernels"], 4)
        self.fails_with(3, "File name too long. Choose a shorter name", "convert",
                        self.small_trace(), "-o", self.folder / ("n" * 251 + ".json"))


class FailedOutputs(CliTestCase):
    def test_output_that_is_the_input_is_refused(self):
        trace = self.small_trace()
        before = trace.read_bytes()
        self.fails_with(2, "is an input", "convert", trace, "-o", trace)
        link = self.folder / "link.json"
        link.symlink_to(trace)
        self.fails_with(2, "is an input", "convert", trace, "-o", link)
        self.assertEqual(trace.read_bytes(), before)

    def test_output_inside_the_input_folder_is_refused_when_it_was_read(self):
        trace = self.small_trace()
        before = trace.read_bytes()
        self.fails_with(2, "is an input", "convert", self.folder, "-o", trace)
        self.assertEqual(trace.read_bytes(), before)
        self.assertEqual(self.names_in_folder(), ["small.json"])

    def test_folder_that_does_not_exist_is_told(self):
        self.fails_with(3, "cannot be written", "convert", self.small_trace(), "-o",
                  self.folder / "nowhere" / "a.json")

    def test_directory_as_output_is_told(self):
        self.fails_with(3, "is a directory", "convert", self.small_trace(), "-o", self.folder, "--to",
                  "chrome")

    @unittest.skipUnless(os.path.exists("/dev/full"), "no /dev/full here")
    def test_full_device_is_told(self):
        self.fails_with(3, "No space left", "convert", self.small_trace(), "-o", "/dev/full", "--to",
                  "chrome")

    def test_bad_input_leaves_the_old_output(self):
        old = self.write("out.json", "precious")
        self.fails_with(3, "is empty", "convert", self.write("empty.json", ""), "-o", old)
        self.assertEqual(old.read_text(), "precious")
        self.assertEqual(self.names_in_folder(), ["empty.json", "out.json"])

    def test_output_cut_short_by_the_system_leaves_the_old_one(self):
        def limit_file_size():
            resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))

        old = self.write("out.json", "precious")
        message = self.fails_with(3, "writing failed: File too large", "convert",
                                  self.small_trace(), "-o", old, preexec_fn=limit_file_size)
        self.assertIn("ulimit -f", message)
        self.assertEqual(old.read_text(), "precious")
        self.assertEqual(self.names_in_folder(), ["out.json", "small.json"])

    def test_signal_leaves_no_temporary_file(self):
        for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGXCPU, signal.SIGPIPE):
            with self.subTest(signal=number):
                self.end_by_signal(number)

    def end_by_signal(self, number):
        run = subprocess.Popen([PROGRAM, "convert", "-", "-o", self.folder / "out.json"],
                               stdin=subprocess.PIPE, stderr=subprocess.PIPE,
                               preexec_fn=no_core_files)
        self.addCleanup(run.stderr.close)
        self.addCleanup(run.stdin.close)
        for _ in range(500):
            if self.names_in_folder():
                break
            time.sleep(0.02)
        self.assertTrue(self.names_in_folder(), "the output was not begun")
        run.send_signal(number)
        self.assertEqual(run.wait(timeout=60), -number)
        self.assertEqual(self.names_in_folder(), [])


if __name__ == "__main__":
    main()

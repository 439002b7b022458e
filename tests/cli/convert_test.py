"""`lockstep convert` from outside: round trips, names of outputs, outputs that fail."""

import gzip
import json
import os
import resource
import signal
import subprocess
import sys
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "workload"))
import workload  # noqa: E402
import write_xspace  # noqa: E402
from cli_test_case import PROGRAM, CliTestCase, complete, kineto, launch, main, small_events

# What a round trip may change.
NOT_COMPARED = ("inputs", "compression", "size_bytes", "inflated_bytes", "diagnostics")
ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"


def no_core_files():
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


class RoundTrip(CliTestCase):
    def comparable(self, path):
        document = self.info(path, "--top", "0")
        for rank in document["ranks"]:
            del rank["input"]
        return {key: value for key, value in document.items() if key not in NOT_COMPARED}

    def test_chrome_json_read_again_gives_the_same_answer(self):
        trace = self.small_trace()
        expected = self.comparable(trace)
        for name in ["out.json", "out.json.gz", "out.json.zst"]:
            with self.subTest(name=name):
                self.succeed("convert", trace, "-o", self.folder / name)
                self.assertEqual(self.comparable(self.folder / name), expected)

    def test_second_conversion_gives_the_same_bytes(self):
        first, second = self.folder / "first.json", self.folder / "second.json"
        self.succeed("convert", self.small_trace(), "-o", first)
        self.succeed("convert", first, "-o", second)
        self.assertEqual(first.read_bytes(), second.read_bytes())

    def test_pipe_to_pipe_gives_the_same_answer(self):
        trace = self.small_trace()
        done = self.run_lockstep("convert", "-", "-o", "-", "--to", "chrome",
                                 input=trace.read_bytes())
        self.assertEqual(done.returncode, 0)
        self.assertEqual(done.stderr.decode(),
                         "lockstep: wrote standard output: 12 events, 4 flows\n")
        self.assertEqual(self.comparable(self.write("piped.json", done.stdout)),
                         self.comparable(trace))


class Parts(CliTestCase):
    def part(self, *options, inputs=None):
        out = self.folder / "part.json"
        self.succeed("convert", *(inputs or [self.small_trace()]), "-o", out, *options)
        document = self.info(out, "--top", "0")
        return document["kernels"], document["flows"], [s["name"] for s in document["steps"]]

    def test_a_step_keeps_its_kernels_and_their_launches(self):
        self.assertEqual(self.part("--slice", "ProfilerStep#2"), (2, 2, ["ProfilerStep#2"]))

    def test_a_slice_keeps_launches_before_it(self):
        # Times count from the first event; the second kernel was launched 220 us before it began.
        self.assertEqual(self.part("--slice", "240us..260us"), (1, 1, ["ProfilerStep#1"]))

    def test_kinds_and_devices(self):
        self.assertEqual(self.part("--kinds", "kernel"), (4, 0, []))
        self.assertEqual(self.part("--devices", "0"), (4, 4, ["ProfilerStep#1", "ProfilerStep#2"]))

    def test_ranks_of_several_inputs(self):
        ranks = [self.small_trace(f"rank{n}.json") for n in (3, 5)]
        self.assertEqual(self.part("--ranks", "5", inputs=ranks)[0], 4)
        self.fails_with(2, "holds one rank a file, and here are 2 traces", "convert", *ranks, "-o",
                        self.folder / "both.json")

    def test_several_inputs_go_into_one_perfetto_file(self):
        ranks = [self.small_trace(f"rank{n}.json") for n in (3, 5)]
        told = self.succeed("convert", *ranks, "-o", self.folder / "both.pftrace")
        self.assertIn("24 events", told)

    def test_the_input_is_not_to_blame_for_the_selection(self):
        self.succeed("convert", self.small_trace(), "-o", self.folder / "part.json", "--strict",
                     "--kinds", "runtime_call")

    def test_standard_input_keeps_its_name(self):
        done = self.run_lockstep("convert", "-", "-o", self.folder / "a.xplane.pb", input=b"nothing")
        self.assertEqual(done.returncode, 3)
        self.assertTrue(done.stderr.decode().startswith("lockstep: standard input: is not a trace"), done.stderr)

    def test_an_empty_part_is_refused(self):
        out = self.folder / "part.json"
        self.fails_with(2, "the selection holds no event of the trace", "convert",
                        self.small_trace(), "-o", out, "--slice", "5s..6s")
        self.assertFalse(out.exists())

    def test_words_that_mean_nothing_are_refused(self):
        for option, word, sentence in [
                ("--slice", "5..6", "'5' has no unit"),
                ("--kinds", "kernals", "did you mean 'kernel'?"),
                ("--devices", "9", "no device '9'"),
                ("--ranks", "0", "no rank 0 in the trace")]:
            with self.subTest(option=option):
                self.fails_with(2, sentence, "convert", self.small_trace(), "-o",
                                self.folder / "part.json", option, word)


class XSpaceToXSpace(CliTestCase):
    """One rank is rewritten on the wire, several are read and written."""

    def facts(self, path, *options):
        document = self.info(path, "--top", "0", *options)
        return document["kernels"], document["flows"], [s["name"] for s in document["steps"]]

    def two_ranks(self):
        """Session clocks with zeros of their own; rank 1 has kernels that rank 0 has not."""
        for rank in (0, 1):
            events = small_events() + (launch(9, "late", 2000, 2200 + rank, 10) if rank else [])
            for event in events:
                if "ts" in event:
                    event["ts"] += 5000 * rank
            self.write(f"r{rank}.json", json.dumps({
                "schemaVersion": 1, "distributedInfo": {"rank": rank}, "traceEvents": events}))
        both = self.folder / "both.xplane.pb"
        self.succeed("convert", self.folder / "r0.json", self.folder / "r1.json", "-o", both)
        return both

    def cut_both_ways(self, trace, *options):
        """What is left on the wire, and as Chrome JSON."""
        wire, model = self.folder / "cut.xplane.pb", self.folder / "cut.json"
        self.succeed("convert", trace, "-o", wire, *options)
        self.succeed("convert", trace, "-o", model, *options)
        return self.facts(wire), self.facts(model)

    def test_one_of_two_ranks(self):
        one = self.folder / "one.xplane.pb"
        self.succeed("convert", self.two_ranks(), "--ranks", "1", "-o", one)
        document = self.info(one, "--top", "0")
        self.assertEqual([rank["rank"] for rank in document["ranks"]], [1])
        self.assertEqual(document["kernels"], 5)

    def test_a_slice_of_two_ranks_counts_from_the_zero_of_each(self):
        part, other = self.folder / "part.xplane.pb", self.folder / "part.pftrace"
        both = self.two_ranks()
        for out in (part, other):
            self.succeed("convert", both, "--slice", "240us..260us", "-o", out)
        self.assertEqual(self.info(part)["kernels"], 2)
        self.assertEqual(self.info(part)["kernels"], self.info(other)["kernels"])

    def test_parts_of_one_rank_are_those_of_the_model(self):
        trace = self.folder / "small.xplane.pb"
        self.succeed("convert", self.small_trace(), "-o", trace)
        for options in [("--slice", "240us..260us"), ("--slice", "ProfilerStep#2"),
                        ("--devices", "0"), ("--kinds", "kernel,runtime_call,annotation")]:
            with self.subTest(options=options):
                wire, model = self.cut_both_ways(trace, *options)
                self.assertEqual(wire, model)

    def test_parts_of_a_profilers_file_are_those_of_the_model(self):
        work = workload.scripted()
        trace = write_xspace.write(work, self.folder)
        whole = self.info(trace, "--top", "0")
        devices = [device["id"] for device in whole["ranks"][0]["devices"]]
        self.assertGreater(len(devices), 1)
        step = whole["steps"][0]["name"]
        half = f"{whole['span_ns'] // 2}ns"
        for options in [("--slice", step), ("--slice", f"..{half}"), ("--slice", f"{half}.."),
                        *(("--devices", device) for device in devices),
                        ("--devices", devices[0], "--slice", f"{half}.."),
                        ("--kinds", "kernel"), ("--kinds", "runtime_call,communication,annotation")]:
            with self.subTest(options=options):
                wire, model = self.folder / "cut.xplane.pb", self.folder / "cut.json"
                for out in (wire, model):
                    done = self.run_lockstep("convert", trace, "-o", out, *options)
                    self.assertEqual(done.returncode, 0, done.stderr)
                documents = [json.loads(self.run_lockstep("info", "--json", out).stdout)
                             for out in (wire, model)]
                for key in ("events", "kernels", "by_kind", "flows", "device_busy_ns"):
                    self.assertEqual(documents[0][key], documents[1][key], key)
                self.assertEqual(*([s["name"] for s in d["steps"]] for d in documents))

    def test_kinds_leave_the_steps(self):
        trace, out = self.folder / "small.xplane.pb", self.folder / "kernels.xplane.pb"
        self.succeed("convert", self.small_trace(), "-o", trace)
        self.succeed("convert", trace, "--kinds", "kernel", "-o", out)
        self.assertEqual(self.facts(out), (4, 0, ["ProfilerStep#1", "ProfilerStep#2"]))

    def test_strict_reads_what_is_copied(self):
        trace, out = self.folder / "small.xplane.pb", self.folder / "copy.xplane.pb"
        self.succeed("convert", self.small_trace(), "-o", trace)
        cut = self.write("cut.xplane.pb", trace.read_bytes()[:-30])
        self.assertEqual(self.run_lockstep("info", "--strict", cut).returncode, 3)
        self.succeed("convert", cut, "-o", out)
        self.assertEqual(out.read_bytes(), cut.read_bytes())
        out.unlink()
        done = self.run_lockstep("convert", "--strict", cut, "-o", out)
        self.assertEqual(done.returncode, 3)
        self.assertIn("data loss", done.stderr.decode())
        self.assertEqual(out.read_bytes(), cut.read_bytes())
        self.succeed("convert", "--strict", trace, "-o", out)

    def test_strict_finds_in_a_part_what_info_finds(self):
        calls = [complete("cuda_runtime", "cudaLaunchKernel", 100, 100, 10 + i, 1, correlation=i)
                 for i in range(1, 4)]
        trace, out = self.folder / "lost.xplane.pb", self.folder / "part.xplane.pb"
        self.run_lockstep("convert", self.write("lost.json", kineto(calls)), "-o", trace)
        done = self.run_lockstep("convert", "--strict", trace, "--slice", "0s..1s", "-o", out)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("lockstep: data loss: 3 x ", done.stderr.decode())

    def test_an_empty_part_is_refused(self):
        trace, out = self.folder / "small.xplane.pb", self.folder / "part.xplane.pb"
        self.succeed("convert", self.small_trace(), "-o", trace)
        self.fails_with(2, "the selection holds no event of the trace", "convert", trace, "-o",
                        out, "--slice", "5s..6s")
        self.assertFalse(out.exists())


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


class Losses(CliTestCase):
    def test_loss_is_told_on_standard_error(self):
        out = self.folder / "out.json"
        done = self.run_lockstep("convert", self.truncated_trace(), "-o", out)
        self.assertEqual(done.returncode, 0)
        self.assertIn("lockstep: data loss: ", done.stderr.decode())
        self.assertEqual(self.info(out)["kernels"], 3)

    def test_strict_writes_the_output_and_ends_with_3(self):
        out = self.folder / "out.json"
        done = self.run_lockstep("convert", "--strict", self.truncated_trace(), "-o", out)
        self.assertEqual(done.returncode, 3)
        self.assertIn("--strict", done.stderr.decode())
        self.assertEqual(self.info(out)["kernels"], 3)

    def test_strict_finds_what_info_finds(self):
        calls = [complete("cuda_runtime", "cudaLaunchKernel", 100, 100, 10 + i, 1, correlation=i)
                 for i in range(1, 4)]
        trace = self.write("lost.json", kineto(calls))
        self.assertEqual(self.run_lockstep("info", "--strict", trace).returncode, 3)
        done = self.run_lockstep("convert", "--strict", trace, "-o", self.folder / "out.json")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("lockstep: data loss: 3 x ", done.stderr.decode())

    def test_several_ranks_do_not_fit_in_one_chrome_file(self):
        for rank in (0, 1):
            self.write(f"r{rank}.json", kineto(small_events(), distributedInfo={"rank": rank}))
        self.fails_with(2, "holds one rank a file, and here are 2 traces", "convert", self.folder,
                        "-o", self.folder / "all.json")
        self.assertEqual(self.names_in_folder(), ["r0.json", "r1.json"])


if __name__ == "__main__":
    main()

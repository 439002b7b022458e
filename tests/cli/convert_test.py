"""`lockstep convert` from outside: round trips, parts of traces, losses."""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "workload"))
import workload  # noqa: E402
import write_xspace  # noqa: E402
from cli_test_case import CliTestCase, complete, kineto, launch, main, small_events

# What a round trip may change.
NOT_COMPARED = ("inputs", "compression", "size_bytes", "inflated_bytes", "diagnostics")


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

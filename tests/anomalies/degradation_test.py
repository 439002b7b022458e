"""What `lockstep anomalies` says of captures that lack something: bubbles are facts of the device and are always
reported; what is missing is named, and no cause is told that would need it.

Each test drops one thing from a capture that has all, and looks at both.
"""

import json
import shutil
import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS / "cli"), str(TESTS / "workload")]

import schema_check  # noqa: E402
import write_ascend_text  # noqa: E402
from cli_test_case import CliTestCase, complete, kineto, launch, main  # noqa: E402
from stalled_workload import STALL_NS, stalled  # noqa: E402

SCHEMA = json.loads((TESTS.parent / "docs/reference/anomalies.schema.json").read_text())

LAYER = ["rms_norm_kernel", "qkv_gemm", "flash_fwd_kernel", "out_gemm", "silu_kernel", "down_gemm"]
KERNELS = ["embedding_kernel", *LAYER * 4, "lm_head_gemm", "argmax_kernel"]
KERNEL_US, GAP_US, STALL_US = 100, 4, 5000
STALLED_STEP, STALLED_KERNEL = 3, 2


class Capture:
    """Steps of a few kernels on one stream, the host a little ahead of the device; the device waits for one kernel of
    one step while the host computes something. Everything that a profiler can record is there."""

    def __init__(self, steps=5, shape=lambda step: 8, lead_us=500, trail_us=500, names=KERNELS):
        self.markers, self.operators, self.frames, self.device = [], [], [], []
        at = 1000
        self.operators += [complete("cpu_op", "aten::zeros", 100, 100, at, 20)] if lead_us else []
        at += lead_us
        for number in range(1, steps + 1):
            at = self.step(number, at, shape(number), names)
        if trail_us:
            self.operators.append(complete("cpu_op", "aten::cat", 100, 100, at + trail_us, 20))

    def step(self, number, start, size, names):
        at = start + 20
        for i, name in enumerate(names):
            if (number, i) == (STALLED_STEP, STALLED_KERNEL):
                self.operators.append(complete("cpu_op", "aten::sort", 100, 100, at, STALL_US - 20,
                                               **{"Input Dims": [[size]]}))
                at += STALL_US
            self.operators.append(complete("cpu_op", f"aten::op{i}", 100, 100, at - 15, 13,
                                           **{"Input Dims": [[size, 64], []]}))
            self.device += launch(100 * number + i, name, at - 12, at, KERNEL_US)
            at += KERNEL_US + GAP_US
        self.frames.append(complete("python_function", "train.py(12): step", 100, 100, start + 2, at - start - 4))
        self.markers.append(complete("user_annotation", f"ProfilerStep#{number}", 100, 100, start, at - start - 2))
        return at

    def kernels(self):
        return [event for event in self.device if event.get("cat") == "kernel"]


def without_shapes(events):
    return [{**event, "args": {}} if event["cat"] == "cpu_op" else event for event in events]


class DegradationTestCase(CliTestCase):
    def anomalies(self, path):
        document = json.loads(self.succeed("anomalies", "--json", "--bubbles", "all", path))
        self.assertEqual(list(schema_check.faults(document, SCHEMA)), [])
        return document["anomaly_discovery"]

    def discover(self, *parts, **facts):
        events = [event for part in parts for event in part]
        return self.anomalies(self.write("trace.json", kineto(events, **facts)))

    def full(self, **options):
        capture = Capture(**options)
        return self.discover(capture.markers, capture.operators, capture.frames, capture.device)

    def gap(self, found, words):
        """The one sentence on missing evidence that has these words."""
        sentences = [text for text in found["evidence_gaps"] if words in text]
        self.assertEqual(len(sentences), 1, f"{words!r} in {found['evidence_gaps']}")
        return sentences[0]

    def no_gap(self, found, words):
        self.assertEqual([text for text in found["evidence_gaps"] if words in text], [])

    def stall(self, found):
        """The planted bubble: it is reported whatever is missing, with the kernels around it."""
        longest = max(found["bubble_windows"], key=lambda bubble: bubble["duration_ns"])
        self.assertEqual(longest["duration_ns"], (STALL_US + GAP_US) * 1000)
        self.assertEqual(longest["kernels_before"][-1]["name"], KERNELS[STALLED_KERNEL - 1])
        self.assertEqual(longest["kernels_after"][0]["name"], KERNELS[STALLED_KERNEL])
        return longest

    def measured(self, found):
        """What was measured on the device, without any why."""
        return [(step["start_ns"], step["end_ns"], step["underfeed_ms"], step["bubble_count"]) for step in found["steps"]]

    @staticmethod
    def tags(found):
        return {tag for step in found["steps"] for tag in step["tags"]}


class Whole(DegradationTestCase):
    def test_a_capture_that_has_all_lacks_nothing(self):
        found = self.full()
        self.assertEqual(found["evidence_gaps"], [])
        stall = self.stall(found)
        self.assertEqual(stall["host_part_ns"] + stall["queued_part_ns"], stall["duration_ns"])
        self.assertEqual(stall["launched_by"]["op"], f"aten::op{STALLED_KERNEL}")


class Shapes(DegradationTestCase):
    def test_without_them_variation_is_not_judged_and_bubbles_stay(self):
        capture = Capture(shape=lambda step: step)
        everything = (capture.markers, capture.operators, capture.frames, capture.device)
        with_shapes = self.discover(*everything)
        self.assertIn("VARIABLE_SHAPE_SAME_TEMPLATE", self.tags(with_shapes))
        self.no_gap(with_shapes, "shapes")
        found = self.discover(capture.markers, without_shapes(capture.operators), capture.frames, capture.device)
        self.assertIn("VARIABLE_SHAPE_SAME_TEMPLATE", self.gap(found, "No operator shapes"))
        self.assertNotIn("VARIABLE_SHAPE_SAME_TEMPLATE", self.tags(found))
        self.stall(found)
        self.assertEqual(self.measured(found), self.measured(with_shapes))

    def test_they_survive_a_conversion(self):
        capture = Capture(shape=lambda step: step)
        source = self.write("shapes.json", kineto(capture.markers + capture.operators + capture.device))
        for name in ("shapes.pftrace", "shapes.xplane.pb", "again.json"):
            with self.subTest(name):
                converted = self.folder / name
                self.succeed("convert", source, "-o", converted)
                self.assertIn("VARIABLE_SHAPE_SAME_TEMPLATE", self.tags(self.anomalies(converted)))

    def test_equal_shapes_are_no_variation(self):
        self.assertNotIn("VARIABLE_SHAPE_SAME_TEMPLATE", self.tags(self.full()))


class Stacks(DegradationTestCase):
    def test_without_them_bubbles_are_the_same(self):
        capture = Capture()
        found = self.discover(capture.markers, capture.operators, capture.device)
        self.assertIn("with_stack=True", self.gap(found, "No Python frames"))
        self.stall(found)
        self.assertEqual(self.measured(found), self.measured(self.full()))


class SparseHost(DegradationTestCase):
    def test_a_gap_without_host_events_is_untraced_and_needs_a_look(self):
        capture = Capture()
        quiet = [event for event in capture.operators if event["name"] != "aten::sort"]
        found = self.discover(capture.markers, quiet, capture.device)
        self.gap(found, "Host events are sparse")
        stall = self.stall(found)
        self.assertEqual(stall["candidate_labels"], ["possible_untraced_host_blocking"])
        self.assertTrue(found["requires_host_followup"])
        [step] = [step for step in found["steps"] if step["step_id"] == stall["step_id"]]
        self.assertIn("UNTRACED_HOST_BLOCKING_RISK", step["tags"])
        self.no_gap(self.full(), "sparse")


class CaptureEdges(DegradationTestCase):
    def test_a_gap_that_began_before_the_capture_is_marked_and_not_explained(self):
        capture = Capture(lead_us=0)
        early = [{**event, "ts": event["ts"] - 900, "dur": event["dur"] + 900}
                 if event["name"] == "ProfilerStep#1" else event for event in capture.markers]
        first = {"cudaLaunchKernel": 100, "ac2g": 100}
        device = [event for event in capture.device
                  if event.get("id", event.get("args", {}).get("correlation")) != first.get(event["name"])]
        found = self.discover(early, capture.operators, capture.frames, device)
        self.gap(found, "edge of the capture")
        [edge] = [bubble for bubble in found["bubble_windows"] if bubble["touches_capture_edge"]]
        self.assertEqual((edge["start_ns"], edge["duration_ns"]), (found["steps"][0]["start_ns"], 920_000))
        self.assertEqual(edge["candidate_labels"], ["insufficient_evidence"])
        self.stall(found)

    def test_a_step_that_the_capture_cuts_is_marked(self):
        capture = Capture()
        begin = next(event["ts"] for event in capture.device if event.get("args", {}).get("correlation") == 113)
        parts = [[event for event in part if event["ts"] >= begin]
                 for part in (capture.operators, capture.frames, capture.device)]
        first = {**capture.markers[0], "ts": begin - 5}
        found = self.discover([first, *capture.markers[1:]], *parts)
        marked = [step["name"] for step in found["steps"] if "PARTIAL_CAPTURE_BOUNDARY" in step["tags"]]
        self.assertEqual(marked, ["ProfilerStep#1"])
        self.stall(found)

    def test_a_capture_that_was_cut_off_still_has_its_bubbles(self):
        capture = Capture()
        text = kineto(capture.markers + capture.operators + capture.device)
        path = self.write("cut.json", text[:-len(text) // 10])
        done = self.run_lockstep("anomalies", "--json", "--bubbles", "all", path)
        self.stall(json.loads(done.stdout)["anomaly_discovery"])
        self.assertIn(b"The document ends before its closing brackets", done.stderr)


class Markers(DegradationTestCase):
    def test_without_them_passes_are_the_steps(self):
        capture = Capture(steps=6)
        found = self.discover(capture.operators, capture.frames, capture.device)
        self.gap(found, "No step markers")
        self.assertEqual({step["window"] for step in found["steps"]}, {"device"})
        self.assertGreater(len(found["steps"]), 3)
        self.stall(found)

    def test_without_passes_either_the_capture_is_one_step(self):
        capture = Capture(steps=3, names=LAYER)
        kernels = iter(range(100))
        names = [f"kernel_{'abcdefghijklmnopqrstuvwxyz'[i % 26]}" for i in (3, 1, 4, 15, 9, 2, 6, 5, 35, 8, 97, 93, 23,
                                                                           84, 62, 64, 33, 83)]
        odd = [{**event, "name": names[next(kernels)]} if event.get("cat") == "kernel" else event
               for event in capture.device]
        found = self.discover(capture.operators, capture.frames, odd)
        self.gap(found, "the whole capture counts as one step")
        [step] = found["steps"]
        self.assertEqual(step["window"], "pseudo")
        longest = max(found["bubble_windows"], key=lambda bubble: bubble["duration_ns"])
        self.assertEqual(longest["duration_ns"], (STALL_US + GAP_US) * 1000)


class OnePass(DegradationTestCase):
    def test_nothing_is_called_recurring_or_odd(self):
        capture = Capture(steps=3)
        keep = [event for event in capture.device if event.get("args", {}).get("correlation", 300) // 100 == 3
                or event.get("id", 0) // 100 == 3]
        found = self.discover(capture.markers[-1:], capture.operators, capture.frames[-1:], keep)
        self.gap(found, "No more than 1 step")
        self.assertEqual(len(found["steps"]), 1)
        self.stall(found)
        self.assertEqual(self.tags(found) & {"RECURRING_BUBBLE_PATTERN", "STEP_OUTLIER"}, set())


class DeviceOnly(DegradationTestCase):
    def test_bubbles_are_facts_without_a_cause(self):
        found = self.discover(Capture(steps=6).kernels())
        self.gap(found, "No host events")
        self.gap(found, "No arrows from launches to kernels")
        stall = self.stall(found)
        self.assertEqual(stall["candidate_labels"], ["insufficient_evidence"])
        self.assertEqual((stall["host_part_ns"], stall["launched_by"]), (None, None))

    def test_launches_without_arrows_are_named(self):
        capture = Capture()
        unbound = [{**event, "args": {}} for event in capture.device if event["ph"] == "X"]
        found = self.discover(capture.markers, capture.operators, capture.frames, unbound)
        self.gap(found, "No arrows from launches to kernels")
        self.no_gap(found, "No host events")
        self.assertEqual(self.stall(found)["host_part_ns"], None)


class NoAttention(DegradationTestCase):
    def test_structures_are_found_without_attention_kernels(self):
        found = self.full(names=["a_gemm", "b_gemm", "c_add"] * 4)
        self.assertTrue(found["structures"])


class Ascend(DegradationTestCase):
    def setUp(self):
        super().setUp()

        self.work = stalled()

    def profile(self, **options):
        folder = self.folder / "with" / str(len(list(self.folder.iterdir())))
        folder.mkdir(parents=True)
        return write_ascend_text.write(self.work, folder, **options)

    def bubbles(self, found):
        """Those inside steps; the planted one is among them."""
        bubbles = {(bubble["start_ns"], bubble["duration_ns"]) for bubble in found["bubble_windows"]
                   if bubble["scope"] == "step_internal"}
        self.assertGreater(max(duration for _, duration in bubbles), STALL_NS * 0.9)
        return bubbles

    def test_without_communication_json_waits_of_collectives_are_not_known(self):
        root = self.profile()
        with_file = self.anomalies(root)
        self.no_gap(with_file, "communication.json")
        (root / "ASCEND_PROFILER_OUTPUT/communication.json").unlink()
        found = self.anomalies(root)
        self.gap(found, "No communication.json")
        self.assertEqual(self.measured(found), self.measured(with_file))
        self.assertEqual(self.bubbles(found), self.bubbles(with_file))

    def test_without_kernel_details_the_timeline_has_the_kernels(self):
        root = self.profile()
        with_table = self.anomalies(root)
        self.no_gap(with_table, "kernel_details.csv")
        (root / "ASCEND_PROFILER_OUTPUT/kernel_details.csv").unlink()
        found = self.anomalies(root)
        self.gap(found, "No kernel_details.csv")
        self.assertEqual(self.bubbles(found), self.bubbles(with_table))

    def test_op_summary_alone_gives_bubbles(self):
        root = self.profile(msprof=True, timeline=False)
        output = root / "mindstudio_profiler_output"
        alone = self.folder / "alone"
        alone.mkdir()
        [table] = output.glob("op_summary_*.csv")
        shutil.copy(table, alone)
        found = self.anomalies(alone / table.name)
        self.gap(found, "No host events")
        self.gap(found, "No kernel_details.csv")
        self.bubbles(found)
        directory = self.anomalies(root)
        self.gap(directory, "No trace_view.json")
        self.gap(directory, "No kernel_details.csv")
        self.bubbles(directory)

    def test_without_a_timeline_there_is_no_cause(self):
        found = self.anomalies(self.profile(timeline=False))
        self.gap(found, "No trace_view.json")
        self.gap(found, "No host events")
        self.bubbles(found)
        self.assertEqual({label for bubble in found["bubble_windows"] for label in bubble["candidate_labels"]},
                         {"insufficient_evidence"})

    def test_level_0_does_not_know_types(self):
        found = self.anomalies(self.profile(level=0))
        self.gap(found, "Level0")
        self.bubbles(found)


if __name__ == "__main__":
    main()

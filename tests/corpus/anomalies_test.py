#!/usr/bin/env python3
"""Every known answer on idle time in the corpus, and the metrics of marked Kineto steps against a slow
count over the raw trace.

Usage: anomalies_test.py LOCKSTEP. The corpus is found by LOCKSTEP_CORPUS; without it the test says so
and is skipped (exit 77).
"""
import gzip
import json
import os
import subprocess
import sys
import unittest
from decimal import Decimal

SKIPPED = 77
ARGUMENTS = sys.argv[1:]
CORPUS = os.environ.get("LOCKSTEP_CORPUS", "")


def discover(name, *options):
    """The object anomaly_discovery, numbers as Decimal: they are exact in the text."""
    run = subprocess.run([ARGUMENTS[0], "anomalies", os.path.join(CORPUS, name), "--json", *options],
                         capture_output=True, text=True, check=True)
    return json.loads(run.stdout, parse_float=Decimal)["anomaly_discovery"]


def of_kind(found, kind):
    return [one for one in found["findings"] if one["kind"] == kind]


def union(intervals):
    pieces = []
    for start, end in sorted(intervals):
        if pieces and start <= pieces[-1][1]:
            pieces[-1][1] = max(pieces[-1][1], end)
        else:
            pieces.append([start, end])
    return pieces


class Ascend(unittest.TestCase):
    def test_rank_0_has_the_golden_numbers(self):
        found = discover("ascend/text_level1_rank0_ascend_pt")
        [step] = found["steps"]
        self.assertEqual(step["name"], "ProfilerStep#50")
        self.assertEqual(step["window"], "host")
        self.assertEqual(step["service_ms"], Decimal("155.985800"))
        self.assertEqual(step["underfeed_ratio"], Decimal("0.289442"))
        self.assertEqual(step["prelaunch_gap_ms"], Decimal("17.902502"))
        self.assertEqual(step["tail_gap_ms"], Decimal("1.502289"))
        self.assertEqual(step["bubble_count"], 90)
        self.assertEqual(step["internal_bubble_total_ms"], Decimal("25.744069"))
        self.assertEqual(step["largest_internal_bubble_ms"], Decimal("1.318826"))
        self.assertEqual(step["device_busy_union_ms"], Decimal("110.836940"))
        for tag in ("DEVICE_IDLE_GAP_HEAVY", "PRELAUNCH_GAP_HEAVY", "COMM_STALL_MASKED"):
            self.assertIn(tag, step["tags"])
        for tag in ("TAIL_GAP_HEAVY", "INTERNAL_BUBBLE_HEAVY", "STEP_OUTLIER", "UNRECORDED_WORK"):
            self.assertNotIn(tag, step["tags"])
        [stall] = of_kind(found, "comm_stall")
        self.assertIn("105.992 ms", stall["text"])
        self.assertIn("3.683 ms", " ".join(stall["evidence"]))

    def test_the_script_sees_no_heavy_idle_gap(self):
        [step] = discover("ascend/text_level1_rank0_ascend_pt", "--compat", "script")["steps"]
        self.assertNotIn("DEVICE_IDLE_GAP_HEAVY", step["tags"])
        self.assertIn("PRELAUNCH_GAP_HEAVY", step["tags"])

    def test_rank_1_has_the_golden_numbers(self):
        [step] = discover("ascend/text_level1_rank1_ascend_pt")["steps"]
        self.assertEqual(step["underfeed_ratio"], Decimal("0.316145"))
        self.assertEqual(step["prelaunch_gap_ms"], Decimal("20.433190"))

    def test_wait_anchors_are_two(self):
        found = discover("ascend/text_level1_rank0_ascend_pt")
        self.assertEqual(sorted(op["op_name"] for op in found["wait_anchor_ops"]),
                         ["aclnnDropoutGenMaskV2_DSAGenBitMask_DSAGenBitMask",
                          "aclnnInplaceFillScalar_FillAiCore_Fill"])

    def test_the_launch_is_followed_through_the_task_queue(self):
        found = discover("ascend/text_level1_rank0_ascend_pt", "--bubbles", "all")
        launched = [b["launched_by"] for b in found["bubble_windows"] if b["launched_by"]]
        self.assertGreater(len(launched), 20)
        self.assertTrue(any(one["stages"]["task_queue_ns"] > 0 for one in launched))
        self.assertIn("AscendCL@aclopCompileAndExecute",
                      [b["inside_op"] for b in found["bubble_windows"]])

    def test_text_and_database_have_the_same_keys(self):
        text = discover("ascend/text_level1_rank1_ascend_pt")
        base = discover("ascend/db_level1_rank1_ascend_pt")
        self.assertEqual(set(text), set(base))
        self.assertEqual(len(base["steps"]), 1)


class Gpt2(unittest.TestCase):
    NAME = "h200/gpt2_train_stalls.json.gz"

    @classmethod
    def setUpClass(cls):
        cls.found = discover(cls.NAME)
        cls.steps = {step["name"]: step for step in cls.found["steps"]}

    def test_exactly_the_planted_steps_stand_out(self):
        tagged = [name for name, step in self.steps.items() if "STEP_OUTLIER" in step["tags"]]
        self.assertEqual(tagged, ["ProfilerStep#4", "ProfilerStep#6", "ProfilerStep#8"])
        self.assertEqual([(f["step_id"], f["scope"], f["labels"])
                          for f in of_kind(self.found, "step_outlier")],
                         [("3", "prelaunch", ["possible_untraced_host_blocking"]),
                          ("5", None, ["possible_sync_or_h2d"]),
                          ("7", "step_internal", ["possible_untraced_host_blocking"])])

    def test_they_have_the_golden_numbers(self):
        self.assertEqual(self.steps["ProfilerStep#4"]["prelaunch_gap_ms"], Decimal("40.871540"))
        self.assertEqual(self.steps["ProfilerStep#8"]["largest_internal_bubble_ms"],
                         Decimal("27.144802"))
        self.assertIn("COPY_EXPOSED", self.steps["ProfilerStep#6"]["tags"])
        for name, step in self.steps.items():
            if name != "ProfilerStep#6":
                self.assertNotIn("COPY_EXPOSED", step["tags"])

    def test_labels_of_steps_are_those_of_their_faults(self):
        untraced = [n for n, s in self.steps.items()
                    if "possible_untraced_host_blocking" in s["labels"]]
        self.assertEqual(untraced, ["ProfilerStep#4", "ProfilerStep#8"])
        self.assertEqual(self.steps["ProfilerStep#6"]["labels"], ["possible_sync_or_h2d"])

    def test_the_launch_bound_idle_is_one_finding(self):
        self.assertEqual(len(of_kind(self.found, "launch_bound")), 1)
        self.assertEqual(len(self.found["findings"]), 4)

    def test_prelaunch_by_launch_is_not_hidden_by_the_step_before(self):
        for number in (3, 5, 7):
            step = self.steps[f"ProfilerStep#{number}"]
            self.assertEqual(step["prelaunch_gap_ms"], 0)
            self.assertGreater(step["prelaunch_launch_ms"], Decimal("0.3"))


class Metrics(unittest.TestCase):
    """A slow count: all intervals of the raw file, in whole nanoseconds."""

    def check(self, name):
        with gzip.open(os.path.join(CORPUS, name)) as file:
            events = json.load(file, parse_float=Decimal)["traceEvents"]
        spans = [e for e in events if e.get("ph") == "X"]
        kernels, markers = [], []
        for event in spans:
            start = int(Decimal(str(event["ts"])) * 1000)
            end = start + int(Decimal(str(event["dur"])) * 1000)
            if event.get("cat") == "kernel":
                kernels.append((start, end))
            if event["name"].startswith("ProfilerStep#") and event["cat"] == "user_annotation":
                markers.append((start, end, event["name"]))
        markers.sort()
        zero = None
        for i, step in enumerate(discover(name)["steps"]):
            start, end, label = markers[i]
            end = markers[i + 1][0] if i + 1 < len(markers) else max(
                [end] + [e for s, e in kernels if s >= start])
            self.assertEqual(step["name"], label)
            zero = zero if zero is not None else start - step["start_ns"]
            self.assertEqual((step["start_ns"], step["end_ns"]), (start - zero, end - zero))
            pieces = union([(max(s, start), min(e, end)) for s, e in kernels
                            if e > start and s < end])
            gaps = [b[0] - a[1] for a, b in zip(pieces, pieces[1:])]
            busy = sum(e - s for s, e in pieces)

            def ms(value):
                return Decimal(value) / 1_000_000
            self.assertEqual(step["service_ms"], ms(end - start))
            self.assertEqual(step["device_busy_union_ms"], ms(busy))
            self.assertEqual(step["underfeed_ms"], ms(end - start - busy))
            self.assertEqual(step["prelaunch_gap_ms"], ms(pieces[0][0] - start))
            self.assertEqual(step["tail_gap_ms"], ms(end - pieces[-1][1]))
            self.assertEqual(step["internal_bubble_total_ms"], ms(sum(gaps)))
            self.assertEqual(step["largest_internal_bubble_ms"], ms(max(gaps)))
            self.assertEqual(step["bubble_count"], len(gaps))

    def test_gpt2_train_stalls(self):
        self.check("h200/gpt2_train_stalls.json.gz")


class Inference(unittest.TestCase):
    def test_the_stall_before_the_first_attention_of_llama_eager(self):
        found = discover("h200/llama_eager.json.gz")
        [stall] = of_kind(found, "recurring_stall")
        self.assertAlmostEqual(stall["cost_ms"], Decimal(907), delta=1)
        self.assertIn("20 of 24 steps", stall["text"])
        self.assertIn("kernel 36", stall["text"])
        self.assertIn("The host is inside aten::_cudnn_attention_forward for most of it.",
                      stall["evidence"])
        self.assertEqual(found["findings"][0], stall)
        heavy = [s["name"] for s in found["steps"] if "INTERNAL_BUBBLE_HEAVY" in s["tags"]]
        self.assertEqual(heavy, [f"decode {i}" for i in range(5, 25)])

    def test_the_same_stall_in_llama_compiled(self):
        found = discover("h200/llama_compiled.json.gz")
        [stall] = of_kind(found, "recurring_stall")
        self.assertIn("20 of 24 steps", stall["text"])

    def test_sglang_is_unrecorded_work_and_not_idle(self):
        found = discover("kineto/tl_sglang_Qwen3-8B_decode.json.gz")
        [step] = found["steps"]
        self.assertIn("UNRECORDED_WORK", step["tags"])
        for tag in step["tags"]:
            self.assertFalse(tag.endswith("_HEAVY"), tag)
        [artefact] = found["artefacts"]
        self.assertEqual(artefact["idle_ms"], Decimal("463.295405"))
        self.assertIn("hipMemcpyWithStream", artefact["because"])
        self.assertEqual([f["kind"] for f in found["findings"]], ["artefact"])


class EveryKinetoFile(unittest.TestCase):
    """No alarm on traces of graph replays and on short captures."""

    def test_vllm_replays_raise_no_host_alarm(self):
        found = discover("kineto/tl_vllm_piecewise_graph_execution.json.gz")
        for step in found["steps"]:
            self.assertNotIn("HOST_ORIGINATED_RISK", step["tags"])


if __name__ == "__main__":
    if not CORPUS:
        print("skipped: LOCKSTEP_CORPUS is not set")
        sys.exit(SKIPPED)
    unittest.main(argv=sys.argv[:1], verbosity=1)

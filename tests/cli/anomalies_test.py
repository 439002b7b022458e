"""`lockstep anomalies` from outside: what it prints, and how it ends."""

import json
import re

import schema_check
from anomalies_case import ROOT, AnomaliesTestCase
from cli_test_case import kineto, launch, main
from loop_trace import loop_trace, request_trace
from stall_trace import KERNELS, stall_events, stall_trace

SCHEMA = ROOT / "docs/reference/anomalies.schema.json"
PAGE = ROOT / "docs/reference/anomalies.md"

REQUIRED = {
    "anomaly_discovery": [
        "enabled", "dominant_group_id", "global_device_gap_analysis", "step_group_anomalies",
        "bubble_windows", "wait_anchor_ops", "soft_root_cause_summary", "requires_host_followup",
        "confidence", "steps", "recommendations", "thresholds", "evidence_gaps", "artefacts"],
    "step": [
        "step_id", "name", "group_id", "window", "start_ns", "end_ns", "service_ms",
        "device_busy_union_ms", "any_busy_union_ms", "underfeed_ms", "underfeed_ratio",
        "prelaunch_gap_ms", "prelaunch_launch_ms", "tail_gap_ms", "internal_bubble_total_ms",
        "largest_internal_bubble_ms", "bubble_count", "significant_bubble_count", "tags",
        "labels"],
    "bubble": [
        "bubble_id", "scope", "step_id", "group_id", "start_us", "end_us", "duration_ms",
        "candidate_labels", "kernels_before", "kernels_after", "host_part_ns", "queued_part_ns",
        "launched_by", "copy_overlap_ratio", "start_ns", "end_ns"],
}


def two_device_trace():
    """The same steps on two devices; on the second the stall takes longer."""
    events = stall_events()
    moved = []
    for event in stall_events(stalls={4: 5000}):
        if event.get("cat") == "kernel":
            moved.append({**event, "pid": 1, "args": {**event["args"], "device": 1,
                                                      "correlation": None}})
    return kineto(events + moved)


class Document(AnomaliesTestCase):
    def test_required_keys_are_there(self):
        found = self.anomalies(self.stalls())
        for key in REQUIRED["anomaly_discovery"]:
            self.assertIn(key, found)
        for key in REQUIRED["step"]:
            self.assertIn(key, found["steps"][0])
        for key in REQUIRED["bubble"]:
            self.assertIn(key, found["bubble_windows"][0])

    def test_a_step_that_stands_out_is_found_measured_and_attributed(self):
        found = self.anomalies(self.stalls())
        self.assertEqual([step["name"] for step in found["steps"]],
                         [f"ProfilerStep#{i}" for i in range(1, 7)])
        self.assertEqual([step["name"] for step in found["steps"]
                          if "STEP_OUTLIER" in step["tags"]], ["ProfilerStep#4"])
        (finding,) = found["findings"]
        self.assertEqual((finding["kind"], finding["step_id"], finding["labels"]),
                         ("step_outlier", "3", ["possible_sync_or_h2d"]))
        bubble = found["bubble_windows"][0]
        self.assertEqual(bubble["bubble_id"], finding["bubble_id"])
        self.assertEqual((bubble["scope"], bubble["duration_ns"], bubble["position"]),
                         ("step_internal", 5_005_000, 3))
        self.assertEqual(bubble["host_part_ns"] + bubble["queued_part_ns"], 5_005_000)
        self.assertEqual(bubble["launched_by"]["op"], "aten::op3")
        self.assertEqual(bubble["kernels_before"][-1]["name"], KERNELS[2])
        self.assertEqual(bubble["kernels_after"][0]["name"], KERNELS[3])

    def test_steps_add_up(self):
        for step in self.anomalies(self.stalls())["steps"]:
            idle = (step["prelaunch_gap_ms"] + step["tail_gap_ms"] +
                    step["internal_bubble_total_ms"])
            self.assertAlmostEqual(step["underfeed_ms"], idle, 9)
            self.assertAlmostEqual(step["service_ms"],
                                   step["device_busy_union_ms"] + step["underfeed_ms"], 9)

    def test_numbers_have_their_digits(self):
        text = re.sub(r'"thresholds": {[^}]*}', "",
                      self.succeed("anomalies", "--json", self.stalls()))
        for key, digits in [("ms", 6), ("us", 3), ("ratio", 6)]:
            values = re.findall(rf'_{key}(?:_avg|_median|_p90|_p95)?": (-?[0-9.]+)', text)
            self.assertTrue(values, key)
            for value in values:
                self.assertRegex(value, rf"^-?[0-9]+\.[0-9]{{{digits}}}$")

    def test_documents_match_the_schema(self):
        schema = json.loads(SCHEMA.read_text())
        traces = [self.stalls(), self.small_trace(), self.write("loop.json", loop_trace()),
                  self.write("request.json", request_trace()),
                  self.write("two.json", two_device_trace()),
                  self.write("one.json", kineto(launch(1, "k", 10, 20, 5))),
                  ROOT / "examples/llama_eager.json.gz"]
        for trace in traces:
            for options in [(), ("--bubbles", "all"), ("--compat", "script")]:
                with self.subTest(trace=trace.name, options=options):
                    document = json.loads(self.succeed("anomalies", "--json", trace, *options))
                    self.assertEqual(list(schema_check.faults(document, schema)), [])

    def test_the_schema_refuses_a_wrong_document(self):
        schema = json.loads(SCHEMA.read_text())
        document = json.loads(self.succeed("anomalies", "--json", self.stalls()))
        document["anomaly_discovery"]["steps"][0]["window"] = "wide"
        document["anomaly_discovery"]["bubble_windows"][0]["duration_ns"] = -1
        del document["anomaly_discovery"]["confidence"]
        self.assertEqual(len(list(schema_check.faults(document, schema))), 3)

    def test_same_input_gives_the_same_bytes(self):
        trace = self.stalls()
        self.assertEqual(self.succeed("anomalies", "--json", trace),
                         self.succeed("anomalies", "--json", trace))

    def test_brief_is_the_beginning_of_the_whole_text(self):
        brief = self.succeed("anomalies", "--brief", self.stalls())
        whole = self.succeed("anomalies", self.stalls())
        self.assertTrue(whole.startswith(brief))
        self.assertIn("\nFindings\n", brief)
        self.assertLess(brief.count("\n"), whole.count("\n") / 2)

    def test_order_in_the_file_does_not_matter(self):
        events = stall_events()
        # The first event with a time stays: it is the zero of the trace.
        shuffled = kineto(events[:2] + events[:1:-1])
        first, second = (self.anomalies(self.write("t.json", text))
                         for text in (kineto(events), shuffled))
        self.assertEqual(first, second)

    def test_bubbles_are_limited_for_each_group(self):
        trace = self.stalls()
        self.assertEqual(len(self.anomalies(trace)["bubble_windows"]), 5)
        self.assertEqual(len(self.anomalies(trace, "--bubbles", "2")["bubble_windows"]), 2)
        self.assertEqual(self.anomalies(trace, "--bubbles", "0")["bubble_windows"], [])
        every = self.anomalies(trace, "--bubbles", "all")["bubble_windows"]
        self.assertEqual(len(every), sum(step["significant_bubble_count"]
                                         for step in self.anomalies(trace)["steps"]))
        lengths = [bubble["duration_ns"] for bubble in every]
        self.assertEqual(lengths, sorted(lengths, reverse=True))

    def test_a_healthy_trace_has_no_finding(self):
        self.assertEqual(self.anomalies(self.stalls(stalls={}))["findings"], [])

    def test_a_stall_that_nothing_is_seen_in_is_called_untraced(self):
        found = self.anomalies(self.stalls(call=None))
        self.assertEqual(found["findings"][0]["labels"], ["possible_untraced_host_blocking"])
        self.assertTrue(found["requires_host_followup"])

    def test_passes_are_steps_where_nothing_is_marked(self):
        found = self.anomalies(self.write("request.json", request_trace()))
        self.assertFalse(found["steps_are_marked"])
        self.assertEqual({step["window"] for step in found["steps"]}, {"device"})
        self.assertIn("decode 20", [step["name"] for step in found["steps"]])
        found = self.anomalies(self.write("loop.json", loop_trace(passes=1)))
        self.assertEqual([step["window"] for step in found["steps"]], ["pseudo"])

    def test_several_devices_share_the_lists(self):
        found = self.anomalies(self.write("two.json", two_device_trace()))
        self.assertEqual(len(found["devices"]), 2)
        self.assertEqual({step["device"] for step in found["steps"]}, {"0", "1"})
        for key, entries in [("step_id", found["steps"]),
                             ("group_id", found["step_group_anomalies"]),
                             ("bubble_id", found["bubble_windows"])]:
            ids = [entry[key] for entry in entries]
            self.assertEqual(len(ids), len(set(ids)), key)
        one = self.anomalies(self.write("two.json", two_device_trace()), "--devices", "1")
        self.assertEqual({step["device"] for step in one["steps"]}, {"1"})

    def test_a_slice_is_looked_at_alone(self):
        trace = self.stalls()
        found = self.anomalies(trace, "--slice", "ProfilerStep#1..ProfilerStep#3")
        self.assertEqual(found["findings"], [])

    def test_pipe_is_read(self):
        text = self.succeed("anomalies", "-", input=stall_trace().encode())
        self.assertTrue(text.startswith("standard input  kineto"), text)


class Thresholds(AnomaliesTestCase):
    def test_are_obeyed_and_echoed(self):
        trace = self.stalls()
        found = self.anomalies(trace, "--threshold", "outlier_us=6000", "--threshold",
                               "significant_us=60")
        self.assertEqual((found["thresholds"]["outlier_us"], found["thresholds"]["significant_us"]),
                         (6000, 60))
        self.assertNotIn("STEP_OUTLIER", found["steps"][3]["tags"])
        self.assertEqual(len(found["bubble_windows"]), 1)

    def test_of_urgency_decide_priorities_and_the_exit_code(self):
        outlier = self.stalls()  # three quarters of its step
        stall = self.stalls("all.json", stalls={number: 1000 for number in range(1, 7)})  # a third of each
        for trace, kind, threshold, priority, code in [
                (outlier, "step_outlier", "urgent_outlier=0.7", "P0", 1),
                (outlier, "step_outlier", "urgent_outlier=0.8", "P1", 0),
                (stall, "recurring_stall", "urgent_stall=0.3", "P0", 1),
                (stall, "recurring_stall", "urgent_stall=0.5", "P1", 0)]:
            with self.subTest(threshold):
                first = self.anomalies(trace, "--threshold", threshold)["findings"][0]
                self.assertEqual((first["kind"], first["priority"]), (kind, priority))
                done = self.run_lockstep("anomalies", trace, "--threshold", threshold, "--fail-on", "P0")
                self.assertEqual(done.returncode, code, done.stderr)

    def test_of_causes_decide_the_confidence(self):
        for threshold, confidence in [("cause_high=0.8", "high"), ("cause_high=1.1", "medium")]:
            found = self.anomalies(self.stalls(), "--threshold", threshold)
            self.assertEqual(found["soft_root_cause_summary"][0]["confidence"], confidence)

    def test_all_are_documented_with_their_defaults(self):
        documented = re.findall(r"^\| `(\w+)` \| ([0-9.]+) \|", PAGE.read_text("utf-8"),
                                re.MULTILINE)
        used = self.anomalies(self.stalls())["thresholds"]
        self.assertEqual([(name, float(value)) for name, value in documented],
                         list(used.items()))

    def test_every_tag_is_documented(self):
        schema = json.loads(SCHEMA.read_text())
        for tag in schema["definitions"]["tag"]["enum"]:
            self.assertIn(f"`{tag}`", PAGE.read_text("utf-8"))

    def test_script_judges_by_the_idle_share_alone(self):
        # One heavy gap in a step that is busy for the most part.
        events = stall_events(stalls={4: 550})
        trace = self.write("some.json", kineto(events))
        heavy = ["--threshold", "heavy_gap_us=500"]
        rulebook = self.anomalies(trace, *heavy)
        script = self.anomalies(trace, *heavy, "--compat", "script")
        self.assertEqual((rulebook["compat"], script["compat"]), ("rulebook", "script"))
        self.assertIn("DEVICE_IDLE_GAP_HEAVY", rulebook["steps"][3]["tags"])
        self.assertIn("INTERNAL_BUBBLE_HEAVY", script["steps"][3]["tags"])
        self.assertNotIn("DEVICE_IDLE_GAP_HEAVY", script["steps"][3]["tags"])


class FailOn(AnomaliesTestCase):
    def test_ends_with_1_from_the_priority_on(self):
        trace = self.stalls()
        done = self.run_lockstep("anomalies", trace, "--fail-on", "P0")
        self.assertEqual(done.returncode, 1)
        self.assertIn("lockstep: something of priority P0 or higher was found",
                      done.stderr.decode())
        self.assertIn("Findings", done.stdout.decode())
        self.assertEqual(self.run_lockstep("anomalies", trace, "--fail-on", "P3").returncode, 1)

    def test_ends_well_where_nothing_is_found(self):
        self.succeed("anomalies", self.stalls(stalls={}), "--fail-on", "P3")

    def test_a_loss_comes_first(self):
        trace = self.write("cut.json", stall_trace()[:-400])
        done = self.run_lockstep("anomalies", trace, "--strict", "--fail-on", "P3")
        self.assertEqual(done.returncode, 3)


class Text(AnomaliesTestCase):
    def test_says_the_answers_first(self):
        text = self.succeed("anomalies", self.stalls())
        places = [text.index(part) for part in
                  ["\nDevice 0: 6 marked steps, 48 kernels; busy 9.600 ms",
                   "  1.  Are there significant device idle bubbles? Yes", "\nFindings\n  P0  ",
                   "\nBubbles (1 of ", "\nWhere the time of ", "\nOperators by total cost",
                   "\nWhat may be behind it", "\nWhat to do\n", "\nEvidence that the traces lack"]]
        self.assertEqual(places, sorted(places))

    def test_draws_the_stall_between_its_kernels(self):
        text = self.succeed("anomalies", self.stalls())
        self.assertRegex(text, r"\n  stream 7 │[ █▓]+│ +│[ █▓]+│\n")
        self.assertRegex(text, r"\n  host +│.*│s{30,}r│.*│\n")
        self.assertIn("\n  before  200.000 us, kernel, stream 7: flash_fwd_kernel\n", text)
        self.assertIn("\n  after   200.000 us, kernel, stream 7: out_gemm\n", text)

    def test_lines_fit_the_terminal(self):
        for columns in ("80", "100", "160"):
            text = self.succeed("anomalies", ROOT / "examples/llama_eager.json.gz",
                                env={"COLUMNS": columns})
            longest = max(map(len, text.splitlines()[1:]))
            self.assertLessEqual(longest, int(columns))

    def test_a_typical_trace_is_not_much_more_than_a_screen(self):
        for trace in [self.stalls(), ROOT / "examples/llama_eager.json.gz"]:
            self.assertLessEqual(self.succeed("anomalies", trace).count("\n"), 130)

    def test_bubbles_widen_it(self):
        trace = self.stalls()
        self.assertEqual(self.succeed("anomalies", trace).count("\n  host "), 1)
        self.assertEqual(self.succeed("anomalies", trace, "--bubbles", "4").count("\n  host "), 4)


    def test_of_several_ranks_the_most_urgent_one_is_told(self):
        calm = self.stalls("rank0.json", stalls={}, steps=8)
        late = self.stalls("rank1.json", stalls={2: 5000})
        text = self.succeed("anomalies", calm, late)
        self.assertRegex(text, r"\n {5}rank 0, device 0 .* 0  -\n {2}\*  rank 1, device 0 .* 1  P0\n")
        self.assertIn("\nRank 1, device 0: 6 marked steps", text)
        self.assertIn("\n  P0  Rank 1, device 0: ProfilerStep#2 stalls", text)


if __name__ == "__main__":
    main()

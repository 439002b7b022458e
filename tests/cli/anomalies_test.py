"""`lockstep anomalies` from outside: what it prints and writes, and every sentence for what it cannot do."""

import json
import re
from pathlib import Path

import schema_check
from cli_test_case import CliTestCase, complete, kineto, launch, main, small_events
from loop_trace import host_only_trace, loop_trace, request_trace
from stall_trace import KERNELS, stall_events, stall_trace

ROOT = Path(__file__).parents[2]
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


class AnomaliesTestCase(CliTestCase):
    def stalls(self, name="stalls.json", **options):
        return self.write(name, stall_trace(**options))

    def anomalies(self, *arguments, **options):
        document = json.loads(self.succeed("anomalies", "--json", *arguments, **options))
        return document["anomaly_discovery"]


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


class Markdown(AnomaliesTestCase):
    def test_is_written_beside_the_text(self):
        out = self.folder / "report.md"
        text = self.succeed("anomalies", self.stalls(), "--markdown", out)
        self.assertTrue(text.endswith(f"\nwrote {out}\n"), text)
        report = out.read_text("utf-8")
        self.assertTrue(report.startswith("# Where the device idles\n"))
        self.assertEqual(report.count("\n```\n") % 2, 0)
        self.assertIn("\n| 3 | ProfilerStep\\#4 | g0 |", report)
        self.assertIn("\n## Thresholds (rulebook)\n", report)

    def test_every_table_has_as_many_cells_in_each_row(self):
        out = self.folder / "report.md"
        self.succeed("anomalies", ROOT / "examples/llama_eager.json.gz", "--markdown", out)
        tables = re.findall(r"(?:^\|.*\|\n)+", out.read_text("utf-8"), re.MULTILINE)
        self.assertGreater(len(tables), 4)
        for table in tables:
            cells = {len(re.findall(r"(?<!\\)\|", line)) for line in table.splitlines()}
            self.assertEqual(len(cells), 1, table)

    def test_json_stays_alone_on_standard_output(self):
        out = self.folder / "report.md"
        json.loads(self.succeed("anomalies", "--json", self.stalls(), "--markdown", out))
        self.assertTrue(out.exists())


class Annotate(AnomaliesTestCase):
    def annotated(self, trace, *options):
        out = self.folder / "out.pftrace"
        text = self.succeed("anomalies", trace, "--annotate", out, *options)
        return out, text

    def test_tracks_hold_steps_bubbles_and_tags(self):
        trace = self.stalls()
        out, text = self.annotated(trace)
        found = self.anomalies(trace, "--bubbles", "all")
        annotations = (len(found["steps"]) + len(found["bubble_windows"]) +
                       sum(1 for step in found["steps"] if step["tags"]))
        self.assertRegex(text, rf"\nwrote {re.escape(str(out))}: [0-9,]+ events and "
                               rf"{annotations} annotations\n$")
        self.succeed("convert", out, "-o", self.folder / "back.json")
        names = {event.get("name") for event in
                 json.loads((self.folder / "back.json").read_text())["traceEvents"]}
        self.assertIn("step 3: ProfilerStep#4", names)
        self.assertIn("step_internal 5.005 ms: possible_sync_or_h2d", names)
        self.assertTrue(any("STEP_OUTLIER" in str(name) for name in names))

    def test_reading_it_again_gives_the_same_answer(self):
        for trace in [self.stalls(), self.write("loop.json", loop_trace()),
                      ROOT / "examples/llama_eager.json.gz"]:
            with self.subTest(trace=trace.name):
                out, _ = self.annotated(trace)
                before, after = (self.anomalies(path) for path in (trace, out))
                for one in (before, after):
                    for device in one["devices"]:
                        device.pop("input")
                    # How to record again depends on what wrote the file.
                    del one["recommendations"], one["evidence_gaps"]
                self.assertEqual(before["steps"], after["steps"])
                self.assertEqual(before, after)

    def test_kernels_and_busy_time_stay(self):
        trace = self.stalls()
        out, _ = self.annotated(trace)
        first, second = (self.info(path) for path in (trace, out))
        for key in ("kernels", "device_busy_ns", "steps"):
            self.assertEqual(first[key], second[key])


class Errors(AnomaliesTestCase):
    def test_words_that_make_no_sense(self):
        trace = self.stalls()
        for sentence, *arguments in [
            ("anomalies needs a trace. Try 'lockstep anomalies --help'",),
            ("no threshold 'heavy_gap'; did you mean 'heavy_gap_us'? Known are heavy_gap_us, "
             "heavy_gap_share,", trace, "--threshold", "heavy_gap=1"),
            ("--threshold 'heavy_gap_us' has no value. Give it as NAME=VALUE", trace,
             "--threshold", "heavy_gap_us"),
            ("the threshold heavy_gap_us cannot be 'much'. Give a number from 0 on, like 1000",
             trace, "--threshold", "heavy_gap_us=much"),
            ("the threshold label_sync cannot be '-1'", trace, "--threshold", "label_sync=-1"),
            ("the threshold label_sync cannot be 'nan'", trace, "--threshold", "label_sync=nan"),
            ("the threshold label_sync cannot be ''", trace, "--threshold", "label_sync="),
            ("--compat 'skript' is not known; did you mean 'script'?", trace, "--compat",
             "skript"),
            ("--fail-on 'P4' is no priority. Give P0 (most urgent), P1, P2 or P3", trace,
             "--fail-on", "P4"),
            ("--bubbles 'some' is no number. Give a whole number, or all", trace, "--bubbles",
             "some"),
            ("--bubbles '-1' is no number", trace, "--bubbles=-1"),
            ("--annotate writes Perfetto, and the name 'x.json' does not say so", trace,
             "--annotate", "x.json"),
            ("--markdown cannot go to standard output", trace, "--markdown", "-"),
            ("the output '", trace, "--markdown", trace),
        ]:
            with self.subTest(sentence=sentence):
                self.fails_with(2, sentence, "anomalies", *arguments)

    def test_two_outputs_need_two_names(self):
        out = self.folder / "x.pftrace"
        self.fails_with(2, "--markdown and --annotate name the same file", "anomalies",
                        self.stalls(), "--markdown", out, "--annotate", out)

    def test_inputs_without_kernels(self):
        trace = self.write("host.json", host_only_trace())
        self.fails_with(3, "host.json: holds no kernels. 'lockstep info' tells what is there",
                        "anomalies", trace)
        other = self.write("other.json", host_only_trace())
        self.fails_with(3, "the inputs: hold no kernels", "anomalies", trace, other)

    def test_a_selection_without_kernels(self):
        trace = self.write("gap.json", kineto(
            small_events() + [complete("cpu_op", "aten::late", 100, 100, 9000, 5)]))
        self.fails_with(2, "the selection holds no kernel of the trace", "anomalies", trace,
                        "--slice", "7ms..8.5ms")

    def test_outputs_that_cannot_be_written_are_told_before_reading(self):
        self.fails_with(3, "", "anomalies", self.stalls(), "--markdown",
                        self.folder / "missing/report.md")
        self.assertEqual(self.names_in_folder(), ["stalls.json"])

    def test_nothing_is_left_behind_where_reading_fails(self):
        self.fails_with(3, "", "anomalies", self.folder / "none.json", "--markdown",
                        self.folder / "report.md")
        self.assertEqual(self.names_in_folder(), [])


if __name__ == "__main__":
    main()

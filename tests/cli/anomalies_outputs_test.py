"""What `lockstep anomalies` writes beside the report, and every sentence for what it cannot do."""

import json
import re

from anomalies_case import ROOT, AnomaliesTestCase
from cli_test_case import complete, kineto, main, small_events
from loop_trace import host_only_trace, loop_trace


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

    def test_one_event_is_not_several(self):
        trace = self.write("one.json", kineto([complete("kernel", "gemm", 0, 7, 10, 5, device=0, stream=7)]))
        out, text = self.annotated(trace)
        self.assertIn(f"\nwrote {out}: 1 event and 1 annotation\n", text)

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

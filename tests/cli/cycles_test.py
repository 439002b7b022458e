"""`lockstep cycles` from outside: what it prints and writes."""

import json
import os
import zipfile
from pathlib import Path

import schema_check
import workbook
from cli_test_case import complete, kineto, launch, main
from cycles_case import CyclesTestCase
from loop_trace import KERNELS, loop_events, loop_trace

SCHEMA = Path(__file__).parents[2] / "docs/reference/cycles.schema.json"


class Document(CyclesTestCase):
    def test_loop_is_found_and_measured(self):
        document = self.cycles(self.loop())
        stream = document["streams"][0]
        self.assertEqual((stream["device"], stream["stream"], stream["kernels"]), ("0", "7", 49))
        loop = self.only_loop(self.loop())
        self.assertEqual((loop["start"], loop["end"], loop["period"]), (1, 49, 8))
        self.assertEqual((loop["complete"], loop["repetitions"], loop["slack"]), (6, 6.0, 0))
        self.assertEqual([position["name"] for position in loop["positions"]], KERNELS)
        self.assertEqual(loop["iterations"][0]["wall_ns"], 200_000)
        self.assertEqual(loop["exact"], True)

    def test_documents_match_the_schema(self):
        schema = json.loads(SCHEMA.read_text())
        traces = [self.loop(), self.small_trace(),
                  self.loop("long.json", kernels=[*KERNELS, *"abcd"]),
                  self.write("two.json", kineto(loop_events() + loop_events(stream=20)))]
        for trace in traces:
            for options in [(), ("--method", "anchor"), ("--mode", "decode"),
                            ("--symbol", "role")]:
                with self.subTest(trace=trace.name, options=options):
                    document = self.cycles(trace, *options)
                    self.assertEqual(list(schema_check.faults(document, schema)), [])

    def test_the_schema_refuses_a_wrong_document(self):
        schema = json.loads(SCHEMA.read_text())
        document = self.cycles(self.loop())
        document["streams"][0]["loops"][0]["period"] = 0
        document["streams"][0]["loops"][0]["coverage"] = "all"
        self.assertEqual(len(list(schema_check.faults(document, schema))), 2)

    def test_same_input_gives_the_same_bytes(self):
        trace = self.loop()
        self.assertEqual(self.succeed("cycles", "--json", trace),
                         self.succeed("cycles", "--json", trace))

    def test_order_in_the_file_does_not_matter(self):
        events = loop_events()
        # The first event with a time stays: it is the zero of the trace.
        shuffled = kineto(events[:2] + events[:1:-1])
        first, second = (self.cycles(self.write("t.json", text))["streams"]
                         for text in (kineto(events), shuffled))
        self.assertEqual(first, second)

    def test_parameters_are_echoed(self):
        trace = self.loop()
        parameters = self.cycles(trace, "--mode", "decode", "--symbol", "name", "--pass-tolerance",
                                 "2.5", "--layer-tolerance=10")["parameters"]
        self.assertEqual((parameters["mode"], parameters["symbol"]), ("decode", "name"))
        self.assertEqual((parameters["pass_tolerance"], parameters["layer_tolerance"]),
                         (0.025, 0.1))
        parameters = self.cycles(
            trace, "--method", "anchor", "--anchor-min-count", "3", "--anchor-max-share", "50",
            "--anchor-min-length", "8", "--anchor-gap-tolerance", "1", "--anchor-match", "90",
            "--anchor-min-repetitions", "6", "--anchor-min-outer", "9", "--anchor-min-sub-length",
            "4", "--anchor-min-sub-count", "7", "--anchor-sub-gap-tolerance", "2",
            "--anchor-sub-match", "70", "--anchor-min-sub-pairs", "1")["parameters"]
        self.assertEqual([value for key, value in parameters.items() if key.startswith("anchor")],
                         [3, 0.5, 8, 0.01, 0.9, 6, 9, 4, 7, 0.02, 0.7, 1])

    def test_every_threshold_of_the_anchor_method_is_obeyed(self):
        # Cycles of a kernel and five layers, the third with two kernels more.
        layer = ["norm_kernel", "qkv_gemm", "flash_fwd_kernel", "out_gemm", "silu_kernel"]
        odd = [*layer, "x_kernel", "y_kernel"]
        trace = self.loop(duration_us=5,
                          kernels=["embed", *layer, *layer, *odd, *layer, *layer])

        def periods(*options):
            loops = self.cycles(trace, "--method", "anchor", *options)["streams"][0]["loops"]
            return [loop["period"] for loop in loops]

        self.assertEqual(periods("--anchor-min-length", "28"), [28])
        self.assertEqual(periods("--anchor-min-length", "29"), [])
        self.assertEqual(periods("--anchor-min-repetitions", "6"), [28])
        self.assertEqual(periods("--anchor-min-repetitions", "7"), [])
        lax = ["--anchor-sub-match", "20"]
        self.assertEqual(periods(*lax), [28])
        lax += ["--anchor-sub-gap-tolerance", "40"]
        self.assertEqual(periods(*lax), [28, 5])
        self.assertEqual(periods(*lax, "--anchor-min-sub-count", "5"), [28, 5])
        self.assertEqual(periods(*lax, "--anchor-min-sub-count", "6"), [28])
        self.assertEqual(periods(*lax, "--anchor-min-sub-pairs", "4"), [28, 5])
        self.assertEqual(periods(*lax, "--anchor-min-sub-pairs", "5"), [28])

    def test_patterns_are_listed_by_the_anchor_method(self):
        # Two loops, one after the other, the later one with more repetitions.
        first = [f"early{i}_kernel" for i in range(10)]
        second = [f"late{i}_kernel" for i in range(12)]
        trace = self.write("two.json", kineto(
            loop_events(kernels=first) + loop_events(passes=9, kernels=second, first_us=9000)))
        for mode, anchor, length, repetitions in [("prefill", "early1_kernel", 10, 5),
                                                  ("decode", "late11_kernel", 12, 8),
                                                  ("auto", "late0_kernel", 12, 9)]:
            with self.subTest(mode=mode):
                stream = self.cycles(trace, "--method", "anchor", "--mode", mode)["streams"][0]
                self.assertEqual(len(stream["patterns"]), 22)
                centres = [pattern["centre"] for pattern in stream["patterns"]]
                self.assertEqual(centres, sorted(centres))
                (pattern,) = [one for one in stream["patterns"] if one["selected"]]
                self.assertEqual((pattern["anchor"], pattern["length"], pattern["repetitions"]),
                                 (anchor, length, repetitions))
                self.assertEqual((stream["loops"][0]["period"], stream["loops"][0]["complete"]),
                                 (length, repetitions))
                text = self.succeed("cycles", trace, "--method", "anchor", "--mode", mode)
                self.assertRegex(text, rf"\n  \* +{length} +{repetitions} .* {anchor}\n")
                self.assertIn("\n  10 patterns are hidden; --all shows them\n", text)
        self.assertEqual(self.cycles(trace)["streams"][0]["patterns"], [])
        self.assertNotIn("Patterns", self.succeed("cycles", trace))

    def test_pipe_is_read(self):
        text = self.succeed("cycles", "-", input=loop_trace().encode())
        self.assertTrue(text.startswith("standard input  kineto"), text)


class Text(CyclesTestCase):
    def test_loop_phases_and_positions_are_shown(self):
        text = self.succeed("cycles", self.loop())
        self.assertIn("\nStream 7 of device 0: 49 kernels\n", text)
        self.assertIn("6 x 8", text)
        self.assertIn("  98.0 % of the kernels are in loops; outside: 1 at kernel 0\n", text)
        self.assertIn("\nPhases\n", text)
        self.assertIn(": 8 of 8, 100.0 % of its kernel time", text)
        self.assertIn("flash_fwd_kernel", text)

    def test_roles_of_an_iteration_add_up_to_its_wall(self):
        document = json.loads(self.succeed("cycles", self.loop(), "--json"))
        for loop in document["streams"][0]["loops"]:
            times = loop["breakdown"]
            self.assertEqual(sum(role["ns"] for role in times["roles"]), times["wall_ns"])
            self.assertEqual(times["wall_ns"], sum(
                one["wall_ns"] for one in loop["iterations"]) // times["iterations"])

    def test_top_limits_the_positions(self):
        self.assertIn(": 3 of 8, ", self.succeed("cycles", self.loop(), "--top", "3"))
        self.assertIn(": 8 of 8, ", self.succeed("cycles", self.loop(), "--top=0"))

    def test_width_is_kept(self):
        trace = self.loop(kernels=["x" * 200 + name for name in KERNELS])
        for columns in (60, 100):
            text = self.succeed("cycles", trace, env={**os.environ, "COLUMNS": str(columns)})
            for line in text.splitlines()[1:]:
                self.assertLessEqual(len(line), columns, line)

    def test_stream_without_a_loop_says_so(self):
        text = self.succeed("cycles", self.small_trace())
        self.assertIn(": 1 kernel\n  no loop: too few kernels\n", text)

    def test_one_kernel_only(self):
        trace = self.write("one.json", kineto(launch(1, "gemm", 1, 10, 5)))
        self.assertIn(": 1 kernel\n  no loop: too few kernels\n", self.succeed("cycles", trace))

    def test_many_streams_are_cut_short(self):
        events = loop_events()
        for stream in range(100, 160):
            events += launch(stream, "lonely", 1, 10, 5, stream)
        trace = self.write("many.json", kineto(events))
        text = self.succeed("cycles", trace)
        self.assertIn("\nand 57 streams with 57 kernels; --all shows them\n", text)
        self.assertIn("Stream 159 ", self.succeed("cycles", trace, "--all"))
        self.assertEqual(len(self.cycles(trace)["streams"]), 61)


class Limits(CyclesTestCase):
    SENTENCE = ("only the 1,024 of 1,100 names of annotations that last longest were asked where "
                "loops begin: there are too many")

    def annotated(self, names):
        """A loop, and so many annotations of two windows whose names differ by letters."""
        events = loop_events()
        for i in range(names):
            name = "".join(chr(ord("a") + i // 26**place % 26) for place in range(3))
            events += [complete("user_annotation", name, 100, 100, 1000 + i, 1) for _ in range(2)]
        return self.write(f"{names}.json", kineto(events))

    def test_annotations_that_are_not_asked_are_told(self):
        done = self.run_lockstep("cycles", "--json", self.annotated(1100))
        self.assertEqual((done.returncode, done.stderr.decode()),
                         (0, f"lockstep: {self.SENTENCE}\n"))
        document = json.loads(done.stdout)
        self.assertEqual((document["mark_classes"], document["asked_mark_classes"]), (1100, 1024))
        schema = json.loads(SCHEMA.read_text())
        self.assertEqual(list(schema_check.faults(document, schema)), [])

    def test_nothing_is_told_of_those_that_all_are_asked(self):
        self.assertNotIn("mark_classes", self.cycles(self.annotated(1024)))

    def test_compare_and_anomalies_tell_it_too(self):
        many = self.annotated(1100)
        done = self.run_lockstep("compare", many, self.loop())
        self.assertEqual((done.returncode, done.stderr.decode()),
                         (0, f"lockstep: {many}: {self.SENTENCE}\n"))
        report = json.loads(self.succeed("anomalies", "--json", many))
        self.assertIn("O" + self.SENTENCE[1:] + ".",
                      report["anomaly_discovery"]["evidence_gaps"])


class OddTraces(CyclesTestCase):
    """None of them is an error."""

    def loops(self, events):
        stream = self.cycles(self.write("odd.json", kineto(events)))["streams"][0]
        return [(loop["start"], loop["period"], loop["complete"]) for loop in stream["loops"]]

    def test_one_name_only(self):
        events = []
        for i in range(50):
            events += launch(i + 1, "same", 1 + i, 100 + 10 * i, 5)
        self.loops(events)
        self.succeed("cycles", self.folder / "odd.json")

    def test_kernels_without_duration(self):
        events = []
        for i in range(40):
            events += launch(i + 1, f"k{i % 8}", 1 + i, 100 + 10 * (i // 2), 0)
        self.loops(events)
        self.succeed("cycles", self.folder / "odd.json")

    def test_kernels_that_overlap(self):
        events = loop_events(gap_us=-3)
        self.assertIn((1, 8, 6), self.loops(events))

    def test_trace_cut_in_an_iteration(self):
        events = loop_events()
        del events[-3 * 4:]
        loops = self.loops(events)
        self.assertIn((1, 8, 5), loops)


class OtherOutputs(CyclesTestCase):
    def test_csv_files_have_the_known_columns(self):
        folder = self.folder / "csv"
        text = self.succeed("cycles", self.loop(), "--csv", folder)
        self.assertIn(f"wrote {folder}: 1 file\n", text)
        (file,) = folder.iterdir()
        self.assertRegex(file.name, r"^cycle_[0-9]+_[a-z]+\.csv$")
        lines = file.read_text().splitlines()
        self.assertEqual(lines[:3], ["# Cycle Statistics", "# Iterations,6",
                                     "# Kernels per cycle,8"])
        self.assertEqual(lines[6], "index,kernel_name,avg_duration_us,min_duration_us,"
                                   "max_duration_us,stddev_us,count,pct_of_cycle")
        self.assertEqual([line.split(",")[1] for line in lines[7:]], KERNELS)
        # Once more, into a folder that is there.
        self.succeed("cycles", self.loop(), "--csv", folder)

    def test_workbook_is_whole_and_the_same_every_time(self):
        first, second = self.folder / "a.xlsx", self.folder / "b.xlsx"
        text = self.succeed("cycles", self.loop(), "--xlsx", first)
        self.assertIn(f"wrote {first}: 3 sheets\n", text)
        self.succeed("cycles", self.loop(), "--xlsx", second, "--json")
        self.assertEqual(first.read_bytes(), second.read_bytes())
        with zipfile.ZipFile(first) as book:
            self.assertIsNone(book.testzip())
            names = book.read("xl/workbook.xml").decode()
            self.assertIn('name="Loops"', names)
            self.assertIn('name="Phases"', names)
            sheet = book.read("xl/worksheets/sheet1.xml").decode()
            self.assertIn("<autoFilter", sheet)
            self.assertIn('state="frozen"', sheet)

    def test_workbook_says_what_the_document_says(self):
        book = self.folder / "a.xlsx"
        (stream,) = self.cycles(self.loop(), "--xlsx", book)["streams"]
        (loop,) = stream["loops"]
        sheets = workbook.sheets(book)
        self.assertEqual(list(sheets)[:2], ["Loops", "Phases"])
        (row,) = workbook.table(sheets["Loops"])
        self.assertEqual([row[title] for title in ("Device", "Stream", "Id", "Iterations", "Kernels", "First kernel")],
                         ["0", "7", loop["id"], loop["complete"], loop["period"], loop["start"]])
        self.assertEqual([row[title] for title in ("Wall p50 (us)", "Wall max (us)", "Busy p50 (us)")],
                         [loop["wall_ns"]["p50"] / 1e3, loop["wall_ns"]["max"] / 1e3, loop["busy_ns"]["p50"] / 1e3])
        phases = workbook.table(sheets["Phases"])
        self.assertEqual([(phase["Phase"], phase["First kernel"], phase["Wall (us)"]) for phase in phases],
                         [(phase["phase"], phase["start"], phase["wall_ns"] / 1e3) for phase in stream["phases"]])
        body = workbook.table(list(sheets.values())[2])
        self.assertEqual([row["Kernel"] for row in body], KERNELS)
        self.assertEqual([int(row["Avg (us)"] * 1e3) for row in body], [p["mean_ns"] for p in loop["positions"]])
        self.assertEqual({row["Count"] for row in body}, {loop["complete"]})

    def test_annotated_trace_has_the_same_kernels(self):
        trace = self.loop()
        before = self.info(trace)
        for name in ("out.pftrace", "out.pftrace.gz", "out.pb.zst"):
            with self.subTest(name=name):
                out = self.folder / name
                text = self.succeed("cycles", trace, "--annotate", out)
                self.assertRegex(text, rf"wrote {out}: [0-9]+ events and [0-9]+ annotations\n")
                after = self.info(out)
                for key in ("kernels", "device_busy_ns", "flows", "span_ns", "annotations",
                            "steps", "host_events", "host_threads"):
                    self.assertEqual(after[key], before[key], key)
                self.assertGreater(after["by_kind"]["annotation"],
                                   before["by_kind"].get("annotation", 0))

    def test_annotated_trace_has_the_same_loops(self):
        out = self.folder / "out.pftrace"
        self.succeed("cycles", self.loop(), "--annotate", out)
        (before,), (after,) = self.cycles(self.loop())["streams"], self.cycles(out)["streams"]
        self.assertEqual(before.pop("input"), str(self.folder / "loop.json"))
        self.assertEqual(after.pop("input"), str(out))
        self.assertEqual(after, before)

    def test_json_stands_alone_on_standard_output(self):
        self.cycles(self.loop(), "--csv", self.folder / "csv", "--xlsx", self.folder / "a.xlsx",
                    "--annotate", self.folder / "a.pftrace")
        self.assertEqual(self.names_in_folder(), ["a.pftrace", "a.xlsx", "csv", "loop.json"])

    def test_part_of_a_trace(self):
        two = self.write("two.json", kineto(loop_events() + loop_events(stream=20)))
        self.assertEqual(len(self.cycles(two)["streams"]), 2)
        part = self.cycles(self.loop(), "--slice", "0us..700us")["streams"][0]
        self.assertLess(part["kernels"], 49)
        self.fails_with(2, "no device '9'", "cycles", two, "--devices", "9")
        self.fails_with(2, "the selection holds no event", "cycles", two, "--slice", "5s..6s")
        self.fails_with(2, "the selection holds no kernel", "cycles", two, "--slice", "0us..5us")


if __name__ == "__main__":
    main()

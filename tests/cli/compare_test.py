"""`lockstep compare` from outside: sums that reconcile, noise, exit codes, and every sentence."""

import csv
import io
import json
import signal
import subprocess
import time
import zipfile
from pathlib import Path

import schema_check
import workbook
from cli_test_case import PROGRAM, CliTestCase, main
from loop_trace import KERNELS, host_only_trace, loop_trace, request_trace

SCHEMA = Path(__file__).parents[2] / "docs/reference/compare.schema.json"
PASSES = 20  # enough of a sample
SLOW = {"flash_fwd_kernel": 40}


class CompareTestCase(CliTestCase):
    def setUp(self):
        super().setUp()
        self.a = self.write("a.json", loop_trace(passes=PASSES))
        self.b = self.write("b.json", loop_trace(passes=PASSES, slow=SLOW))

    def compare(self, *arguments):
        return json.loads(self.succeed("compare", "--json", *arguments))

    def loop_pair(self, document):
        """The pair of the two loops."""
        (pair,) = [pair for pair in document["pairs"]
                   if pair["a"] and pair["b"] and pair["a"]["iterations"] >= PASSES - 1]
        return pair

    def slower(self, factor=1.5):
        """The same loop, iterations and all, stretched in time."""
        document = json.loads(loop_trace(passes=PASSES))
        for event in document["traceEvents"]:
            for key in ("ts", "dur"):
                if key in event:
                    event[key] *= factor
        return self.write("slower.json", json.dumps(document))


class Document(CompareTestCase):
    def test_the_kernel_that_changed_is_found(self):
        pair = self.loop_pair(self.compare(self.a, self.b))
        self.assertEqual(pair["kind"], "loop")
        rows = {row["a"][0]["name"]: row for row in pair["rows"] if row["a"]}
        self.assertEqual(sorted(rows), sorted(KERNELS))
        slow = rows["flash_fwd_kernel"]
        self.assertEqual(slow["kind"], "same")
        self.assertTrue(slow["significant"])
        self.assertAlmostEqual(slow["delta_ns"], 30_000, delta=300)
        self.assertFalse(rows["qkv_gemm"]["significant"])

    def test_rows_add_up_to_the_nanosecond(self):
        for a, b in [(self.a, self.b), (self.b, self.a), (self.a, self.slower())]:
            document = self.compare(a, b)
            total = 0
            for pair in document["pairs"]:
                if not (pair["a"] and pair["b"]):
                    continue
                self.assertEqual(sum(row["delta_ns"] for row in pair["rows"]), pair["delta_ns"])
                self.assertEqual(sum(row["mean_ns_a"] for row in pair["rows"]), pair["wall_ns_a"])
                self.assertEqual(sum(row["mean_ns_b"] for row in pair["rows"]), pair["wall_ns_b"])
                if pair["same_work"] and not pair["inside"]:
                    total += pair["delta_ns"] * pair["a"]["iterations"]
            self.assertEqual(total, document["total_delta_ns"])

    def test_a_trace_does_not_differ_from_itself(self):
        document = self.compare(self.a, self.write("copy.json", self.a.read_bytes()))
        self.assertEqual(document["total_delta_ns"], 0)
        self.assertEqual(document["rows_significant"], 0)
        for pair in document["pairs"]:
            self.assertEqual(pair["delta_ns"], 0)
        self.compare(self.a, self.a)  # the same file twice is a question, too

    def test_documents_match_the_schema(self):
        schema = json.loads(SCHEMA.read_text())
        for arguments in [(self.a, self.b), (self.a, self.small_trace()), (self.a, self.a),
                          (self.a, self.b, "--mode", "decode", "--fail-on-regression", "50")]:
            with self.subTest(arguments=arguments):
                document = json.loads(self.run_lockstep("compare", "--json", *arguments).stdout)
                self.assertEqual(list(schema_check.faults(document, schema)), [])

    def test_where_all_is_other_work_nothing_is_comparable(self):
        other = self.run_lockstep("compare", "--json", self.a, self.small_trace())
        self.assertEqual((other.returncode, other.stderr.decode()),
                         (3, "lockstep: nothing comparable: no pair of A and B does the same work\n"))
        document = json.loads(other.stdout)
        self.assertEqual({pair["same_work"] for pair in document["pairs"] if pair["a"] and pair["b"]}, {False})
        self.assertEqual((document["total_ns_a"], document["rows_tested"]), (0, 0))
        self.assertEqual(document["unmatched_percent_a"], 100)

    def test_same_inputs_give_the_same_bytes(self):
        self.assertEqual(*(self.succeed("compare", "--json", self.a, self.b) for _ in range(2)))

    def test_parameters_are_echoed(self):
        parameters = self.compare(self.a, self.b, "--min-similarity", "30", "--min-change", "2",
                                  "--false-discovery-rate", "1", "--min-difference", "1.5us",
                                  "--pass-tolerance", "10")["parameters"]
        self.assertEqual([parameters[key] for key in (
            "min_similarity", "min_change", "false_discovery_rate", "min_difference_ns",
            "pass_tolerance", "fail_on_regression_percent")],
            [0.3, 0.02, 0.01, 1500, 0.1, None])


class Text(CompareTestCase):
    def test_headline_rows_and_total_are_shown(self):
        text = self.succeed("compare", self.a, self.b)
        self.assertIn(f"A  {self.a}  kineto", text)
        self.assertIn(f"B  {self.b}  kineto", text)
        self.assertIn("\nTotal: ", text)
        self.assertRegex(text, r"\n  \*  \+30\.[0-9]{3} us +\+29[0-9]\.[0-9] % .* flash_fwd_kernel\n")
        self.assertIn("idle: no kernel of the stream runs", text)

    def test_top_limits_the_rows(self):
        self.assertIn("--top 0 shows all", self.succeed("compare", self.a, self.b, "--top", "2"))
        text = self.succeed("compare", self.a, self.b, "--top", "0")
        self.assertNotIn("--top 0 shows all", text)

    def test_pipe_is_read(self):
        text = self.succeed("compare", self.a, "-", input=self.b.read_bytes())
        self.assertIn("B  standard input  kineto", text)

    def test_traces_with_nothing_in_common(self):
        other = self.write("other.json", loop_trace(passes=PASSES, kernels=[
            f"unrelated_{word}" for word in "abcdefghijkl"], duration_us=3))
        done = self.run_lockstep("compare", self.a, other, "--min-similarity", "100")
        self.assertEqual(done.returncode, 3)
        self.assertIn("\nNothing of A was found in B.\n", done.stdout.decode())

    def test_phases_are_paired_on_request(self):
        a = self.write("prefill.json", request_trace(prefill_us=30))
        document = json.loads(self.succeed("compare", a, a, "--json", "--pair-phases"))
        self.assertTrue(document["parameters"]["pair_phases"])

    def test_roles_add_up_to_the_walls(self):
        document = json.loads(self.succeed("compare", self.a, self.b, "--json"))
        pairs = [pair for pair in document["pairs"] if pair["breakdown"]]
        self.assertTrue(pairs)
        for pair in pairs:
            for side in ("a", "b"):
                roles = sum(role[f"ns_{side}"] for role in pair["breakdown"]["roles"])
                self.assertEqual(roles, pair[f"wall_ns_{side}"])


class Mode(CompareTestCase):
    def setUp(self):
        super().setUp()
        self.a = self.write("a.json", request_trace())
        self.b = self.write("b.json", request_trace(prefill_us=40, slow={"silu_kernel": 15}))

    def test_a_single_prefill_is_compared(self):
        document = self.compare(self.a, self.b, "--mode", "prefill")
        (pair,) = document["pairs"]
        self.assertEqual([pair[side]["phase"] for side in "ab"], ["prefill", "prefill"])
        self.assertEqual([pair[side]["loop"] for side in "ab"], [None, None])
        self.assertEqual(pair["delta_ns"], 10_000 * pair["a"]["kernels"])
        self.assertEqual(document["total_delta_ns"], pair["delta_ns"])
        self.assertEqual(document["rows_tested"], 0)

    def test_only_the_loop_of_decodes_is_compared(self):
        (pair,) = self.compare(self.a, self.b, "--mode", "decode")["pairs"]
        self.assertEqual([pair[side]["phase"] for side in "ab"], ["decode", "decode"])
        self.assertEqual(pair["a"]["iterations"], 20)

    def test_a_trace_without_the_phase_is_refused(self):
        decodes = self.write("decodes.json", request_trace(prefill_us=None))
        for inputs in [(self.a, decodes), (decodes, self.a), (decodes, decodes)]:
            self.fails_with(3, "decodes.json: no prefill was found. 'lockstep cycles' tells",
                            "compare", *inputs, "--mode", "prefill", "--fail-on-regression", "5")

    def test_loops_of_no_phase_are_chosen_by_their_place(self):
        loops = self.write("loops.json", loop_trace(passes=PASSES))
        (pair,) = self.compare(loops, loops, "--mode", "prefill")["pairs"]
        self.assertEqual(pair["a"]["phase"], "unknown")


class OtherOutputs(CompareTestCase):
    def test_csv_table_has_every_row(self):
        document = self.compare(self.a, self.b)
        rows = sum(len(pair["rows"]) or 1 for pair in document["pairs"])
        out = self.folder / "out.csv"
        self.assertIn(f"wrote {out}\n", self.succeed("compare", self.a, self.b, "--csv", out))
        table = list(csv.DictReader(io.StringIO(out.read_text())))
        self.assertEqual(len(table), rows)
        self.assertNotIn(None, [value for row in table for value in row.values()])
        self.assertEqual(self.succeed("compare", self.a, self.b, "--csv", "-"), out.read_text())

    def test_workbook_is_whole_and_the_same_every_time(self):
        first, second = self.folder / "1.xlsx", self.folder / "2.xlsx"
        self.succeed("compare", self.a, self.b, "--xlsx", first)
        self.succeed("compare", self.a, self.b, "--xlsx", second)
        self.assertEqual(first.read_bytes(), second.read_bytes())
        with zipfile.ZipFile(first) as book:
            self.assertIsNone(book.testzip())
            self.assertIn('name="Summary"', book.read("xl/workbook.xml").decode())
            styles = book.read("xl/styles.xml").decode()
            self.assertIn("FFE2EFDA", styles)  # same
            self.assertIn("FFFF0000", styles)  # slower
            self.assertIn("Baseline Kernel", book.read("xl/sharedStrings.xml").decode())

    def test_workbook_says_what_the_document_says(self):
        book = self.folder / "a.xlsx"
        document = self.compare(self.a, self.b, "--xlsx", book)
        sheets = workbook.sheets(book)
        self.assertEqual(list(sheets)[0], "Summary")
        summary = workbook.table(sheets["Summary"])
        pairs = document["pairs"]
        for number, (row, pair) in enumerate(zip(summary, pairs)):
            self.assertEqual([row[title] for title in ("Pair", "Base Wall (us)", "New Wall (us)", "Delta (us)")],
                             [number] + [pair[key] / 1e3 for key in ("wall_ns_a", "wall_ns_b", "delta_ns")])
        loops = self.loop_pair(document)
        (sheet,) = [rows for name, rows in sheets.items() if name.startswith(f"{pairs.index(loops)} ")]
        kernels = {row["Baseline Kernel"]: row for row in workbook.table(sheet)}
        self.assertEqual(list(kernels)[0], "TOTAL")
        self.assertEqual([name for name in kernels if name in KERNELS], list(dict.fromkeys(KERNELS)))
        (slow,) = SLOW
        self.assertGreater(kernels[slow]["New Avg (us)"], kernels[slow]["Base Avg (us)"])
        self.assertEqual(kernels[slow]["Match Type"], "exact")


class Regressions(CompareTestCase):
    def run_compare(self, *arguments):
        done = self.run_lockstep("compare", *arguments)
        return done.returncode, done.stderr.decode()

    def test_a_slower_loop_fails(self):
        code, message = self.run_compare(self.a, self.slower(), "--fail-on-regression", "10")
        self.assertEqual(code, 1, message)
        self.assertRegex(message, r"lockstep: the .* got slower by 50\.0 %: ")
        document = json.loads(self.run_lockstep("compare", self.a, self.slower(), "--json",
                                                "--fail-on-regression", "10").stdout)
        self.assertEqual(len(document["regressions"]), 1)

    def test_within_the_limit_or_faster_does_not_fail(self):
        slower = self.slower()
        self.assertEqual(self.run_compare(self.a, slower, "--fail-on-regression", "60"), (0, ""))
        self.assertEqual(self.run_compare(slower, self.a, "--fail-on-regression", "0"), (0, ""))
        self.assertEqual(self.run_compare(self.a, self.a, "--fail-on-regression", "0"), (0, ""))

    def test_a_limit_above_twice_as_long(self):
        self.assertEqual(self.run_compare(self.a, self.slower(4), "--fail-on-regression", "350"),
                         (0, ""))
        code, message = self.run_compare(self.a, self.slower(4), "--fail-on-regression", "150")
        self.assertEqual(code, 1)
        self.assertIn("got slower by 300.0 %", message)

    def test_nothing_in_common_is_no_pass(self):
        other = self.write("other.json", loop_trace(passes=PASSES, kernels=[
            f"unrelated_{word}" for word in "abcdefghijkl"], duration_us=3))
        arguments = (self.a, other, "--min-similarity", "100")
        answer = (3, "lockstep: nothing of A was found in B\n")
        self.assertEqual(self.run_compare(*arguments), answer)
        self.assertEqual(self.run_compare(*arguments, "--fail-on-regression", "5"), answer)

    def test_single_iterations_pass_but_not_silently(self):
        a = self.write("1.json", request_trace(prefill_us=30))
        b = self.write("2.json", request_trace(prefill_us=60))
        self.assertEqual(
            self.run_compare(a, b, "--mode", "prefill", "--fail-on-regression", "5"),
            (0, "lockstep: no pair has several iterations on both sides, so nothing can be called "
                "slower\n"))

    def test_without_the_option_nothing_fails(self):
        self.assertEqual(self.run_compare(self.a, self.slower()), (0, ""))


class Refused(CompareTestCase):
    def test_other_than_two_traces(self):
        self.fails_with(2, "compare needs two traces. Try", "compare")
        self.fails_with(2, "compare needs two traces, and only 'a.json' is given", "compare",
                        "a.json")
        self.fails_with(2, "compare takes two traces, and 3 are given. Ranks of one run lie in a "
                           "directory", "compare", "a", "b", "c")
        self.fails_with(2, "the name of an input is empty", "compare", self.a, "")
        self.fails_with(2, "- (standard input) can be given only once", "compare", "-", "-",
                        input=b"")

    def test_words_that_mean_nothing(self):
        for option, word, sentence in [
                ("--mode", "decod", "did you mean 'decode'?"),
                ("--top", "many", "'many' is not a whole number"),
                ("--fail-on-regression", "x", "'x' is not a percentage"),
                ("--fail-on-regression", "-1", "'-1' is not a percentage"),
                ("--fail-on-regression", "inf", "'inf' is not a percentage"),
                ("--fail-on-regression", "nan", "'nan' is not a percentage"),
                ("--min-similarity", "-1", "'-1' is not a percentage"),
                ("--false-discovery-rate", "200", "'200' is not a percentage"),
                ("--min-change", "", "--min-change needs a value"),
                ("--min-difference", "64", "--min-difference '64' is no time. Give one with"),
                ("--xlsx", "a.xls", "does not end in .xlsx"),
                ("--xlsx", "-", "--xlsx cannot go to standard output"),
                ("--csv", "", "--csv needs a value")]:
            with self.subTest(option=option, word=word):
                self.fails_with(2, sentence, "compare", self.a, self.b, f"{option}={word}")

    def test_two_documents_on_standard_output(self):
        self.fails_with(2, "--json and --csv - cannot be used together", "compare", self.a, self.b,
                        "--json", "--csv", "-")

    def test_trace_without_kernels(self):
        host = self.write("host.json", host_only_trace())
        for inputs in [(host, self.a), (self.a, host)]:
            self.fails_with(3, "host.json: holds no kernels", "compare", *inputs)

    def test_output_that_is_an_input(self):
        before = self.b.read_bytes()
        self.fails_with(2, "is an input", "compare", self.a, self.b, "--csv", self.b)
        self.assertEqual(self.b.read_bytes(), before)

    def test_two_outputs_that_are_one_file(self):
        book = self.folder / "o.xlsx"
        (self.folder / "link.csv").symlink_to(book)
        for name in (book, self.folder / "." / "o.xlsx", self.folder / "link.csv"):
            self.fails_with(2, "--csv and --xlsx name the same file", "compare", self.a, self.b,
                            "--csv", name, "--xlsx", book)
        self.assertFalse(book.exists())

    def test_outputs_that_cannot_be_written(self):
        for option, name in (("--csv", "a.csv"), ("--xlsx", "a.xlsx")):
            self.fails_with(3, "cannot be written", "compare", self.a, self.b, option,
                            self.folder / "nowhere" / name)
        folder = self.folder / "folder.xlsx"
        folder.mkdir()
        message = self.fails_with(3, "folder.xlsx: is a directory. Name a file", "compare", self.a,
                                  self.b, "--xlsx", folder)
        self.assertNotIn(" -o", message)

    def test_bad_input_leaves_the_old_outputs(self):
        old = self.write("out.csv", "precious")
        self.fails_with(3, "is empty", "compare", self.a, self.write("empty.json", ""), "--csv",
                        old)
        self.assertEqual(old.read_text(), "precious")

    def test_strict_wins_over_a_regression(self):
        done = self.run_lockstep("compare", "--strict", self.a, self.truncated_trace(),
                                 "--fail-on-regression", "0")
        self.assertEqual(done.returncode, 3)
        self.assertIn("lockstep: data loss: ", done.stderr.decode())

    def test_a_loss_names_the_trace_that_has_it(self):
        cut = self.truncated_trace()
        for pair in ((self.a, cut), (cut, self.a)):
            message = self.run_lockstep("compare", *pair).stderr.decode()
            self.assertIn(f" In {cut}.", message)
            self.assertNotIn(f" In {self.a}.", message)


class Interrupted(CompareTestCase):
    def test_closed_pipe_ends_it_quietly(self):
        with subprocess.Popen([PROGRAM, "compare", "--json", self.a, self.b],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
            run.stdout.read(10)
            run.stdout.close()
            self.assertEqual(run.stderr.read(), b"")
            self.assertIn(run.wait(timeout=60), (0, -signal.SIGPIPE))

    def test_signal_leaves_nothing(self):
        run = subprocess.Popen([PROGRAM, "compare", self.a, "-", "--csv", self.folder / "o.csv",
                                "--xlsx", self.folder / "o.xlsx"],
                               stdin=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(run.stderr.close)
        self.addCleanup(run.stdin.close)
        for _ in range(500):
            if len(self.names_in_folder()) == 4:
                break
            time.sleep(0.02)
        self.assertEqual(len(self.names_in_folder()), 4, "the outputs were not begun")
        run.send_signal(signal.SIGINT)
        self.assertEqual(run.wait(timeout=60), -signal.SIGINT)
        self.assertEqual(self.names_in_folder(), ["a.json", "b.json"])


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""No table has two equal rows: every trace of the corpus, at 100 columns, in info, cycles, anomalies and compare.
In tables of compare no two lines are called alike, whatever their times: also at 60 and 80 columns.

Usage: tables_test.py LOCKSTEP. The corpus is found by LOCKSTEP_CORPUS; without it the test says so
and is skipped (exit 77).
"""
import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

SKIPPED = 77
PROGRAM = None
FOLDER = None
# A folder with an entry of this kind is one trace; so is any file with one of these ends.
BUNDLES = ("ASCEND_PROFILER_OUTPUT", "kernel_details.csv")
ENDS = (".json", ".json.gz", ".sqlite", ".db", ".rpd", ".pb", ".pb.gz", ".chrome_trace")
PAIRS = (("h200/llama_eager.json.gz", "h200/llama_compiled.json.gz"),
         ("pairs/hta_trace_diff_control.json.gz", "pairs/hta_trace_diff_test.json.gz"),
         ("pairs/qwen1.5_0.5b_h100.json.gz", "pairs/qwen1.5_0.5b_mi300.json.gz"),
         ("pairs/bert_small_h100.json.gz", "pairs/bert_small_mi300.json.gz"),
         ("ranks/megatron_kineto_0.json.gz", "ranks/megatron_kineto_1.json.gz"))
# Cells of a row are two blanks apart.
ROW = re.compile(r"  +\S(?:.*\S)?  +\S")
# The titles of a table of compare; its lines go by what stands from here on. Kinds are left out where there is no room.
TITLES = re.compile(r" +delta .* kernel$")


def traces():
    for place, folders, files in os.walk(FOLDER):
        if any(entry in folders + files for entry in BUNDLES):
            folders.clear()
            yield Path(place)
            continue
        yield from (Path(place) / name for name in sorted(files) if name.endswith(ENDS))


def text_of(*arguments, columns=100):
    done = subprocess.run([PROGRAM, *map(str, arguments), "--quiet"], capture_output=True, text=True, check=False,
                          env={**os.environ, "COLUMNS": str(columns)})
    return done.stdout


def equal_rows(text):
    """Rows of one table that are equal: lines with cells, between lines without."""
    seen = set()
    name = 0  # where the name of a line begins
    for line in text.splitlines():
        if not ROW.match(line):
            seen.clear()
            name = 0
            continue
        if TITLES.match(line):
            name = line.rindex("kind" if " kind " in line else "kernel")
        if line[name:] in seen:
            yield line
        seen.add(line[name:])


class Tables(unittest.TestCase):
    def check(self, *arguments, columns=100):
        with self.subTest(arguments=arguments, columns=columns):
            text = text_of(*arguments, columns=columns)
            self.assertEqual(list(equal_rows(text)), [])
            return bool(text)

    def test_of_one_trace(self):
        read = 0
        for trace in traces():
            read += all([self.check(command, trace) for command in ("info", "cycles", "anomalies")])
        self.assertGreater(read, 40)

    def test_of_two_traces(self):
        for a, b in PAIRS:
            for columns in (60, 80, 100):
                self.assertTrue(self.check("compare", FOLDER / a, FOLDER / b, "--top", "40", columns=columns))

    def test_of_two_ranks_begins_with_what_passes_the_time(self):
        text = text_of("compare", FOLDER / "ranks/megatron_kineto_0.json.gz", FOLDER / "ranks/megatron_kineto_1.json.gz")
        self.assertLess(text.index("\nsegment: "), text.index("x 1 kernel ->"))

    def test_with_a_planted_pair_is_found(self):
        text = "Top\n  count  kernel\n      1  gemm\n      1  gemm\n\nTop\n      1  gemm\n"
        self.assertEqual(list(equal_rows(text)), ["      1  gemm"])

    def test_with_a_planted_name_of_two_lines_is_found(self):
        text = ("  delta  rows  kind     kernel\n   1 ns     1  similar  gem -> Cijk\n   2 ns     1  similar  gem -> Cijk\n"
                "   3 ns     1  only_a   gem -> Cijk\n\n  delta  kernel\n   4 ns  gem -> Cijk\n   5 ns  gem -> Cijk\n")
        self.assertEqual(list(equal_rows(text)), ["   2 ns     1  similar  gem -> Cijk", "   5 ns  gem -> Cijk"])


if __name__ == "__main__":
    PROGRAM = sys.argv[1]
    if not os.environ.get("LOCKSTEP_CORPUS"):
        print("LOCKSTEP_CORPUS is not set: nothing to read")
        sys.exit(SKIPPED)
    FOLDER = Path(os.environ["LOCKSTEP_CORPUS"])
    unittest.main(argv=sys.argv[:1])

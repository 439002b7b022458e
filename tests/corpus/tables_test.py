#!/usr/bin/env python3
"""No table has two equal rows: every trace of the corpus, at 100 columns, in info, cycles, anomalies and compare.

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


def traces():
    for place, folders, files in os.walk(FOLDER):
        if any(entry in folders + files for entry in BUNDLES):
            folders.clear()
            yield Path(place)
            continue
        yield from (Path(place) / name for name in sorted(files) if name.endswith(ENDS))


def text_of(*arguments):
    done = subprocess.run([PROGRAM, *map(str, arguments), "--quiet"], capture_output=True, text=True, check=False,
                          env={**os.environ, "COLUMNS": "100"})
    return done.stdout


def equal_rows(text):
    """Rows of one table that are equal: lines with cells, between lines without."""
    seen = set()
    for line in text.splitlines():
        if not ROW.match(line):
            seen.clear()
        elif line in seen:
            yield line
        seen.add(line)


class Tables(unittest.TestCase):
    def check(self, *arguments):
        with self.subTest(arguments=arguments):
            text = text_of(*arguments)
            self.assertEqual(list(equal_rows(text)), [])
            return bool(text)

    def test_of_one_trace(self):
        read = 0
        for trace in traces():
            read += all([self.check(command, trace) for command in ("info", "cycles", "anomalies")])
        self.assertGreater(read, 40)

    def test_of_two_traces(self):
        for a, b in PAIRS:
            self.assertTrue(self.check("compare", FOLDER / a, FOLDER / b))

    def test_with_a_planted_pair_is_found(self):
        text = "Top\n  count  kernel\n      1  gemm\n      1  gemm\n\nTop\n      1  gemm\n"
        self.assertEqual(list(equal_rows(text)), ["      1  gemm"])


if __name__ == "__main__":
    PROGRAM = sys.argv[1]
    if not os.environ.get("LOCKSTEP_CORPUS"):
        print("LOCKSTEP_CORPUS is not set: nothing to read")
        sys.exit(SKIPPED)
    FOLDER = Path(os.environ["LOCKSTEP_CORPUS"])
    unittest.main(argv=sys.argv[:1])

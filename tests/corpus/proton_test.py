#!/usr/bin/env python3
"""What Triton's Proton wrote on an H200, against a slow reading of the files: lanes, scopes, launches, times.

Usage: proton_test.py LOCKSTEP. The corpus is found by LOCKSTEP_CORPUS; without it the test says so and
is skipped (exit 77).
"""
import collections
import decimal
import gzip
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import unittest

SKIPPED = 77
PROGRAM = None
FOLDER = None


def run(*words):
    done = subprocess.run([PROGRAM, *words], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def scopes_of(path):
    """(launch, block, warp, sm) -> scopes of the file in ticks. A launch is over when its 12,288 scopes are there."""
    with gzip.open(path, "rt") as file:
        events = json.load(file, parse_float=decimal.Decimal)["traceEvents"]
    lanes = collections.defaultdict(list)
    for row, event in enumerate(events):
        sm, block = re.fullmatch(r"add Core(\d+) CTA(\d+)", event["pid"]).groups()
        warp = re.fullmatch(r"warp (\d+) \(line \d+\)", event["tid"]).group(1)
        lane = (row // (1024 * 4 * 3), int(block), int(warp), int(sm))
        lanes[lane].append((event["name"], int(event["ts"] * 1000), int(event["dur"] * 1000)))
    return lanes


class InsideKernels(unittest.TestCase):
    def setUp(self):
        self.path = f"{FOLDER}/h200/proton_intra_triton36.json.gz"

    def test_every_scope_is_where_the_file_has_it(self):
        code, out, _ = run("kernel", "decode", self.path, "--json")
        self.assertEqual(code, 0)
        document = json.loads(out, parse_float=decimal.Decimal)
        self.assertEqual(document["time"]["origin_ns"], 0)
        self.assertEqual([launch["kernel"] for launch in document["launches"]], ["add"] * 3)
        self.assertEqual([launch["start_ns"] for launch in document["launches"]], [0, 22972032, 46716480])
        self.assertEqual([launch["lanes_seen"] for launch in document["launches"]], [4096] * 3)
        found = {}
        for lane in document["lanes"]:
            place = (lane["launch"], lane["block"], lane["group"], lane["sm"])
            found[place] = [(r["name"], r["start_ns"], r["duration_cycles"]) for r in lane["regions"]]
            self.assertTrue(all(r["duration_ns"] == r["duration_cycles"] for r in lane["regions"]))
        expected = scopes_of(self.path)
        self.assertEqual(sum(map(len, found.values())), 36864)
        self.assertEqual(found, expected)

    def test_any_order_of_events_gives_the_same(self):
        _, out, _ = run("kernel", "decode", self.path, "--json")
        expected = json.loads(out)
        with gzip.open(self.path, "rt") as file:
            trace = json.load(file)
        shuffled = trace["traceEvents"][:]
        random.Random(1).shuffle(shuffled)
        orders = {"shuffled": shuffled, "reversed": trace["traceEvents"][::-1],
                  "by time": sorted(trace["traceEvents"], key=lambda event: event["ts"]),
                  "by end": sorted(trace["traceEvents"], key=lambda event: event["ts"] + event["dur"]),
                  "by process": sorted(trace["traceEvents"], key=lambda event: (event["pid"], event["tid"], event["ts"])),
                  "by name": sorted(trace["traceEvents"], key=lambda event: (event["name"], event["ts"]))}
        for name, events in orders.items():
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, os.path.basename(self.path).removesuffix(".gz"))
                with open(path, "w") as file:
                    json.dump({**trace, "traceEvents": events}, file)
                code, out, _ = run("kernel", "decode", path, "--json")
                self.assertEqual(code, 0)
                found = json.loads(out)
                differing = [key for key in expected if key != "input" and found[key] != expected[key]]
                self.assertEqual(differing, [])

    def test_other_commands_name_the_one_that_reads_it(self):
        code, _, err = run("cycles", self.path)
        self.assertEqual(code, 3)
        self.assertIn("'lockstep kernel decode' reads it", err)
        code, out, _ = run("info", self.path)
        self.assertEqual(code, 0)
        self.assertIn("'lockstep kernel decode' reads it", " ".join(out.split()))


class TimelineOfKernels(unittest.TestCase):
    def setUp(self):
        self.path = f"{FOLDER}/h200/proton_cupti.chrome_trace"

    def test_it_is_an_ordinary_trace(self):
        code, out, _ = run("info", self.path, "--json")
        self.assertEqual(code, 0)
        document = json.loads(out)
        self.assertEqual(document["kernels"], 120)
        self.assertEqual(len(document["top_kernels"]), 4)

    def test_kernel_decode_says_what_it_is(self):
        code, out, err = run("kernel", "decode", self.path)
        self.assertEqual((code, out), (3, ""))
        self.assertIn("is a Chrome trace, and no event of it was recorded inside a kernel", err)


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    FOLDER = os.environ.get("LOCKSTEP_CORPUS")
    if not FOLDER or not os.path.isdir(FOLDER):
        print("LOCKSTEP_CORPUS is not set: skipped")
        sys.exit(SKIPPED)
    unittest.main()

#!/usr/bin/env python3
"""Every file of the corpus, whatever its format, through `lockstep anomalies`: it ends well or says why not, its
document is valid, and its numbers agree with each other to the nanosecond.

Usage: anomalies_formats_test.py LOCKSTEP. The corpus is found by LOCKSTEP_CORPUS; without it the test says so and is
skipped (exit 77).
"""
import json
import os
import subprocess
import sys
import unittest
from decimal import Decimal
from pathlib import Path

SKIPPED = 77
ARGUMENTS = sys.argv[1:]
CORPUS = Path(os.environ.get("LOCKSTEP_CORPUS", ""))
ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/cli"))

import schema_check  # noqa: E402
from known_gaps import without_gaps  # noqa: E402

SCHEMA = json.loads((ROOT / "docs/reference/anomalies.schema.json").read_text())
SUFFIXES = (".json", ".json.gz", ".sqlite", ".db", ".rpd", ".pb", ".pb.gz")
# Without kernels, or destroyed: exit 3 and a sentence.
REFUSED = {"kineto/hta_cpu_only_rank34.json.gz": "holds no kernels",
           "xspace/xprof_tpu_inference_2_utf8_mangled.xplane.pb": ""}
NS_PER_MS = 1_000_000


def inputs():
    for folder in sorted(CORPUS.iterdir()):
        if folder.name == "ascend":
            yield from sorted(path for path in folder.iterdir() if path.is_dir())
        elif folder.is_dir():
            yield from without_gaps(
                sorted(path for path in folder.iterdir() if path.name.endswith(SUFFIXES)))


def nanoseconds(milliseconds):
    """Milliseconds have six decimals."""
    return int(milliseconds.scaleb(6))


def run(path):
    return subprocess.run([ARGUMENTS[0], "anomalies", str(path), "--json", "--bubbles", "all"], capture_output=True,
                          text=True, check=False)


class Formats(unittest.TestCase):
    def test_every_file(self):
        seen = 0
        for path in inputs():
            name = str(path.relative_to(CORPUS))
            with self.subTest(name):
                seen += 1
                done = run(path)
                if name in REFUSED:
                    self.assertEqual(done.returncode, 3, done.stderr)
                    self.assertIn(REFUSED[name], done.stderr)
                    self.assertEqual(done.stdout, "")
                    continue
                self.assertEqual(done.returncode, 0, done.stderr)
                document = json.loads(done.stdout, parse_float=Decimal)
                self.check_document(json.loads(done.stdout), document["anomaly_discovery"])
        self.assertGreater(seen, 30)

    def check_document(self, plain, found):
        self.assertEqual(list(schema_check.faults(plain, SCHEMA)), [])
        self.assertTrue(found["steps"])
        steps = {step["step_id"]: step for step in found["steps"]}
        self.assertEqual(len(steps), len(found["steps"]))
        for step in found["steps"]:
            self.check_step(step)
        for bubble in found["bubble_windows"]:
            self.check_bubble(bubble, steps[bubble["step_id"]])

    def check_step(self, step):
        service = nanoseconds(step["service_ms"])
        busy = nanoseconds(step["device_busy_union_ms"])
        underfeed = nanoseconds(step["underfeed_ms"])
        self.assertLessEqual(abs(service - (step["end_ns"] - step["start_ns"])), 1, step)
        # Each figure is rounded by itself.
        self.assertLessEqual(abs(underfeed - (service - busy)), 1, step)
        self.assertGreaterEqual(underfeed, 0, step)
        self.assertLessEqual(nanoseconds(step["any_busy_union_ms"]), service + 1, step)
        self.assertGreaterEqual(nanoseconds(step["any_busy_union_ms"]), busy - 1, step)
        if busy:
            parts = sum(nanoseconds(step[key]) for key in
                        ("prelaunch_gap_ms", "internal_bubble_total_ms", "tail_gap_ms"))
            self.assertLessEqual(abs(parts - underfeed), 2, step)
        if service:
            self.assertLessEqual(abs(step["underfeed_ratio"] - Decimal(underfeed) / service),
                                 Decimal("0.000001") + Decimal(2) / service, step)
        # Raw ones are internal; prelaunch, tail and inter-step come on top.
        self.assertLessEqual(step["significant_bubble_count"], step["bubble_count"] + 3, step)
        self.assertLessEqual(step["largest_internal_bubble_ms"], step["internal_bubble_total_ms"], step)

    def check_bubble(self, bubble, step):
        self.assertGreaterEqual(bubble["start_ns"], step["start_ns"] - 1, bubble)
        self.assertLessEqual(bubble["end_ns"], step["end_ns"] + 1, bubble)
        self.assertLessEqual(abs(bubble["end_ns"] - bubble["start_ns"] - bubble["duration_ns"]), 1, bubble)
        if bubble["host_part_ns"] is not None:
            self.assertEqual(bubble["host_part_ns"] + bubble["queued_part_ns"], bubble["duration_ns"], bubble)
            self.assertGreaterEqual(min(bubble["host_part_ns"], bubble["queued_part_ns"]), 0, bubble)


if __name__ == "__main__":
    if not CORPUS.name:
        print("LOCKSTEP_CORPUS is not set: skipped")
        sys.exit(SKIPPED)
    unittest.main(argv=sys.argv[:1])

#!/usr/bin/env python3
"""Passes, layers and phases of models whose truth is known: nothing may be wrong, and nothing that was known may
become unknown.

Usage: truth_test.py LOCKSTEP [FOLDER]. FOLDER has traces of tools/model_traces/make.py; without it the fixtures are
read, which are some of them.
"""
import glob
import json
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import truth  # noqa: E402

PROGRAM = None
FIXTURES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "fixtures")

# Name -> passes, and of how many layers and phase are known.
KNOWN = {
    "slim/chunked_attention": (10, 10, 10),
    "slim/expert_by_expert": (11, 11, 9),
    "slim/few_attention_layers": (18, 18, 18),
    "slim/gated_recurrence": (10, 10, 10),
    "slim/listening": (8, 8, 0),
    "slim/looked_at_between": (21, 21, 12),
    "slim/mixed_passes": (31, 31, 29),
    "slim/pieces_between": (22, 22, 22),
    "slim/rewarded": (40, 40, 4),
    "slim/sampled_batch": (13, 13, 13),
    "slim/sinks": (9, 9, 9),
    "compiled_graphs": (15, 15, 0),
    "continuous_batching": (19, 19, 19),
    "convolutions": (8, 8, 8),
    "encoder": (8, 8, 0),
    "encoder_decoder": (11, 11, 0),
    "graphed_decode": (18, 18, 0),
    "pictures": (7, 7, 0),
    "recurrent": (12, 12, 0),
    "state_space": (7, 7, 7),
}


def read(path):
    with open(path.removesuffix(".json.gz") + ".truth.json", encoding="utf-8") as file:
        return truth.compare(truth.cycles(PROGRAM, path), json.load(file))


class Fixtures(unittest.TestCase):
    def test_all_are_known(self):
        names = {os.path.relpath(path, FIXTURES).removesuffix(".json.gz")
                 for path in glob.glob(FIXTURES + "/**/*.json.gz", recursive=True)}
        self.assertEqual(names, set(KNOWN))

    def test_nothing_is_wrong_and_nothing_forgotten(self):
        for name, (passes, layers, phases) in KNOWN.items():
            with self.subTest(name):
                counts, faults = read(os.path.join(FIXTURES, name + ".json.gz"))
                self.assertEqual(faults, [])
                self.assertEqual((counts["found"], counts["layers right"], counts["phase right"]),
                                 (passes, layers, phases))


def show(folder):
    """A line a trace of the folder, and how many statements were wrong."""
    totals = {}
    for path in sorted(glob.glob(os.path.join(folder, "*.json.gz"))):
        counts, faults = read(path)
        for key, value in counts.items():
            totals[key] = totals.get(key, 0) + value
        print(os.path.basename(path), counts, *faults[:2], sep="  ")
    print("all", totals)
    return totals.get("layers wrong", 0) + totals.get("phase wrong", 0)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    if len(sys.argv) > 1:
        sys.exit(1 if show(sys.argv[1]) else 0)
    unittest.main()

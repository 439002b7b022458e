#!/usr/bin/env python3
"""Ranks of real files, merged with small and large constants and with less and less left that tells them: what is
read is what the ranks give apart, or one rank and a note, and never anything else.

Usage: merged_ranks_test.py LOCKSTEP. The corpus is found by LOCKSTEP_CORPUS; without it the test says so and is
skipped (exit 77).
"""
import gzip
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SKIPPED = 77
ARGUMENTS = sys.argv[1:]
CORPUS = Path(os.environ.get("LOCKSTEP_CORPUS", ""))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cli"))

import merged_ranks  # noqa: E402

# In the gate the smallest, one below and one beyond the ids of processes; all of them with LOCKSTEP_EVERY=1.
IS_WHOLE = os.environ.get("LOCKSTEP_EVERY", "1") == "1"
CONSTANTS = ([1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000] if IS_WHOLE
             else [1000, 100_000, 100_000_000])
# Host processes of the second node: some are smaller than a constant, some larger than those of the first.
OTHER_PIDS = [1_690_092, 3_790_093, 90_094, 1095]
NEEDED = {"kernel", "gpu_memcpy", "gpu_memset", "cuda_runtime", "cuda_driver", "user_annotation", "overhead"}


# Groups whose ranks have the same correlation ids.
SAME_IDS = ("8", "2 with steps")


def load(name):
    return json.loads(gzip.decompress((CORPUS / name).read_bytes()))


def thinned(trace):
    """What tells ranks apart, and what their figures hang on."""
    kept = [event for event in trace["traceEvents"] if event["ph"] == "M" or event.get("cat") in NEEDED]
    return {**trace, "traceEvents": kept}


def on_another_node(trace, pid, rank):
    """The same work by another process, on a device of the same number and with the same ids."""
    host = merged_ranks.largest(trace, "pid")
    events = []
    for event in map(merged_ranks.copy_of, trace["traceEvents"]):
        if event.get("pid") == host:
            event["pid"] = pid
            if event.get("name") == "process_sort_index":
                event["args"]["sort_index"] = pid
        events.append(event)
    return {**trace, "traceEvents": events, "distributedInfo": {"rank": rank}}


def later(trace, microseconds, rank):
    """The same process once more; not all events have a time that counts."""
    events = [{**event, "ts": event["ts"] + microseconds} if event.get("ts", 0) > microseconds else event
              for event in trace["traceEvents"]]
    return {**trace, "traceEvents": events, "distributedInfo": {"rank": rank}}


def info(*paths):
    done = subprocess.run([ARGUMENTS[0], "info", "--json", "--top", "1000000", *map(str, paths)], capture_output=True,
                          check=True)
    return json.loads(done.stdout)


def figures(document):
    """By rank: kernels and busy times of its devices, and its steps."""
    zero = int(document["origin_ns"] or 0)
    devices = [(rank["rank"], [(device["id"], device["kernels"], device["busy_ns"], device["communication_busy_ns"])
                               for device in rank["devices"]]) for rank in document["ranks"]]
    return devices, [(step["name"], step["start_ns"] + zero, step["end_ns"] + zero) for step in document["steps"]]


class Schemes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        megatron = [thinned(load(f"ranks/megatron_kineto_{rank}.json.gz")) for rank in range(4)]
        second_node = [on_another_node(trace, pid, 4 + rank)
                       for rank, (trace, pid) in enumerate(zip(megatron, OTHER_PIDS))]
        sampled = [thinned(load(f"ranks/hta_sampled_rank{rank}.json.gz")) for rank in range(2)]
        trained = thinned(load("h200/gpt2_train_stalls.json.gz"))
        cls.groups = {"2 sampled": sampled, "2": megatron[:2], "4": megatron, "8": megatron + second_node,
                      "2 with steps": [later(trained, 17_000 * rank, rank) for rank in range(2)]}
        cls.apart = {}
        for name, traces in cls.groups.items():
            with tempfile.TemporaryDirectory() as folder:
                paths = [Path(folder) / f"rank{rank}.json" for rank in range(len(traces))]
                for path, trace in zip(paths, traces):
                    path.write_text(json.dumps(trace))
                cls.apart[name] = figures(info(*paths))

    def outcome(self, group, merged):
        """True: told apart, and right. False: one rank, and said. Anything else fails."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "merged.json"
            path.write_text(json.dumps(merged))
            found = info(path)
        is_said = "merged_ranks" in [finding["kind"] for finding in found["diagnostics"]]
        if is_said:
            self.assertEqual(len(found["ranks"]), 1)
            return False
        self.assertEqual(figures(found), self.apart[group])
        return True

    def told(self, scheme_of):
        """The groups that are told apart, by constant."""
        told = {}
        for constant in CONSTANTS:
            for group in self.groups:
                with self.subTest(constant=constant, group=group):
                    if self.outcome(group, scheme_of(self.groups[group], constant)):
                        told.setdefault(constant, []).append(group)
        return told

    def test_any_constant_is_told_where_metadata_is_left(self):
        for scheme in (merged_ranks.constant, merged_ranks.constant_for_threads_too):
            told = self.told(lambda traces, distance, scheme=scheme: merged_ranks.merge(traces, scheme(distance)))
            self.assertEqual(told, {constant: list(self.groups) for constant in CONSTANTS})

    def test_launches_tell_where_metadata_says_nothing(self):
        bare = self.told(lambda traces, distance: merged_ranks.without_metadata(
            merged_ranks.merge(traces, merged_ranks.constant(distance))))
        ordered = self.told(
            lambda traces, distance: merged_ranks.merge(traces, merged_ranks.constant_and_order(distance)))
        for constant in CONSTANTS:
            # Ranks with the same ids are parted by a constant beyond all of their processes.
            expected = [group for group in self.groups if group != "8" or constant >= 10_000_000]
            self.assertEqual(bare[constant], expected, constant)
            self.assertEqual(ordered[constant], expected, constant)

    def test_numbers_that_take_turns(self):
        for group, traces in self.groups.items():
            with self.subTest(group):
                merged = merged_ranks.merge(traces, merged_ranks.turns(len(traces)))
                self.assertTrue(self.outcome(group, merged))
                self.assertEqual(self.outcome(group, merged_ranks.without_metadata(merged)), group not in SAME_IDS)

    def test_names_alone_tell_where_ids_do_not_collide(self):
        for group, traces in self.groups.items():
            with self.subTest(group):
                merged = merged_ranks.merge(traces, merged_ranks.named("{name} rank {rank}"))
                self.assertEqual(self.outcome(group, merged), group not in SAME_IDS)

    def test_every_spelling(self):
        for name, scheme in merged_ranks.TOLD_APART.items():
            with self.subTest(name):
                self.assertTrue(self.outcome("2", scheme(self.groups["2"])))


if __name__ == "__main__":
    if not os.environ.get("LOCKSTEP_CORPUS"):
        print("LOCKSTEP_CORPUS is not set: skipped")
        sys.exit(SKIPPED)
    unittest.main(argv=sys.argv[:1])

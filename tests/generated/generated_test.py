#!/usr/bin/env python3
"""Generated traces, whose truth is known, through the built program.

Usage: generated_test.py LOCKSTEP TRACEGEN. Every configuration is generated, recounted by the
independent check of the generator, and compared with `info --json`: plain, through a pipe and after
a conversion to Chrome JSON and back.
"""
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

LOCKSTEP, TRACEGEN = sys.argv[1:3]
CHECK_TRUTH = os.path.join(os.path.dirname(__file__), "../../tools/trace_gen/check_truth.py")
OPS = {"allreduce": "all_reduce", "_allgather_base": "all_gather",
       "_reduce_scatter_base": "reduce_scatter"}


def run(*arguments, stdin=None):
    return subprocess.run(arguments, capture_output=True, check=True, input=stdin).stdout


def info(path, stdin=None):
    return json.loads(run(LOCKSTEP, "info", "--json", path, stdin=stdin))


class GeneratedTraces(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def generate(self, *options):
        trace = os.path.join(self.folder, "trace.json")
        truth = os.path.join(self.folder, "truth.json")
        run(TRACEGEN, "-o", trace, "--truth", truth, *options)
        run(sys.executable, CHECK_TRUTH, trace, truth)
        with open(truth, encoding="utf-8") as file:
            known = json.load(file)
        with open(trace, encoding="utf-8") as file:
            base = re.search(r'"baseTimeNanoseconds": ?([0-9]+)', file.read())
        known["first_ns"] = known["first_ts_ns"] + (int(base.group(1)) if base else 0)
        return trace, known

    def compare(self, got, truth):
        for key in ("events", "kernels", "span_ns", "device_span_ns", "device_busy_ns"):
            self.assertEqual(got[key], truth[key], key)
        # The truth counts from the first event but the profiler's own span, lockstep from that too.
        later = truth["first_ns"] - int(got["origin_ns"])
        self.assertGreaterEqual(later, 0)
        marked = [{key: step[key] for key in ("name", "start_ns", "end_ns")} for step in got["steps"]]
        self.assertEqual(marked, [{"name": s["name"], "start_ns": s["start_ns"] + later,
                                   "end_ns": s["end_ns"] + later} for s in truth["steps"]])
        self.assertEqual(got["flows"], truth["launches_joined"])
        devices = [{"device": int(d["id"]), "kernels": d["kernels"], "busy_ns": d["busy_ns"],
                    "streams": [{"stream": int(s["id"]), "kernels": s["kernels"],
                                 "busy_ns": s["busy_ns"]} for s in d["streams"]]}
                   for d in got["ranks"][0]["devices"]]
        keep = ("device", "kernels", "busy_ns", "streams")
        wanted = [{k: d[k] for k in keep if k != "streams"} | {
            "streams": [{k: s[k] for k in ("stream", "kernels", "busy_ns")} for s in d["streams"]]}
            for d in truth["devices"]]
        self.assertEqual(devices, wanted)
        self.assertEqual({c["op"]: c["count"] for c in got["collectives"]},
                         {OPS.get(op, op): count for op, count in truth["collectives"].items()})

    def check(self, *options):
        trace, truth = self.generate(*options)
        got = info(trace)
        self.compare(got, truth)
        with open(trace, "rb") as file:
            self.compare(info("-", stdin=file.read()), truth)
        copy = os.path.join(self.folder, "copy.json.zst")
        run(LOCKSTEP, "convert", trace, "-o", copy)
        self.compare(info(copy), truth)
        return got

    def test_one_device(self):
        self.check("--passes", "3")

    def test_other_seed_and_stalls(self):
        self.check("--passes", "5", "--seed", "7", "--stall-every", "2", "--stall-us", "9000")

    def test_two_devices_and_four_streams(self):
        self.check("--passes", "2", "--devices", "2", "--streams", "4")

    def test_collectives_and_rank(self):
        got = self.check("--passes", "2", "--world", "4", "--rank", "3")
        self.assertEqual(got["ranks"][0]["rank"], 3)

    def test_python_frames(self):
        got = self.check("--passes", "2", "--python-share", "40")
        self.assertGreater(got["by_kind"]["python"], 0)

    def test_compact_text(self):
        self.check("--passes", "2", "--quirk", "compact")

    def test_times_since_the_epoch(self):
        got = self.check("--passes", "2", "--quirk", "no-base-time")
        self.assertEqual(got["clock"], "epoch")

    def test_old_flow_names(self):
        self.check("--passes", "2", "--quirk", "old-flow-name")

    def test_lost_launches(self):
        got = self.check("--passes", "2", "--quirk", "lost-launches")
        self.assertLess(got["flows"], got["kernels"])

    def test_counters(self):
        got = self.check("--passes", "2", "--quirk", "counters")
        self.assertGreater(got["by_kind"]["counter"], 0)

    def test_two_ranks_are_one_trace(self):
        paths = []
        for rank in ("0", "1"):
            path = os.path.join(self.folder, f"rank{rank}.json")
            run(TRACEGEN, "-o", path, "--passes", "2", "--world", "2", "--rank", rank)
            paths.append(path)
        got = json.loads(run(LOCKSTEP, "info", "--json", *paths))
        self.assertEqual([r["rank"] for r in got["ranks"]], [0, 1])
        self.assertEqual(got["inputs"], paths)
        self.assertEqual(json.loads(run(LOCKSTEP, "info", "--json", self.folder))["kernels"],
                         got["kernels"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)

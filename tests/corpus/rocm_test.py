#!/usr/bin/env python3
"""Compares `lockstep info --json` with a slow reading of the ROCm files of the corpus, to the ns.

Usage: rocm_test.py LOCKSTEP. The corpus is found by LOCKSTEP_CORPUS; without it the test says so and
is skipped (exit 77).
"""
import collections
import gzip
import json
import os
import sqlite3
import subprocess
import sys
import unittest

SKIPPED = 77
PROGRAM = None
FOLDER = None

Work = collections.namedtuple("Work", "kind device stream start end")
KERNEL, COPY, SET = "kernel", "memcpy", "memset"


def union(spans):
    """Time covered by at least one of the spans."""
    total, until = 0, None
    for start, end in sorted(spans):
        if until is None or start > until:
            total += end - start
            until = end
        elif end > until:
            total += end - until
            until = end
    return total


def database(name):
    return sqlite3.connect(f"file:{FOLDER}/{name}?immutable=1", uri=True)


def rocpd():
    """Work and number of launches, by the joins that the views of the file make."""
    connection = database("batched_gemm_28_results.db")
    suffix = connection.execute(
        "SELECT substr(name, length('rocpd_region') + 1) FROM sqlite_master "
        "WHERE type = 'table' AND name LIKE 'rocpd_region%'").fetchone()[0]
    work = [Work(KERNEL, str(d), str(s), start, end) for d, s, start, end in connection.execute(
        f"SELECT a.type_index, k.stream_id, k.start, k.end FROM rocpd_kernel_dispatch{suffix} k "
        f"JOIN rocpd_info_agent{suffix} a ON a.id = k.agent_id")]
    launches = connection.execute(
        f"SELECT count(*) FROM rocpd_kernel_dispatch{suffix} k JOIN rocpd_event{suffix} e ON e.id = k.event_id "
        f"JOIN rocpd_event{suffix} c ON c.stack_id = e.stack_id JOIN rocpd_region{suffix} r ON r.event_id = c.id"
    ).fetchone()[0]
    connection.close()
    return work, launches


def rpd():
    connection = database("rpd_matmul_large.rpd")
    work = []
    for gpu, queue, start, end, kind in connection.execute(
            "SELECT gpuId, queueId, start, end, t.string FROM rocpd_op "
            "JOIN rocpd_string t ON t.id = opType_id"):
        kind = COPY if kind.startswith("Copy") else SET if kind == "FillBuffer" else KERNEL
        work.append(Work(kind, str(gpu), str(queue), start, end))
    launches = connection.execute("SELECT count(*) FROM rocpd_api_ops").fetchone()[0]
    connection.close()
    return work, launches


def rocprofv3():
    with gzip.open(f"{FOLDER}/tl_rocprofv3_908_results.json.gz") as file:
        process, = json.load(file)["rocprofiler-sdk-tool"]
    index = {a["id"]["handle"]: a["logical_node_type_id"] for a in process["agents"]}
    work = [Work(KERNEL, str(index[k["dispatch_info"]["agent_id"]["handle"]]), str(k["stream_id"]["handle"]),
                 k["start_timestamp"], k["end_timestamp"])
            for k in process["buffer_records"]["kernel_dispatch"]]
    return work, 0


def rocprofv1():
    with open(f"{FOLDER}/rocprofv1_hip_trace_results.json", encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    work = []
    for event in events:
        if "dev-id" in event.get("args", {}):
            facts = event["args"]
            kind = COPY if event["name"].startswith("Copy") else KERNEL
            work.append(Work(kind, facts["dev-id"], event["tid"], int(facts["BeginNs"]), int(facts["EndNs"])))
    return work, sum(1 for e in events if e.get("ph") == "t")


# File, format, slow reading, and what the README of the corpus says: kernels, copies, sets.
FILES = [
    ("batched_gemm_28_results.db", "rocpd", rocpd, (151, 0, 0)),
    ("rpd_matmul_large.rpd", "rpd", rpd, (29, 55, 1)),
    ("tl_rocprofv3_908_results.json.gz", "rocprofv3_json", rocprofv3, (43915, 0, 0)),
    ("rocprofv1_hip_trace_results.json", "rocprof_v1", rocprofv1, (1, 6, 0)),
]


def info(name):
    run = subprocess.run([PROGRAM, "info", "--json", f"{FOLDER}/{name}"], capture_output=True, check=True)
    return json.loads(run.stdout)


class RocmTest(unittest.TestCase):
    def test_info_equals_the_slow_reading(self):
        for name, word, read, known in FILES:
            with self.subTest(name):
                work, launches = read()
                got = info(name)
                kinds = got["by_kind"]
                kernels = sum(kinds.get(k, 0) for k in (KERNEL, "communication"))
                self.assertEqual((kernels, kinds.get(COPY, 0), kinds.get(SET, 0)), known)
                self.assertEqual(got["kernels"], sum(1 for w in work if w.kind == KERNEL))
                self.assertEqual(got["format"], word)
                self.assertEqual(got["flows"], launches)
                self.check_devices(got, work)

    def check_devices(self, got, work):
        devices = {d["id"]: d for rank in got["ranks"] for d in rank["devices"]}
        self.assertEqual(set(devices), {w.device for w in work})
        for number, device in devices.items():
            own = [w for w in work if w.device == number]
            self.assertEqual(device["busy_ns"], union((w.start, w.end) for w in own))
            streams = collections.Counter(w.stream for w in own if w.kind == KERNEL)
            shown = {s["id"]: s["kernels"] for s in device["streams"] if s["kernels"]}
            self.assertEqual(shown, dict(streams))

    def test_streams_of_rocprofv3_are_not_its_queues(self):
        work, _ = rocprofv3()
        self.assertEqual(len({w.stream for w in work}), 567)


if __name__ == "__main__":
    corpus = os.environ.get("LOCKSTEP_CORPUS")
    if not corpus:
        print("LOCKSTEP_CORPUS is not set")
        sys.exit(SKIPPED)
    PROGRAM, FOLDER = sys.argv[1], os.path.realpath(os.path.join(corpus, "rocm"))
    unittest.main(argv=[sys.argv[0]])

#!/usr/bin/env python3
"""Compares `lockstep info --json` with plain SQL joins on the SQLite files of the corpus.

Usage: sqlite_test.py LOCKSTEP. The corpus is found by LOCKSTEP_CORPUS; without it the test says so and
is skipped (exit 77). The databases are opened immutable, and nothing may appear beside them.
"""
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, os.path.dirname(__file__))
from oracle import union  # noqa: E402

SKIPPED = 77
NSYS = {"nsysai_h100_2gpu_1s.sqlite": 3442, "pipit_saxpy_mpi_cuda.sqlite": 5}
ASCEND = Path("ascend/db_level1_rank1_ascend_pt/ASCEND_PROFILER_OUTPUT")
DEVICE_TABLES = ("KERNEL", "MEMCPY", "MEMSET", "GRAPH_TRACE")


def info(program, path, standard_input=None):
    run = subprocess.run([program, "info", "--json", "--top", "1000", str(path)], input=standard_input,
                         capture_output=True, check=True)
    return json.loads(run.stdout)


def rows(path, query):
    connection = sqlite3.connect(f"file:{path}?immutable=1", uri=True)
    try:
        return connection.execute(query).fetchall()
    finally:
        connection.close()


def tables(path):
    return {name for name, in rows(path, "SELECT name FROM sqlite_schema WHERE type = 'table'")}


def devices(document):
    return {d["id"]: d for rank in document["ranks"] for d in rank["devices"]}


def nsys_truth(path):
    present = tables(path)
    work = {}
    kernels = 0
    for name in DEVICE_TABLES:
        table = f"CUPTI_ACTIVITY_KIND_{name}"
        if table not in present:
            continue
        for device, start, end in rows(path, f"SELECT deviceId, start, [end] FROM {table}"):
            work.setdefault(str(device), []).append((start, end))
            kernels += name in ("KERNEL", "GRAPH_TRACE")
    flows = 0
    for name in DEVICE_TABLES + ("SYNCHRONIZATION",):
        table = f"CUPTI_ACTIVITY_KIND_{name}"
        if table in present:
            flows += rows(path, f"""
                SELECT count(*) FROM {table} d WHERE EXISTS (
                  SELECT 1 FROM CUPTI_ACTIVITY_KIND_RUNTIME r WHERE r.correlationId = d.correlationId
                  AND r.globalTid >> 24 = d.globalPid >> 24)""")[0][0]
    return kernels, {device: union(spans) for device, spans in work.items()}, flows


def check_nsys(program, corpus):
    for name, known in NSYS.items():
        path = corpus / "nsys" / name
        document = info(program, path)
        kernels, busy, flows = nsys_truth(path)
        assert kernels == known == document["kernels"], (name, document["kernels"])
        assert {i: d["busy_ns"] for i, d in devices(document).items()} == busy, name
        assert document["flows"] == flows, (name, document["flows"], flows)
        ranges = rows(path, "SELECT count(*) FROM NVTX_EVENTS WHERE eventType IN (34, 59, 60)")[0][0]
        kinds = document["by_kind"]
        assert kinds.get("annotation", 0) + kinds.get("host_op", 0) == ranges, name


def check_ascend(program, corpus):
    path = corpus / ASCEND / "ascend_pytorch_profiler_1.db"
    document = info(program, path)
    assert document["kernels"] == 191, document["kernels"]
    compute = rows(path, "SELECT startNs, endNs FROM TASK NATURAL JOIN (SELECT globalTaskId FROM COMPUTE_TASK_INFO)")
    collectives = rows(path, "SELECT startNs, endNs FROM COMMUNICATION_OP")
    copies = rows(path, """SELECT startNs, endNs FROM TASK t JOIN STRING_IDS s ON s.id = t.taskType
                           WHERE s.value = 'MEMCPY_ASYNC'""")
    assert len(compute) == 187 and len(collectives) == 4 and len(copies) == 24
    device = devices(document)["1"]
    assert device["busy_ns"] == union(compute + collectives + copies), device
    assert device.get("compute_busy_ns") in (None, union(compute)), device
    assert device.get("communication_busy_ns") in (None, union(collectives)), device
    # The vendor's own sums, in us: they round every interval.
    vendor = rows(corpus / ASCEND / "analysis.db", "SELECT computing, communication FROM StepTraceTime")[0]
    assert abs(vendor[0] - union(compute) / 1000) < 0.5 and abs(vendor[1] - union(collectives) / 1000) < 0.5
    tasks = rows(path, "SELECT count(*) FROM TASK")[0][0]
    on_host = sum(rows(path, f"SELECT count(*) FROM {t}")[0][0] for t in ("CANN_API", "PYTORCH_API"))
    assert tasks == 552 and document["events"] == tasks + len(collectives) + on_host, document["events"]
    check_ascend_flows(document, path)


def check_ascend_flows(document, path):
    """Launches by CANN; arrows of PyTorch to the same work, to its queue, and forward to backward."""
    launched = """
        SELECT t.connectionId c FROM TASK t JOIN STRING_IDS s ON s.id = t.taskType
        WHERE t.globalTaskId NOT IN (SELECT globalTaskId FROM COMMUNICATION_TASK_INFO)
          AND (t.globalTaskId IN (SELECT globalTaskId FROM COMPUTE_TASK_INFO)
               OR s.value IN ('MEMCPY_ASYNC', 'EVENT_WAIT', 'EVENT_RECORD', 'PROFILING_ENABLE', 'PROFILING_DISABLE'))
        UNION ALL SELECT connectionId FROM COMMUNICATION_OP"""
    calls = rows(path, f"SELECT count(*) FROM ({launched}) JOIN CANN_API a ON a.connectionId = c")[0][0]
    torch = """PYTORCH_API p JOIN CONNECTION_IDS i ON i.id = p.connectionId"""
    arrows = rows(path, f"SELECT count(*) FROM ({launched}) l WHERE EXISTS "
                        f"(SELECT 1 FROM {torch} WHERE i.connectionId = l.c)")[0][0]
    pairs = rows(path, f"SELECT sum(n - 1) FROM (SELECT count(*) n FROM {torch} WHERE i.connectionId NOT IN "
                       f"(SELECT c FROM ({launched})) GROUP BY i.connectionId)")[0][0]
    assert document["flows"] == calls + arrows + pairs, (document["flows"], calls, arrows, pairs)


def check_ways_in(program, corpus):
    """The same answer from a pipe, and in a folder that cannot be written."""
    path = corpus / "nsys" / "pipit_saxpy_mpi_cuda.sqlite"
    piped = info(program, "-", path.read_bytes())
    assert piped["kernels"] == 5 and piped["device_busy_ns"] == info(program, path)["device_busy_ns"]
    beside = {p.name for p in path.parent.iterdir()} | {p.name for p in (corpus / ASCEND).iterdir()}
    assert not any(name.endswith(("-wal", "-shm", "-journal")) for name in beside), beside


def check_conversion(program, corpus):
    for path in (corpus / "nsys" / "nsysai_h100_2gpu_1s.sqlite", corpus / ASCEND / "ascend_pytorch_profiler_1.db"):
        with tempfile.TemporaryDirectory() as folder:
            target = Path(folder) / "x.json"
            subprocess.run([program, "convert", str(path), "-o", str(target)], check=True, capture_output=True)
            before, after = info(program, path), info(program, target)
        for key in ("kernels", "device_busy_ns", "events", "by_kind"):
            assert before[key] == after[key], (path.name, key, before[key], after[key])


def main():
    corpus = os.environ.get("LOCKSTEP_CORPUS")
    if not corpus:
        print("LOCKSTEP_CORPUS is not set")
        return SKIPPED
    corpus = Path(corpus).resolve()
    for check in (check_nsys, check_ascend, check_ways_in, check_conversion):
        check(sys.argv[1], corpus)
        print(check.__name__, "ok")
    return 0


if __name__ == "__main__":
    sys.exit(main())

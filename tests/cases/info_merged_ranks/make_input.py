import json
from pathlib import Path

import merged_ranks


def rank(number):
    """One marked step with a call and its kernel; every rank counts its ids from 1."""
    start = 1000 + 20 * number
    host = {"pid": 4711 + number, "tid": 7}
    return {"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "NVIDIA H200"}, {"id": 1, "name": "NVIDIA H200"}],
            "baseTimeNanoseconds": 1727740800000000000, "traceEvents": [
                {"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#1", **host, "ts": start, "dur": 90},
                {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", **host, "ts": start + 10, "dur": 5,
                 "args": {"correlation": 1}},
                {"ph": "X", "cat": "kernel", "name": f"kernel_of_rank_{number}", "pid": number, "tid": 7,
                 "ts": start + 40, "dur": 20 + number, "args": {"correlation": 1}}]}


merged = merged_ranks.TOLD_APART["constant 100,000,000"]([rank(0), rank(1)])
Path("merged.json").write_text(json.dumps(merged))

import json
from pathlib import Path

# Two ranks of which a tool moved only the devices; their processes have the same correlation ids.
events = []
for rank in range(2):
    host = {"pid": 4000 + 38 * rank, "tid": 7}
    for step in range(2):
        start = 1000 + 300 * step + 20 * rank
        events.append({"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{step}", **host, "ts": start, "dur": 250})
        for call in range(10):
            ids = {"args": {"correlation": 1 + 10 * step + call}}
            at = start + 20 * call
            events.append({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", **host, "ts": at, "dur": 2, **ids})
            events.append({"ph": "X", "cat": "kernel", "name": f"kernel_of_rank_{rank}", "pid": rank * 100000001, "tid": 7,
                           "ts": at + 5, "dur": 4, **ids})
Path("merged.json").write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))

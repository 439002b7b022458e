import json
from pathlib import Path

# One rank with marked steps; the processes that load its data are named after ranks.
main = {"pid": 4000, "tid": 4000}
events = [{"ph": "M", "name": "process_name", "pid": pid, "args": {"name": name}}
          for pid, name in ((4000, "python"), (5000, "dataloader rank 0"), (5001, "dataloader rank 1"))]
for step in range(3):
    start = 1000 + 100 * step
    ids = {"args": {"correlation": 1 + step}}
    events.append({"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{step}", **main, "ts": start, "dur": 90})
    events.append({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", **main, "ts": start + 10, "dur": 5, **ids})
    events.append({"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": start + 40, "dur": 20, **ids})
for pid in (5000, 5001):
    events.append({"ph": "X", "cat": "cpu_op", "name": "next", "pid": pid, "tid": pid, "ts": 1000, "dur": 300})
Path("trace.json").write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))

"""Two launches of one block that go round twice and look alike, sorted by time."""
import json
from pathlib import Path

events = []
for launch in range(2):
    for warp in range(2):
        for turn in range(4):
            events.append({"ph": "X", "cat": "gemm", "name": ("load", "mma")[turn % 2], "pid": "gemm Core3 CTA1",
                           "tid": f"warp {warp} (line 0)", "ts": 50 * launch + 0.1 * turn + 0.01 * warp, "dur": 0.06,
                           "args": {"Finalization Time (ns)": 160, "Frequency (MHz)": 1000.0, "call_stack": ["ROOT", "gemm"]}})
events.sort(key=lambda event: event["ts"])
Path("gemm.chrome_trace").write_text(json.dumps({"displayTimeUnit": "ns", "traceEvents": events}))

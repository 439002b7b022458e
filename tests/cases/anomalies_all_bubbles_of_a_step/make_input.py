from pathlib import Path

from stall_trace import stall_trace

Path("trace.json").write_text(stall_trace(steps=4, stalls={2: 3000, 3: 400}))

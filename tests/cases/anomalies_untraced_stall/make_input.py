from pathlib import Path

from stall_trace import stall_trace

Path("trace.json").write_text(stall_trace(call=None))

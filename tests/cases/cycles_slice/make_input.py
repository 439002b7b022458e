from pathlib import Path

from loop_trace import loop_trace

Path("trace.json").write_text(loop_trace(passes=6))

from pathlib import Path

from loop_trace import request_trace

Path("trace.json").write_text(request_trace(decodes=5))

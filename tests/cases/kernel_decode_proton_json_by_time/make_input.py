"""The events of kernel_decode_proton_json as a tool leaves them that sorts by time."""
import json
from pathlib import Path

written = Path(__file__).resolve().parents[1] / "kernel_decode_proton_json" / "input" / "add.chrome_trace"
trace = json.loads(written.read_text())
trace["traceEvents"].sort(key=lambda event: event["ts"])
Path("add.chrome_trace").write_text(json.dumps(trace))

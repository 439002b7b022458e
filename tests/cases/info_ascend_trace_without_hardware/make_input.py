import json
from pathlib import Path

names = [(4711, "Python"), (4824545, "CANN"), (4824577, "Overlap Analysis")]
events = [{"ph": "M", "name": "process_name", "pid": pid, "tid": 0, "args": {"name": name}} for pid, name in names]
events += [
    {"ph": "X", "name": "aten::add", "pid": 4711, "tid": 7, "ts": "1700000000000000.000", "dur": 9, "cat": "cpu_op",
     "args": {}},
    {"ph": "X", "name": "AscendCL@aclnnAdd", "pid": 4824545, "tid": 7, "ts": "1700000000000001.000", "dur": 5,
     "args": {"connection_id": 71}},
    {"ph": "X", "name": "Free", "pid": 4824577, "tid": 3, "ts": "1700000000000000.000", "dur": 9}]
Path("trace_view.json").write_text(json.dumps(events))

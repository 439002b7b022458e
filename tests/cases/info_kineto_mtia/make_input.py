import json
from pathlib import Path

# (name, start, duration): work of 6 us, a wait of 20 and a record that would hide that nothing runs.
SPANS = [("event_wait", 0, 20), ("remote", 20, 3), ("dma_request", 23, 1), ("event_record", 24, 5), ("merge", 40, 2)]
events = [{"ph": "X", "cat": "mtia_ccp_events", "name": name, "pid": 17, "tid": 101, "ts": 1000 + start, "dur": duration,
           "args": {"stream": 101}} for name, start, duration in SPANS]
Path("trace.json").write_text(json.dumps({
    "schemaVersion": 1, "deviceProperties": [{"id": 17, "name": "ARTEMIS"}],
    "baseTimeNanoseconds": 1727740800000000000, "traceEvents": events}))

from pathlib import Path

import write_ascend_text
from workload import scripted

write_ascend_text.write(scripted(devices=1, steps=1, layers=1), Path("."))
for path in Path(".").rglob("trace_view.json"):
    path.rename("trace_view.json")

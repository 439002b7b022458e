from pathlib import Path

import write_perfetto
from workload import scripted

write_perfetto.write(scripted(devices=1, steps=1, layers=1), Path("."))
trace = Path("trace.pftrace").read_bytes()
Path("cut.pftrace").write_bytes(trace[:len(trace) // 2])

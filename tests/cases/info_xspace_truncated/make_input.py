from pathlib import Path

import write_xspace
from workload import scripted

write_xspace.write(scripted(devices=1, steps=1, layers=1), Path("."))
trace = Path("host.xplane.pb").read_bytes()
Path("cut.xplane.pb").write_bytes(trace[:len(trace) * 3 // 4])

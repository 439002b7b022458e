from pathlib import Path

import write_xspace
from workload import scripted

write_xspace.write(scripted(devices=2, steps=2, layers=1), Path("."))

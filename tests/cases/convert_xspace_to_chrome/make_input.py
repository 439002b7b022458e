from pathlib import Path

import write_xspace
from workload import scripted

write_xspace.write(scripted(devices=1, steps=1, layers=1), Path("."))

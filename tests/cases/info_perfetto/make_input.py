from pathlib import Path

import write_perfetto
from workload import scripted

write_perfetto.write(scripted(devices=2, steps=2, layers=1), Path("."))

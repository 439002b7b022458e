from pathlib import Path

import write_perfetto
from workload import scripted

write_perfetto.write(scripted(devices=1, steps=1, layers=1), Path("."))

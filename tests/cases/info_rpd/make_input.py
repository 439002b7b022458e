from pathlib import Path

import write_rpd
from workload import scripted

write_rpd.write(scripted(devices=2, steps=2, layers=1), Path("."))

from pathlib import Path

import write_rpd
from workload import scripted

write_rpd.write(scripted(devices=1, steps=1, layers=1), Path("."))

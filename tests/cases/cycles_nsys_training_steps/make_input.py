from pathlib import Path

import write_nsys
from workload import scripted

write_nsys.write(scripted(devices=1, steps=6, layers=3), Path("."))

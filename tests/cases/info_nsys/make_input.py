from pathlib import Path

import write_nsys
from workload import scripted

write_nsys.write(scripted(devices=2, steps=2, layers=1), Path("."))

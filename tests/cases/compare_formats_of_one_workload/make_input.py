from pathlib import Path

import write_kineto
import write_rpd
from workload import scripted

work = scripted(devices=1, steps=6, layers=3)
write_kineto.write(work, Path("."))
write_rpd.write(work, Path("."))

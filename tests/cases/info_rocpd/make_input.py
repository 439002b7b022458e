from pathlib import Path

import write_rocpd
from workload import scripted

write_rocpd.write(scripted(devices=2, steps=2, layers=1), Path("."))

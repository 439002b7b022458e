from pathlib import Path

import write_rocpd
from workload import scripted

write_rocpd.write(scripted(devices=1, steps=1, layers=1), Path("."))

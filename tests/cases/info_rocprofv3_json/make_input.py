from pathlib import Path

import write_rocprofv3
from workload import scripted

write_rocprofv3.write(scripted(devices=2, steps=2, layers=1), Path("."))

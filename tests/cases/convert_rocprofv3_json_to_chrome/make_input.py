from pathlib import Path

import write_rocprofv3
from workload import scripted

write_rocprofv3.write(scripted(devices=1, steps=1, layers=1), Path("."))

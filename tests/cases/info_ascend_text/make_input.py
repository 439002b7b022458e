from pathlib import Path

import write_ascend_text
from workload import scripted

write_ascend_text.write(scripted(devices=2, steps=2, layers=1), Path("."))

from pathlib import Path

import write_ascend_text
from workload import scripted

write_ascend_text.write(scripted(devices=1, steps=1, layers=1), Path("."))

from pathlib import Path

import write_ascend_db
from workload import scripted

write_ascend_db.write(scripted(devices=1, steps=4, layers=2), Path("."))

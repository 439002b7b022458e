from pathlib import Path

import write_ascend_db
from workload import scripted

write_ascend_db.write(scripted(devices=2, steps=2, layers=1), Path("."))

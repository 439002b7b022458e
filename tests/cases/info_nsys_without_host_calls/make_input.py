import sqlite3
from pathlib import Path

import write_nsys
from workload import scripted

write_nsys.write(scripted(devices=1, steps=1, layers=1), Path("."))
database = sqlite3.connect("nsys.sqlite")
database.execute("DROP TABLE CUPTI_ACTIVITY_KIND_RUNTIME")
database.commit()

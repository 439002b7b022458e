import gzip
from pathlib import Path

path = Path("trace.json")
path.write_bytes(gzip.compress(path.read_bytes(), 0, mtime=0))

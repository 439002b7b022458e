import gzip
from pathlib import Path

packed = gzip.compress(Path("whole.json").read_bytes(), 0, mtime=0)
Path("trace.json.gz").write_bytes(packed[:-60])

import gzip
from pathlib import Path

trace = Path("run/a.json").read_bytes()
Path("run/a.json.gz").write_bytes(gzip.compress(trace, 0, mtime=0))

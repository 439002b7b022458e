from pathlib import Path

Path("trace.json.gz").write_bytes(b"\x1f\x8b\x08" + bytes(7) + b"\xff" * 50)

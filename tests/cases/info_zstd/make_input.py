import struct
from pathlib import Path

text = Path("plain.json").read_bytes()
frame = struct.pack("<IBI", 0xFD2FB528, 0xA0, len(text))  # its size is told, in 4 bytes
block = struct.pack("<I", len(text) << 3 | 1)[:3]  # the last one, as it is
Path("trace.json.zst").write_bytes(frame + block + text)

import struct
from pathlib import Path

EXIT = 1 << 31
words = [500, 3, 4, 0, 100, EXIT, 180, 0, 0,  # block 0, group 0: start, multiprocessor, words, records
         510, 3, 4, 1, 120, EXIT | 1, 170, 0, 0,  # group 1
         520, 4, 4, 0, 90, EXIT, 195, 7, 7,  # block 1
         0, 0, 0, 0, 0, 0, 0, 0, 0]  # its group 1 recorded nothing
Path("mosaic.bin").write_bytes(struct.pack("<36I", *words))

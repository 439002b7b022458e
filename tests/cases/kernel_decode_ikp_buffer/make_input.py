import struct
from pathlib import Path

BEGIN, END, INSTANT = range(3)


def event(ns, number, kind, warp, sm=5, block=0):
    return struct.pack("<QHHHH", ns, number, kind, block, sm << 6 | warp)


EMPTY = bytes(16)
Path("events.bin").write_bytes(
    event(64, 1, BEGIN, 0) + event(96, 2, INSTANT, 0) + event(128, 1, END, 0) + EMPTY +
    event(64, 1, BEGIN, 1) + event(160, 1, END, 1) + 2 * EMPTY)

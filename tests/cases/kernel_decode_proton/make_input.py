import struct
from pathlib import Path

PREAMBLE, END, ROOM = 0xDEADBEEF, 1 << 31, 4


def block(number, sm, warps):
    """A header, the words that each warp wrote, and room for four entries a warp: scope and clock."""
    words = [PREAMBLE, number, sm, len(warps) * ROOM * 8, 1000, 0, 2000, 0, 2010, 0]
    words += [2 * len(warp) for warp in warps]
    for warp in warps:
        entries = [word for flags, scope, clock in warp for word in (flags | scope << 23, clock)]
        words += entries + [0] * (2 * ROOM - len(entries))
    return struct.pack(f"<{len(words)}I", *words)


Path("scratch.bin").write_bytes(
    block(0, 7, [[(0, 1, 100), (END, 1, 300)], [(0, 2, 150), (END, 2, 250)]]) +
    block(1, 9, [[(0, 1, 110), (END, 1, 310)], []]))

"""gzip and zstd: members and frames without content, and little that inflates to much."""

import gzip
import struct
import zlib

from .json_traces import HEAD, ONE, TAIL, span
from .shape import shape, write

EMPTY_MEMBER = gzip.compress(b"", mtime=0)
ZSTD_MAGIC = struct.pack("<I", 0xFD2FB528)
SKIPPABLE = struct.pack("<II", 0x184D2A50, 0)
BLOCK = 128 * 1024


def zstd_frame(*parts):
    """One frame of raw blocks (bytes) and of one byte again and again (byte, times)."""
    blocks = []
    for part in parts:
        byte, size = part if isinstance(part, tuple) else (None, len(part))
        for at in range(0, size, BLOCK):
            length = min(BLOCK, size - at)
            kind = 0 if byte is None else 1
            content = part[at:at + length] if byte is None else byte
            blocks.append([kind << 1 | length << 3, content])
    blocks[-1][0] |= 1
    # No single segment, no checksum; a window of 128 KiB.
    head = ZSTD_MAGIC + bytes([0, 7 << 3])
    return head + b"".join(struct.pack("<I", header)[:3] + content for header, content in blocks)


EMPTY_FRAME = ZSTD_MAGIC + bytes([0, 7 << 3]) + b"\1\0\0"


@shape("members without content", "gzip", 50_000)
def empty_members(n, folder):
    content = f"{HEAD}{ONE}{TAIL}".encode()
    return write(folder / "trace.json.gz", (EMPTY_MEMBER, n), gzip.compress(content))


@shape("members of one byte", "gzip", 50_000)
def tiny_members(n, folder):
    return write(folder / "trace.json.gz", gzip.compress(f"{HEAD}{ONE}".encode()), (gzip.compress(b" ", mtime=0), n),
                 gzip.compress(TAIL.encode()))


@shape("zeros behind the last member", "gzip", 64_000_000)
def padding(n, folder):
    return write(folder / "trace.json.gz", gzip.compress(f"{HEAD}{ONE}{TAIL}".encode()), (b"\0", n))


def gzip_of(path, pieces):
    """Compresses pieces of (text, times); gives the path and the inflated size."""
    deflate = zlib.compressobj(9, zlib.DEFLATED, 31)
    size = 0
    with open(path, "wb") as out:
        for piece, times in pieces:
            block = max(1, (1 << 20) // len(piece))
            for at in range(0, times, block):
                some = piece.encode() * min(block, times - at)
                size += len(some)
                out.write(deflate.compress(some))
        out.write(deflate.flush())
    return path, size


@shape("a bomb of blanks, 1000 to 1", "gzip", 100_000_000)
def blank_bomb(n, folder):
    return gzip_of(folder / "trace.json.gz", [(HEAD + ONE, 1), (" ", n), ("," + span(1) + TAIL, 1)])


@shape("a bomb of one event", "gzip", 400_000)
def event_bomb(n, folder):
    return gzip_of(folder / "trace.json.gz", [(HEAD, 1), (ONE + ",", n), (ONE + TAIL, 1)])


@shape("a bomb of zero bytes", "gzip", 100_000_000, code=3)
def zero_bomb(n, folder):
    return gzip_of(folder / "trace.json.gz", [("\0", n)])


@shape("frames without content", "zstd", 200_000)
def empty_frames(n, folder):
    return write(folder / "trace.json.zst", (EMPTY_FRAME, n), zstd_frame(f"{HEAD}{ONE}{TAIL}".encode()))


@shape("skippable frames", "zstd", 200_000)
def skippable_frames(n, folder):
    return write(folder / "trace.json.zst", EMPTY_FRAME, (SKIPPABLE, n), zstd_frame(f"{HEAD}{ONE}{TAIL}".encode()))


@shape("blocks of one byte", "zstd", 400_000)
def tiny_blocks(n, folder):
    block = struct.pack("<I", 1 << 3)[:3] + b" "
    last = struct.pack("<I", 1 | len(TAIL) << 3)[:3] + TAIL.encode()
    first = f"{HEAD}{ONE}".encode()
    head = ZSTD_MAGIC + bytes([0, 7 << 3]) + struct.pack("<I", len(first) << 3)[:3] + first
    return write(folder / "trace.json.zst", head, (block, n), last)


@shape("a bomb of blanks, 30,000 to 1", "zstd", 100_000_000)
def zstd_blank_bomb(n, folder):
    path = write(folder / "trace.json.zst", zstd_frame(f"{HEAD}{ONE}".encode(), (b" ", n),
                                                       f",{span(1)}{TAIL}".encode()))
    return path, n


@shape("a bomb of zero bytes", "zstd", 100_000_000, code=3)
def zstd_zero_bomb(n, folder):
    return write(folder / "trace.json.zst", zstd_frame((b"\0", n))), n

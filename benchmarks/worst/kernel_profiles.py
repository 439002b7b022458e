"""In-kernel profiles: .lkp files whose names, lanes and launches would fill many times the file."""

import json
import struct
import sys
from pathlib import Path

from .shape import shape

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "cli"))

from kernel_file import (ASYNC, BEGIN, END, FINALIZED, INSTANT, LANE, LAUNCH, META, RECORD, SWITCH,  # noqa: E402
                         sections, tag)

READER = ".lkp"
JSON = ("kernel", "decode", "IN", "--json")
TEXT = ("kernel", "decode", "IN")
PERFETTO = ("kernel", "decode", "IN", "--perfetto", "OUT.pftrace")
SVG = ("kernel", "decode", "IN", "--svg", "OUT.svg")


def launch_entry(number, kernel=0, groups=1):
    return struct.pack("<IIQII3I3I3IIQ", number, 0, number + 1, kernel, groups, 1, 1, 1, 32, 1, 1, 0, 0, 0, 0, 1)


def lane_entry(number, launch=0, block=0, group=0, first=0, count=0):
    return struct.pack("<IIQIIIIIIQQQQQII", launch, number, block, group, 1, 1, 0, 0, FINALIZED, first, count, count,
                       count, 0, 0, 0)


def lkp(folder, records=(), lanes=None, launches=None, events=("work",), kernels=("kernel",)):
    body = b"".join(struct.pack("<II", clock & 0xFFFFFFFF, word) for clock, word in records)
    meta = json.dumps({"tick": {"timer_ns": 32, "clock_ghz": 1}, "events": list(events),
                       "kernels": list(kernels)}).encode()
    if lanes is None:
        lanes = [lane_entry(0, count=len(body) // 8)]
    path = folder / "profile.lkp"
    path.write_bytes(sections([(META, 1, meta), (LAUNCH, 72, b"".join(launches or [launch_entry(0)])),
                               (LANE, 88, b"".join(lanes)), (RECORD, 8, body)]))
    return path


def switches(n):
    return [(10 * i, tag(SWITCH, i % 2, (i + 1) % 2)) for i in range(n)]


@shape("switches", READER, 100_000, *JSON)
def all_switches(n, folder):
    return lkp(folder, switches(n), events=("a", "b"))


@shape("a name of 60 kB on every record", READER, 20_000, *JSON)
def long_event_name(n, folder):
    return lkp(folder, switches(n), events=("a" * 60_000, "b" * 60_000))


@shape("a name of 60 kB on every launch", READER, 5_000, *JSON)
def long_kernel_name(n, folder):
    return lkp(folder, launches=[launch_entry(i) for i in range(n)], kernels=("k" * 60_000,))


@shape("instants", READER, 100_000, *JSON)
def instants(n, folder):
    return lkp(folder, [(10 * i, tag(INSTANT, 0)) for i in range(n)])


@shape("begins that never end", READER, 100_000, *JSON)
def begins(n, folder):
    return lkp(folder, [(10 * i, tag(BEGIN, i % 4096)) for i in range(n)])


@shape("ends that cross", READER, 50_000, *PERFETTO)
def crossing(n, folder):
    return lkp(folder, [(10 * i, tag(BEGIN if i < n // 2 else END, i % 4096)) for i in range(n)])


@shape("asynchronous work of one token", READER, 50_000, *JSON)
def asynchronous(n, folder):
    return lkp(folder, [(10 * i, tag(BEGIN if i < n // 2 else END, 1, 7, ASYNC)) for i in range(n)])


@shape("asynchronous work of all tokens", READER, 50_000, *PERFETTO)
def asynchronous_tokens(n, folder):
    return lkp(folder, [(10 * i, tag(BEGIN if i % 2 else END, 1, i * 7 % 65536, ASYNC)) for i in range(n)])


@shape("lanes of no records", READER, 50_000, *JSON)
def lanes(n, folder):
    return lkp(folder, lanes=[lane_entry(i, block=i) for i in range(n)])


@shape("groups of one block", READER, 20_000, *JSON)
def groups(n, folder):
    records = [(10 * i, tag(BEGIN + i % 2, 0)) for i in range(2 * n)]
    return lkp(folder, records, lanes=[lane_entry(i, group=i, first=2 * i, count=2) for i in range(n)])


@shape("lanes that claim all records", READER, 20_000, *JSON)
def greedy_lanes(n, folder):
    return lkp(folder, switches(n), lanes=[lane_entry(i, block=i, count=n) for i in range(n)], events=("a", "b"))


@shape("launches of one lane", READER, 20_000, *TEXT)
def launches(n, folder):
    records = [(10 * i, tag(BEGIN + i % 2, 0)) for i in range(2 * n)]
    return lkp(folder, records, [lane_entry(i, launch=i, first=2 * i, count=2) for i in range(n)],
               [launch_entry(i) for i in range(n)])


@shape("clocks that jump", READER, 100_000, *TEXT)
def jumping_clocks(n, folder):
    return lkp(folder, [(i * 2_654_435_761, tag(BEGIN + i % 2, i % 7)) for i in range(n)])


@shape("a picture of many lanes", READER, 20_000, *SVG)
def picture(n, folder):
    records = [(10 * i, tag(BEGIN + i % 2, 0)) for i in range(2 * n)]
    return lkp(folder, records, lanes=[lane_entry(i, block=i, first=2 * i, count=2) for i in range(n)])

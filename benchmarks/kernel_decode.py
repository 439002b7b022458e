#!/usr/bin/env python3
"""The benchmark of `kernel decode`: .lkp files of many lanes and of long lanes, from the file to the summary.

Usage: kernel_decode.py LOCKSTEP [--records 100000000] [--runs 5] [--keep FOLDER] [--markdown FILE]

The files are written here, by the layout of docs/formats/lkp.md: 8 bytes a record, so 0.8 GB for the promised
size, in --keep or in a folder for the time of the run.
"""
import argparse
import json
import os
import random
import struct
import tempfile

from formats import measure
from run import machine

# The promise: records a second on two cores, summary only.
BAR_RECORDS = 100_000_000
BAR_RECORDS_PER_SECOND = 50e6

EVENTS = ["tile", "load", "mma", "store"]
MULTIPROCESSORS = 132
GROUPS = 2
CYCLES_PER_NS = 1.755
TIMER_STEP_NS = 32
BEGIN, END, SWITCH = 0, 1, 3
FINALIZED, STAGED = 1, 128
META, LAUNCH, LANE, ANCHOR, RECORD = 1, 2, 3, 4, 5
SECTION_ALIGNMENT = 64
LANE_BYTES, ANCHOR_BYTES, RECORD_BYTES = 88, 24, 8
# Lanes are copies of so many, each at its own time.
TEMPLATES = 16

# Name, and how many lanes share the records.
SHAPES = [
    ("many lanes", lambda records: records // 1000),
    ("one lane a multiprocessor", lambda records: MULTIPROCESSORS),
]


def tag(kind, event, payload=0):
    return kind << 30 | event << 16 | payload


def program(rng, records):
    """(cycles from the lane's begin, tag) of a loop over tiles: load, two steps of MMA, store."""
    body = [tag(BEGIN, 0), tag(BEGIN, 1), tag(SWITCH, 2, 1), tag(SWITCH, 2, 2), tag(END, 2), tag(BEGIN, 3), tag(END, 3),
            tag(END, 0)]
    clock, rows = 200, []
    for i in range(records - records % len(body)):
        rows.append((clock, body[i % len(body)]))
        clock += rng.randrange(20, 180)
    return rows, clock + 200


def anchor(clock, offset_cycles):
    """The timer stepped to a multiple of its step while the counter was near `clock`."""
    ns = int((clock - offset_cycles) / CYCLES_PER_NS) // TIMER_STEP_NS * TIMER_STEP_NS
    before = offset_cycles + round(ns * CYCLES_PER_NS) - 12
    return struct.pack("<QQQ", 10**15 + ns, before, before + 24)


class Template:
    """A lane's records as one number, so that a later begin is one addition."""

    def __init__(self, rng, records):
        rows, self.cycles = program(rng, records)
        self.records = len(rows)
        data = b"".join(struct.pack("<II", clock, word) for clock, word in rows)
        self.number = int.from_bytes(data, "little")
        self.ones = int.from_bytes(struct.pack("<II", 1, 0) * self.records, "little")

    def at(self, clock):
        return (self.number + self.ones * clock).to_bytes(self.records * RECORD_BYTES, "little")


def write_sections(file, sections):
    """`sections`: (kind, item bytes, items, chunks). The header is written last, when sizes are known."""
    entries, offset = [], 64 + 24 * len(sections)
    file.seek(offset)
    for kind, item_bytes, items, chunks in sections:
        file.write(bytes(-offset % SECTION_ALIGNMENT))
        offset += -offset % SECTION_ALIGNMENT
        entries.append(struct.pack("<IIQQ", kind, item_bytes, offset, items))
        for chunk in chunks:
            file.write(chunk)
        offset += item_bytes * items
    file.seek(0)
    header = struct.pack("<8sIIQI", b"LKP1\r\n\x1a\n", 1, 64, offset, len(sections))
    file.write(header + bytes(64 - len(header)) + b"".join(entries))


def generate(path, lanes, records):
    rng = random.Random(1)
    templates = [Template(rng, records // lanes) for _ in range(min(TEMPLATES, lanes))]
    offsets = [rng.randrange(1 << 28) for _ in range(MULTIPROCESSORS)]
    groups = GROUPS if lanes > MULTIPROCESSORS else 1
    span = max(template.cycles for template in templates) + 5000

    def places():
        """(lane, block, multiprocessor, template, clock of its begin)"""
        for lane in range(lanes):
            block = lane // groups
            sm = block % MULTIPROCESSORS
            clock = offsets[sm] + 1000 + block // MULTIPROCESSORS * span
            yield lane, block, sm, templates[lane % len(templates)], clock

    def lane_table():
        first = 0
        for lane, block, sm, template, _ in places():
            yield struct.pack("<IIQIIIIIIQQQQQII", 0, lane, block, lane % groups, sm, sm, 0, lane % groups * 128,
                              FINALIZED | STAGED, first, template.records, template.records, template.records,
                              2 * lane, 2, 0)
            first += template.records

    def anchors():
        for _, _, sm, template, clock in places():
            yield anchor(clock, offsets[sm]) + anchor(clock + template.cycles, offsets[sm])

    total = sum(templates[lane % len(templates)].records for lane in range(lanes))
    blocks = (lanes + groups - 1) // groups
    launch = struct.pack("<IIQII9IIQ", 0, 0, 1, 0, groups, blocks, 1, 1, 128 * groups, 1, 1, 0, 0, 0, 0, lanes)
    meta = json.dumps({"producer": "benchmark", "tick": {"timer_ns": TIMER_STEP_NS}, "events": EVENTS,
                       "kernels": ["tiles"]}).encode()
    with open(path, "wb") as file:
        write_sections(file, [
            (META, 1, len(meta), [meta]), (LAUNCH, 72, 1, [launch]), (LANE, LANE_BYTES, lanes, lane_table()),
            (ANCHOR, ANCHOR_BYTES, 2 * lanes, anchors()),
            (RECORD, RECORD_BYTES, total, (template.at(clock) for *_, template, clock in places()))])
    return total


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("lockstep")
    parser.add_argument("--records", type=int, default=BAR_RECORDS)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--keep", help="folder for the files, which stay there")
    parser.add_argument("--markdown")
    options = parser.parse_args()

    lines = [f"Machine: {machine()}.", "",
             "| file | lanes | records | MB | seconds (median) | processor seconds | million records/s | peak MB |",
             "|---|---:|---:|---:|---:|---:|---:|---:|"]
    print("\n".join(lines), flush=True)
    slowest = None
    with tempfile.TemporaryDirectory() as scratch:
        for name, lanes_for in SHAPES:
            lanes = lanes_for(options.records)
            path = os.path.join(options.keep or scratch, f"{lanes}-lanes.lkp")
            records = generate(path, lanes, options.records)
            command = [options.lockstep, "kernel", "decode", path, "--json", "--no-regions"]
            seconds, processor, memory = measure(command, options.runs)
            rate = records / seconds
            slowest = min(rate, slowest or rate)
            lines.append(f"| {name} | {lanes:,} | {records:,} | {os.path.getsize(path) / 1e6:.0f} | {seconds:.3f} | "
                         f"{processor:.3f} | {rate / 1e6:.1f} | {memory / 1e6:.0f} |")
            print(lines[-1], flush=True)
            if not options.keep:
                os.remove(path)
    ends = ["", f"* at least {slowest / 1e6:.0f} million records a second (promised: {BAR_RECORDS_PER_SECOND / 1e6:.0f} "
                f"on {BAR_RECORDS:,} records)"]
    print("\n".join(ends))
    if options.markdown:
        with open(options.markdown, "w", encoding="utf-8") as file:
            file.write("\n".join(lines + ends) + "\n")


if __name__ == "__main__":
    main()

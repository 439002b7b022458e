"""In-kernel profiles for tests: .lkp files of a made-up pipeline, and the buffer of a TVM kernel.

Cycles of a multiprocessor are its own: each has another offset, and all run at 2 GHz.
"""

import json
import struct

META, LAUNCH, LANE, ANCHOR, RECORD, REGION = range(1, 7)
BEGIN, END, INSTANT, SWITCH = range(4)
ASYNC, PAYLOAD = 1, 2
FINALIZED, REGION_RECORDS, RING = 1, 2, 4
CYCLES_PER_NS = 2
EPOCH_NS = 1_800_000_000_000_000_000
NO_KERNEL = 0xFFFFFFFF
EVENTS = ["load", "wait", "mma", "store", "copy", "tile"]
LOAD, WAIT, MMA, STORE, COPY, TILE = range(6)


def tag(kind, event, payload=0, flags=0):
    return kind << 30 | flags << 28 | event << 16 | payload


class Lane:
    """What one group of a block recorded; times are ns from the start of the launch."""

    def __init__(self, block, group, sm, start_ns, launch=0):
        self.block, self.group, self.sm, self.launch = block, group, sm, launch
        self.start_ns = self.now = start_ns
        self.records = []
        self.dropped = 0
        self.sm_end = sm
        self.flags = FINALIZED

    def clock(self, ns):
        return int(ns * CYCLES_PER_NS) + self.sm * 1_000_003 + (1 << 33)

    def mark(self, kind, event, payload=0, flags=0):
        self.records.append((self.clock(self.now) & 0xFFFFFFFF, tag(kind, event, payload, flags)))

    def region(self, event, length_ns, payload=None):
        flags = 0 if payload is None else PAYLOAD
        self.mark(BEGIN, event, payload or 0, flags)
        self.now += length_ns
        self.mark(END, event)

    def anchors(self):
        """Two at each end, where the timer steps every 32 ns."""
        steps = [self.start_ns // 32 * 32 - 64, self.start_ns // 32 * 32 - 32,
                 int(self.now) // 32 * 32 + 32, int(self.now) // 32 * 32 + 64]
        return [(EPOCH_NS + ns, self.clock(ns) - 3, self.clock(ns) + 3) for ns in steps]


def launch_entry(number, kernel=0, blocks=2, groups=2, threads=64, lanes=4, cluster=(0, 0, 0)):
    return struct.pack("<IIQII3I3I3IIQ", number, 0, number + 1, kernel, groups, blocks, 1, 1,
                       threads, 1, 1, *cluster, 0, lanes)


def lane_entry(lane, number, first_record, first_anchor):
    seen = len(lane.records) + lane.dropped
    return struct.pack("<IIQIIIIIIQQQQQII", lane.launch, number, lane.block, lane.group, lane.sm,
                       lane.sm_end, 0, lane.group * 32, lane.flags, first_record, seen,
                       len(lane.records), 64, first_anchor, 4, 0)


def lkp(lanes, launches, names=EVENTS, kernels=("pipeline",)):
    """The bytes of a .lkp file."""
    meta = json.dumps({"producer": "kernel_file.py", "device": "made-up GPU", "arch": "sm_90",
                       "tick": {"timer_ns": 32, "clock_ghz": CYCLES_PER_NS}, "events": list(names),
                       "kernels": list(kernels)}).encode()
    records, anchors, entries = b"", b"", b""
    for number, lane in enumerate(lanes):
        entries += lane_entry(lane, number, len(records) // 8, len(anchors) // 24)
        records += b"".join(struct.pack("<II", *record) for record in lane.records)
        anchors += b"".join(struct.pack("<QQQ", *anchor) for anchor in lane.anchors())
    return sections([(META, 1, meta), (LAUNCH, 72, b"".join(launches)), (LANE, 88, entries),
                     (ANCHOR, 24, anchors), (RECORD, 8, records)])


def sections(parts):
    """The bytes of a .lkp file of these (kind, bytes of an item, content)."""
    table, body = b"", b""
    start = (64 + 24 * len(parts) + 63) // 64 * 64
    for kind, size, content in parts:
        table += struct.pack("<IIQQ", kind, size, start + len(body), len(content) // size)
        body += content + b"\0" * (-len(content) % 64)
    head = b"LKP1\r\n\x1a\n" + struct.pack("<IIQI", 1, 64, start + len(body), len(parts))
    return (head + b"\0" * 36 + table).ljust(start, b"\0") + body


def pipeline_lanes(launch=0, at_ns=0, slow=1.0, blocks=2):
    """A producer that loads tiles and a consumer that multiplies them; the last block is slower.
    The producer begins a copy of every tile that the consumer ends."""
    lanes = []
    for block in range(blocks):
        pace = slow * (1.25 if block == blocks - 1 else 1)
        start = at_ns + 20 * block
        producer = Lane(block, 0, 10 + block, start, launch)
        consumer = Lane(block, 1, 10 + block, start, launch)
        for tile in range(4):
            producer.mark(BEGIN, COPY, tile + 4 * block, ASYNC)
            producer.region(LOAD, 150 * pace, payload=tile)
            producer.region(WAIT, 60 * pace)
            consumer.region(WAIT, (160 if tile == 0 else 10) * pace)
            consumer.mark(END, COPY, tile + 4 * block, ASYNC)
            consumer.mark(BEGIN, TILE)
            consumer.region(MMA, 180 * pace)
            consumer.mark(END, TILE)
            consumer.now += 8
        consumer.region(STORE, 70 * pace)
        consumer.mark(INSTANT, STORE)
        lanes += [producer, consumer]
    return lanes


def pipeline(**how):
    return lkp(pipeline_lanes(**how), [launch_entry(0)])


def three_launches():
    lanes = [lane for number in range(3)
             for lane in pipeline_lanes(launch=number, at_ns=5000 * number, slow=1 + number / 10)]
    return lkp(lanes, [launch_entry(number) for number in range(3)])


def tvm_buffer(blocks=2, groups=1, has_header=True):
    """Load, compute and store of every lane, as the spec's CudaProfiler writes them."""
    lanes = blocks * groups
    slots = [0] * (1 + lanes * 7 + 40)
    slots[0] = groups << 32 | blocks if has_header else 0
    for lane in range(lanes):
        at, time = 1 + lane, 1_000_000_000 + 32 * lane
        for event, length in enumerate((96, 8704, 64)):
            for kind in (BEGIN, END):
                slots[at] = time << 32 | lane << 12 | event << 2 | kind
                at += lanes
                time += length if kind == BEGIN else 32
        slots[at] = time << 32 | lane << 12 | 3
    return struct.pack(f"<{len(slots)}Q", *slots)


def npy(data):
    """A one-dimensional array of u64, as numpy.save writes it."""
    head = f"{{'descr': '<u8', 'fortran_order': False, 'shape': ({len(data) // 8},), }}"
    head += " " * (-(len(head) + 11) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + data

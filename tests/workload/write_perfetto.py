"""Writes a workload as Perfetto's SDK does: protobuf track events in the order of time, interned strings,
a clock of its own that counts on, defaults of the sequence. Categories are PyTorch's words.

There is no real Perfetto file in the corpus: the numbers of the fields are typed from the format's
description.
"""

import zlib

from wire import data, fixed64, number
from workload import PS_PER_NS

FORMAT = "perfetto"
CARRIES = {
    "kernels", "collectives", "copies", "sets", "devices", "streams", "calls", "operators", "annotations",
    "steps", "launches", "correlation", "process", "epoch", "grid", "bytes",
}
ROCPROF_LACKS = ("sets", "devices", "streams", "operators", "annotations", "steps", "launches", "correlation",
                 "grid", "bytes")
VARIANTS = {
    "compressed packets": {"compressed": True},
    "one record after the other, absolute times": {"sorted_by_time": False},
    "descriptors behind the events": {"descriptors_last": True},
    "state cleared in the middle": {"clear_every": 50},
    "legacy events": {"legacy": True},
    "rocprofv3": {"rocprof": True, "sorted_by_time": False, "without": ROCPROF_LACKS},
}

CATEGORIES = {
    "kernel": "kernel", "communication": "kernel", "memcpy": "gpu_memcpy", "memset": "gpu_memset",
    "annotation": "user_annotation", "host_op": "cpu_op", "runtime_call": "cuda_runtime",
}
ROCPROF_CATEGORIES = {"kernel": "kernel_dispatch", "communication": "kernel_dispatch",
                      "memcpy": "memory_copy", "runtime_call": "hip_api"}

BOOTTIME, REALTIME, INCREMENTAL = 6, 1, 64
BOOT_NS = 987_654_321_000  # the machine was started that long before the workload
SLICE_BEGIN, SLICE_END = 1, 2
PROCESS_UUID, MARKER_UUID = 100, 101


class Interned:
    """Strings of one kind that the sequence has defined; `field` is theirs in InternedData."""

    def __init__(self, field):
        self.field = field
        self.known = {}

    def use(self, text, pending):
        if text not in self.known:
            self.known[text] = len(self.known) + 1
            pending.append(data(self.field, number(1, self.known[text]) + data(2, text)))
        return self.known[text]


class Sequence:
    """Writes the packets of one sequence."""

    def __init__(self, work, sorted_by_time, clear_every, legacy):
        self.origin = BOOT_NS
        self.work = work
        self.incremental = sorted_by_time
        self.clear_every = clear_every
        self.legacy = legacy
        self.packets = []
        self.start()

    def packet(self, body, flags=2):
        self.packets.append(data(1, body + number(10, 7) + number(13, flags)))

    def start(self):
        """What the SDK writes whenever the state of the sequence is cleared."""
        self.names, self.categories = Interned(2), Interned(1)
        self.annotation_names = Interned(3)
        self.last_ns = self.origin
        clocks = [number(1, BOOTTIME) + number(2, self.origin),
                  number(1, REALTIME) + number(2, self.work.origin_ns),
                  number(1, INCREMENTAL) + number(2, self.origin) + number(3, 1)]
        snapshot = b"".join(data(1, clock) for clock in clocks)
        defaults = data(59, number(58, INCREMENTAL if self.incremental else BOOTTIME))
        self.packet(data(6, snapshot) + defaults, flags=1)

    def time(self, ns):
        if not self.incremental:
            return number(8, ns)
        delta, self.last_ns = ns - self.last_ns, ns
        return number(8, delta)

    def annotation(self, name, value, pending):
        body = number(1, self.annotation_names.use(name, pending))
        if isinstance(value, (list, tuple)):
            return body + b"".join(data(12, number(4, v)) for v in value)
        return body + (number(4, value) if isinstance(value, int) else data(6, value))

    def edge(self, ns, uuid, is_begin, name="", category="", annotations=(), flow=None):
        if self.clear_every and len(self.packets) % self.clear_every == 0:
            self.start()
        pending = []
        event = number(11, uuid)
        if self.legacy:
            event += data(6, number(2, ord("B" if is_begin else "E")))
        else:
            event += number(9, SLICE_BEGIN if is_begin else SLICE_END)
        if is_begin:
            event += number(10, self.names.use(name, pending)) + number(3, self.categories.use(category, pending))
            event += b"".join(data(4, self.annotation(k, v, pending)) for k, v in annotations)
            event += fixed64(47, flow) if flow is not None else b""
        interned = data(12, b"".join(pending)) if pending else b""
        self.packet(self.time(ns) + data(11, event) + interned)


def descriptors(work, rocprof):
    """Bodies of TrackDescriptor, and the uuid of the track of every event."""
    made = [number(1, PROCESS_UUID) + data(3, number(1, work.pid) + data(6, "python"))]
    uuids = {}

    def track(key, body):
        if key not in uuids:
            uuids[key] = 1000 + len(uuids)
            made.append(number(1, uuids[key]) + number(5, PROCESS_UUID) + body)

    made.append(number(1, MARKER_UUID) + number(5, PROCESS_UUID) + data(2, "markers"))
    for event in work.host_events:
        thread = event.thread
        track(("host", thread), data(2, f"THREAD 1 ({thread})") if rocprof else
              data(4, number(1, work.pid) + number(2, thread) + data(5, "main")))
    for event in work.device_events:
        stream = f"stream {event.stream} of GPU {event.device}"
        if rocprof:
            use = "COPY to" if event.kind == "memcpy" else "COMPUTE"
            stream = f"{use} AGENT [{event.device}] STREAM [{event.stream}] (GPU)"
        track((stream,), data(2, stream))
        uuids[id(event)] = uuids[(stream,)]
    return made, uuids


def slices(work, rocprof):
    """begin, end, uuid key, name, category, annotations, flow of everything that is written."""
    categories = ROCPROF_CATEGORIES if rocprof else CATEGORIES
    correlation = "corr_id" if rocprof else "correlation"
    for event in work.host_events + work.device_events:
        if event.kind not in categories:
            continue
        annotations, flow = [], None
        if event.correlation is not None:
            annotations.append((correlation, event.correlation))
            flow = event.correlation ^ 0xFEED_0000
        if hasattr(event, "device"):
            key = id(event)
            annotations += [("device", event.device), ("stream", event.stream)] if not rocprof else []
            if event.kind in ("kernel", "communication"):
                annotations += [("grid", event.grid), ("block", event.block)]
            else:
                annotations.append(("bytes", event.bytes))
        else:
            key = "markers" if event.kind == "annotation" else ("host", event.thread)
        yield (event.start_ps // PS_PER_NS, event.end_ps // PS_PER_NS, key, event.name,
               categories[event.kind], annotations, flow)


def write(work, folder, compressed=False, sorted_by_time=True, descriptors_last=False, clear_every=0,
          legacy=False, rocprof=False):
    """Writes the file and returns the path that lockstep is given."""
    sequence = Sequence(work, sorted_by_time, clear_every, legacy)
    bodies, uuids = descriptors(work, rocprof)
    uuids["markers"] = MARKER_UUID
    if not descriptors_last:
        for body in bodies:
            sequence.packet(data(60, body))
    edges = []
    for begin, end, key, name, category, annotations, flow in slices(work, rocprof):
        # Ends first, outer slices around inner ones.
        edges.append(((begin, 1, -end), BOOT_NS + begin, uuids[key], True, name, category, annotations, flow))
        edges.append(((end, 0, -begin), BOOT_NS + end, uuids[key], False))
    if sorted_by_time:
        edges.sort(key=lambda edge: edge[0])
    for _, *edge in edges:
        sequence.edge(*edge)
    if descriptors_last:
        for body in bodies:
            sequence.packet(data(60, body))
    packets = b"".join(sequence.packets)
    path = folder / "trace.pftrace"
    path.write_bytes(data(1, data(50, zlib.compress(packets))) if compressed else packets)
    return path

"""One scripted workload with known truth, which the writers of this folder write in every format.

Three training steps on one or two devices: a copy in, four layers of two kernels and a collective that
overlaps them, a set, a copy out. Every launch has a call on the host, inside an operator, inside a
step. Times are odd on purpose, so that a reader that rounds is caught.
"""

from dataclasses import dataclass, field

PS_PER_NS = 1000
NS_PER_US = 1000

# What a format may be able to carry. workload_test.py compares these and nothing else; the table in
# docs/formats/README.md is made of them.
ATTRIBUTES = {
    "kernels": "name, start and duration of every kernel that is no collective, exact in ns",
    "picoseconds": "times exact in ps",
    "collectives": "operation, start and duration of every collective",
    "copies": "start and duration of every copy",
    "sets": "start and duration of every set",
    "devices": "the device of every device event",
    "device_names": "the name of every device",
    "streams": "the stream of every device event",
    "calls": "start, duration and thread of every runtime call",
    "operators": "name, start, duration and thread of every host operator",
    "annotations": "name, start and duration of every marker of the user",
    "steps": "the steps that the user marked",
    "launches": "which call launched which device event",
    "correlation": "the correlation id of every call and device event",
    "process": "the process id",
    "rank": "the rank, from the file itself",
    "epoch": "the time since 1970",
    "grid": "grid and block of every kernel",
    "bytes": "the size of every copy",
    "groups": "the process group of every collective",
    "messages": "data type and number of elements of every collective",
}


@dataclass(frozen=True)
class Message:
    """What a collective does."""

    op: str  # as lockstep calls it: all_reduce
    group: str
    dtype: str
    elements: int
    sequence: int


@dataclass(frozen=True)
class DeviceEvent:
    name: str
    kind: str  # kernel, communication, memcpy, memset
    device: int
    stream: int
    start_ps: int  # from the origin
    duration_ps: int
    correlation: int
    grid: tuple = (1, 1, 1)  # in blocks
    block: tuple = (1, 1, 1)
    bytes: int = 0
    message: Message | None = None
    step: int = 0

    @property
    def end_ps(self):
        return self.start_ps + self.duration_ps


@dataclass(frozen=True)
class HostEvent:
    name: str
    kind: str  # annotation, host_op, runtime_call
    thread: int
    start_ps: int
    duration_ps: int
    correlation: int | None = None
    step: int = 0

    @property
    def end_ps(self):
        return self.start_ps + self.duration_ps


@dataclass
class Workload:
    origin_ns: int = 1_763_193_600_123_456_789  # since 1970
    pid: int = 4711
    rank: int = 1
    world: int = 4
    devices: list = field(default_factory=list)  # names, by number
    device_events: list = field(default_factory=list)
    host_events: list = field(default_factory=list)

    def of_kind(self, *kinds):
        return [e for e in self.device_events if e.kind in kinds]

    def host_of_kind(self, *kinds):
        return [e for e in self.host_events if e.kind in kinds]

    def end_ps(self):
        return max(e.end_ps for e in self.device_events + self.host_events)


class Script:
    """Writes the workload down, with a clock for the host and one for each stream."""

    THREAD = 4712
    COMPUTE, COMMUNICATION = 7, 20

    def __init__(self, devices, steps, layers, unit):
        self.work = Workload(devices=[f"Accelerator {chr(65 + i)}" for i in range(devices)])
        self.unit = unit  # ps in the smallest tick
        self.now = 1_001
        self.free = {}  # when a stream is free again
        self.correlation = 100
        self.sequence = 0
        self.layers = layers
        for step in range(1, steps + 1):
            self.step(step)

    def ticks(self, ns, odd):
        """About `ns`, with a rest below it where the format has one."""
        return ns * PS_PER_NS + odd % PS_PER_NS // self.unit * self.unit

    def launch(self, step, operator, name, kind, device, stream, ns, **facts):
        self.correlation += 1
        c = self.correlation
        call_start = self.ticks(self.now + 300, c * 7)
        call = HostEvent("cudaLaunchKernel", "runtime_call", self.THREAD, call_start,
                         self.ticks(1_203, c), c, step)
        self.work.host_events.append(call)
        start = max(call.end_ps + self.ticks(2_001 + c % 13, c * 31), self.free.get((device, stream), 0))
        event = DeviceEvent(name, kind, device, stream, start, self.ticks(ns, c * 17), c, step=step, **facts)
        self.work.device_events.append(event)
        self.free[device, stream] = event.end_ps + self.ticks(5, 0)
        if operator:
            self.work.host_events.append(
                HostEvent(operator, "host_op", self.THREAD, self.ticks(self.now, 0), self.ticks(2_500, 0), None, step))
        self.now += 3_000

    def step(self, number):
        began = self.now - 500
        for device in range(len(self.work.devices)):
            def on(name, kind, stream, ns, operator=None, **facts):
                self.launch(number, operator, name, kind, device, stream, ns, **facts)
            on("Memcpy HtoD (Pageable -> Device)", "memcpy", self.COMPUTE, 4_099, "aten::copy_", bytes=1 << 20)
            for layer in range(self.layers):
                on("gemm_bf16_128x256", "kernel", self.COMPUTE, 20_011 + 7 * layer, "aten::mm",
                   grid=(64, 2, 1), block=(256, 1, 1))
                on("void softmax<float, 4>(float*, int)", "kernel", self.COMPUTE, 3_307, "aten::softmax",
                   grid=(16, 1, 1), block=(128, 1, 1))
                self.sequence += 1
                on("ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
                   "communication", self.COMMUNICATION, 15_401, "c10d::allreduce_",
                   grid=(24, 1, 1), block=(512, 1, 1),
                   message=Message("all_reduce", "tp", "BFloat16", 4096 * (layer + 1), self.sequence))
            on("Memset (Device)", "memset", self.COMPUTE, 907, bytes=4096)
            on("Memcpy DtoH (Device -> Pinned)", "memcpy", self.COMPUTE, 1_511, "aten::item", bytes=4)
        # The step ends when the host has seen its last kernel.
        last = max(e.end_ps for e in self.work.device_events)
        self.now = max(self.now, last // PS_PER_NS + 1) + 2_000
        self.work.host_events.append(
            HostEvent(f"ProfilerStep#{number}", "annotation", self.THREAD, began * PS_PER_NS,
                      (self.now - began - 1_000) * PS_PER_NS, None, number))
        self.work.host_events.append(
            HostEvent("forward", "annotation", self.THREAD, (began + 100) * PS_PER_NS, 9_000 * PS_PER_NS, None, number))


def scripted(devices=2, steps=3, layers=4, picoseconds=False):
    """The workload; with `picoseconds` its times have a rest below the nanosecond."""
    return Script(devices, steps, layers, 1 if picoseconds else PS_PER_NS).work

"""Made-up Kineto traces of marked steps with stalls put in on purpose, and what was put in.

A host clock walks through the operators of every step; kernels start when they have been launched and
their stream is free. A stall is host time between two operators: the device runs dry and stays idle.
All times are whole nanoseconds, so that what is planted is known exactly.
"""
import json
from dataclasses import dataclass, field

US = 1_000
MS = 1_000_000
EPOCH_NS = 5 * MS  # of the first event, from baseTimeNanoseconds on
PROCESS = 4000
MAIN_THREAD, BACKWARD_THREAD = 4000, 4017
MAIN_STREAM, SIDE_STREAM = 7, 20

SCOPES = ("prelaunch", "step_internal", "tail", "inter_step")
LABELS = {
    "sync": "possible_sync_or_h2d",
    "copy": "possible_sync_or_h2d",
    "comm": "possible_comm_wait",
    "python": "possible_python_serialization_or_lock",
    "untraced": "possible_untraced_host_blocking",
    "lag": "possible_host_launch_lag",
}
CAUSES = tuple(LABELS)

LAYER = [("aten::layer_norm", "layer_norm_kernel"), ("aten::addmm", "sm90_gemm_qkv"),
         ("aten::scaled_dot_product_attention", "flash_fwd_kernel"), ("aten::addmm", "sm90_gemm_out"),
         ("aten::add", "vectorized_elementwise_add"), ("aten::linear", "sm90_gemm_up"),
         ("aten::gelu", "gelu_kernel"), ("aten::linear", "sm90_gemm_down")]
VENDORS = {
    "cuda": {"launch": "cudaLaunchKernel", "copy": "cudaMemcpyAsync", "graph": "cudaGraphLaunch",
             "wait": "cudaStreamWaitEvent",
             "sync": ("cudaStreamSynchronize", "cudaDeviceSynchronize", "cudaEventSynchronize")},
    "hip": {"launch": "hipLaunchKernel", "copy": "hipMemcpyWithStream", "graph": "hipGraphLaunch",
            "wait": "hipStreamWaitEvent",
            "sync": ("hipStreamSynchronize", "hipDeviceSynchronize")},
}


@dataclass
class Plant:
    """A stall: in which step, where, why. `gap` is set when it has been put in."""
    step: int
    scope: str
    cause: str
    position: int = 0  # for step_internal: of the kernel after it, in launch order
    length: int = 0
    gap: tuple = ()

    @property
    def label(self):
        return LABELS[self.cause]


@dataclass
class Shape:
    """What a trace looks like besides its stalls."""
    steps: int = 10
    layers: int = 4
    vendor: str = "cuda"
    marker: str = "ProfilerStep"  # these tile the time; "Step" leaves time between them
    background: str = "launch_bound"  # gaps of 20 to 100 us everywhere, or "dense"
    has_side_stream: bool = True
    has_backward_thread: bool = False
    has_frames: bool = False  # Python frames around everything
    has_step_sync: bool = True  # loss.item() at the end of every step
    has_input_copy: bool = False  # a short pageable copy at the beginning of every step
    has_odd_steps: bool = False  # a few steps run one kernel more
    runs_ahead: bool = False  # the host never waits; of use in dense traces only


@dataclass
class Trace:
    events: list = field(default_factory=list)
    kernels: list = field(default_factory=list)  # (start, end)
    copies: list = field(default_factory=list)
    launched: dict = field(default_factory=dict)  # start of a kernel: end of the call that launched it
    markers: list = field(default_factory=list)  # (start, end)
    plants: list = field(default_factory=list)
    origin: int = 0  # start of the first step

    def text(self):
        head = {"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "made up"}],
                "baseTimeNanoseconds": 1_700_000_000_000_000_000, "displayTimeUnit": "ms"}
        return json.dumps(head)[:-1] + ', "traceEvents": [\n' + ",\n".join(self.events) + "]}"

    def span(self, category, name, pid, tid, start, end, **arguments):
        """Kineto's microseconds with three decimals, which no double rounds."""
        duration = end - start
        self.events.append(
            f'{{"ph": "X", "cat": "{category}", "name": "{name}", "pid": {pid}, "tid": {tid}, '
            f'"ts": {start // US}.{start % US:03}, "dur": {duration // US}.{duration % US:03}, '
            f'"args": {json.dumps(arguments)}}}')

    def arrow(self, phase, pid, tid, at, number):
        bind = ', "bp": "e"' if phase == "f" else ""
        self.events.append(
            f'{{"ph": "{phase}", "cat": "ac2g", "name": "ac2g", "id": {number}, "pid": {pid}, '
            f'"tid": {tid}, "ts": {at // US}.{at % US:03}{bind}}}')


class Simulation:
    """Writes one trace. `random` decides everything that is not said."""

    def __init__(self, random, shape):
        self.random = random
        self.shape = shape
        self.calls = VENDORS[shape.vendor]
        self.trace = Trace()
        self.now = EPOCH_NS
        self.thread = MAIN_THREAD
        self.free = {MAIN_STREAM: EPOCH_NS, SIDE_STREAM: EPOCH_NS}
        self.correlation = 0
        self.frame = 0
        self.body = self._body()
        self.odd_steps = random.sample(range(shape.steps), 2) if shape.has_odd_steps else []

    def _body(self):
        """The operators of a step: (operator, kernel, usual length, stream)."""
        longest = (40 if self.shape.background == "launch_bound" else 160) * US
        body = [("aten::embedding", "embedding_kernel", longest // 2, MAIN_STREAM)]
        lengths = [self.random.randrange(longest // 4, longest) for _ in LAYER]
        for layer in range(self.shape.layers):
            for (operator, kernel), length in zip(LAYER, lengths):
                body.append((operator, kernel, length, MAIN_STREAM))
            if self.shape.has_side_stream and layer % 2 == 1:
                body.append(("aten::copy_", "side_cast_kernel", longest // 4, SIDE_STREAM))
        body.append(("aten::cross_entropy", "softmax_loss_kernel", longest // 3, MAIN_STREAM))
        body.append(("aten::_foreach_add_", "multi_tensor_apply_kernel", longest, MAIN_STREAM))
        return body

    def jitter(self, usual):
        return usual * self.random.randrange(92, 109) // 100

    def host(self, category, name, start, end, **arguments):
        self.trace.span(category, name, PROCESS, self.thread, start, end, **arguments)

    def python(self, name, start, end):
        self.frame += 1
        self.trace.span("python_function", name, PROCESS, MAIN_THREAD, start, end,
                        **{"Python id": self.frame, "Python parent id": None})

    def device_free(self):
        return max(self.free.values())

    # -- what a healthy step does

    def call(self, name, start, end, **arguments):
        self.correlation += 1
        self.host("cuda_runtime", name, start, end, correlation=self.correlation, **arguments)
        return self.correlation

    def work(self, category, name, stream, start, end, call_start, **arguments):
        """Device work and the arrow to it from the last call, which began at `call_start`."""
        self.trace.span(category, name, 0, stream, start, end, device=0, stream=stream,
                        correlation=self.correlation, **arguments)
        self.trace.arrow("s", PROCESS, self.thread, call_start, self.correlation)
        self.trace.arrow("f", 0, stream, start, self.correlation)
        self.free[stream] = end
        (self.trace.kernels if category == "kernel" else self.trace.copies).append((start, end))

    def background_gap(self):
        if self.shape.background == "launch_bound":
            return self.random.randrange(20, 101) * US
        return 0

    def preparations(self, start, end):
        """What an operator does before it launches: small operators with pauses between them."""
        while start < end:
            length = self.random.randrange(5, 25) * US
            name = self.random.choice(("aten::empty", "aten::view", "aten::expand"))
            self.host("cpu_op", name, start, min(start + length, end))
            start += length + self.random.randrange(2, 10) * US

    def operator(self, operator, kernel, length, stream):
        """A host operator whose launch is late by the background gap, or early in dense traces."""
        begin = self.now + self.random.randrange(200, 1500)
        latency = self.random.randrange(800, 2500)
        call_length = self.random.randrange(2500, 5000)
        gap = self.background_gap()
        launched = begin + self.random.randrange(3, 8) * US + call_length
        if gap:
            launched = max(launched, self.device_free() + gap - latency)
        call_start = launched - call_length
        self.preparations(begin + 800, call_start - US)
        self.call(self.calls["launch"], call_start, launched)
        end = launched + self.random.randrange(300, 900)
        self.host("cpu_op", operator, begin, end)
        # A side kernel waits for the main stream, as if an event told it to.
        ready = self.free[MAIN_STREAM]
        step_aside = self.random.randrange(300, 700) if stream == SIDE_STREAM else 1100
        start = max(launched + latency, ready + step_aside, self.free[stream] + 1100)
        self.work("kernel", kernel, stream, start, start + self.jitter(length), call_start)
        self.trace.launched[start] = launched
        self.now = end

    def step_sync(self):
        """loss.item(): the host waits while the device is busy. Healthy."""
        begin = self.now + 800
        end = max(self.device_free(), begin + 6 * US) + self.random.randrange(2, 5) * US
        self.call(self.calls["sync"][0], begin + 1200, end - 900)
        self.host("cpu_op", "aten::_local_scalar_dense", begin + 500, end - 500)
        self.host("cpu_op", "aten::item", begin, end)
        self.now = end

    def input_copy(self):
        """batch.to(device): the device copies for a moment, which is no stall."""
        begin = self.now
        self.now += self.random.randrange(40, 150) * US
        self._copy(begin, self.device_free(), self.now)

    # -- stalls

    def stall(self, plant):
        """Host time until the device has been idle for `plant.length`."""
        start = self.now + 500
        dry = max(self.device_free(), start)
        end = dry + plant.length
        getattr(self, "_" + plant.cause)(start, dry, end)
        self.now = end
        plant.gap = (self.device_free(),)  # ends with the next kernel

    def _part(self, dry, end):
        """Where in the idle time the cause lies: most of it, not always all."""
        length = end - dry
        covered = length * self.random.randrange(45, 100) // 100
        begin = dry + self.random.randrange(0, length - covered)
        return begin, begin + covered

    def _untraced(self, start, dry, end):
        pass

    def _sync(self, start, dry, end):
        begin, end = self._part(dry, end)
        begin = start if self.random.random() < 0.5 else begin
        self.call(self.random.choice(self.calls["sync"]), begin + 1200, end - 900)
        self.host("cpu_op", "aten::_local_scalar_dense", begin + 500, end - 500)
        self.host("cpu_op", "aten::item", begin, end)

    def _copy(self, start, dry, end):
        end -= self.random.randrange(2, 9) * US
        call_start = start + 3 * US
        self.call(self.calls["copy"], call_start, end - 1500)
        for i, name in enumerate(("aten::to", "aten::_to_copy", "aten::copy_")):
            self.host("cpu_op", name, start + i * 700, end - i * 400)
        main = self.free[MAIN_STREAM]
        self.work("gpu_memcpy", "Memcpy HtoD (Pageable -> Device)", MAIN_STREAM,
                  max(dry, call_start) + 9 * US, end - 2500, call_start, bytes=1 << 24)
        self.free[MAIN_STREAM] = main  # the copy does not end the gap

    def _comm(self, start, dry, end):
        begin, end = self._part(dry, end)
        kind = self.random.randrange(4)
        if kind == 0:
            self.call(self.calls["wait"], begin, end)
        elif kind == 1:
            self.host("cpu_op", "record_param_comms", begin + 900, end - 700)
            self.host("cpu_op", "c10d::allreduce_", begin, end)
        elif kind == 2:
            self.host("cpu_op", "c10d::barrier", begin, end)
        else:
            self.host("cpu_op", "c10d::_reduce_scatter_base_", begin, end)

    def _python(self, start, dry, end):
        self.python("train.py(71): next_batch", start, end)
        at = start + 700
        while at < end - 20 * US:
            length = min(self.random.randrange(60, 400) * US, end - at - US)
            self.python(f"data.py({self.random.randrange(10, 99)}): collate", at, at + length)
            at += length + self.random.randrange(200, 900)

    def _lag(self, start, dry, end):
        """Many small operators that launch nothing, or one that takes its time."""
        begin, end = self._part(dry, end)
        if self.random.random() < 0.5:
            self.host("cpu_op", "aten::_cudnn_attention_forward", begin, end)
            return
        while begin < end:
            length = self.random.randrange(10, 120) * US
            self.host("cpu_op", "aten::select", begin, min(begin + length, end))
            begin += length + self.random.randrange(1, 5) * US

    # -- the whole

    def run(self, plants):
        root = self.now
        self.trace.plants = plants
        self.now += 20 * US
        for step in range(self.shape.steps):
            self._step(step, [plant for plant in plants if plant.step == step])
        if self.shape.has_frames:
            self.python("train.py(1): <module>", root, self.now + 50 * US)
        close_gaps(self.trace)
        self.trace.origin = self.trace.markers[0][0]
        return self.trace

    def _step(self, step, plants):
        by_place = {(plant.scope, plant.position): plant for plant in plants}
        start = self.now
        self._plant(by_place, "prelaunch")
        self.now += self.random.randrange(5, 15) * US
        if self.shape.has_input_copy:
            self.input_copy()
        forward = self.now
        turn = len(self.body) // 2
        odd = self.random.randrange(len(self.body)) if step in self.odd_steps else None
        for position, operator in enumerate(self.body):
            if position == turn and self.shape.has_backward_thread:
                self.thread = BACKWARD_THREAD
            self._plant(by_place, "step_internal", position)
            self.operator(*operator)
            if position == odd:
                self.operator("aten::clamp", "clamp_kernel", 8 * US, MAIN_STREAM)
        self.thread = MAIN_THREAD
        if self.shape.has_frames:
            self.python("nn.Module: Transformer_0", forward - US, self.now + US)
        self.now += 2 * US
        if self.shape.has_step_sync:
            self.step_sync()
        elif not self.shape.runs_ahead:
            self.now = max(self.now, self.device_free() - 30 * US)
        self._plant(by_place, "tail")
        self.now += self.random.randrange(5, 12) * US
        if not self.shape.runs_ahead:
            # Never before the device is done: what is left over would be the next step's.
            self.now = max(self.now, self.device_free() + 2 * US)
        end = self.now
        name = f"{self.shape.marker}#{step + 1}"
        self.host("user_annotation", name, start, end)
        self.trace.markers.append((start, end))
        if self.shape.marker == "Step":
            self._plant(by_place, "inter_step")
            self.now += self.random.randrange(30, 120) * US

    def _plant(self, by_place, scope, position=0):
        plant = by_place.get((scope, position))
        if plant:
            self.stall(plant)

    def usual_step(self):
        """About how long a healthy step takes."""
        gap = 60 * US if self.shape.background == "launch_bound" else 2 * US
        return sum(length + gap for _, _, length, stream in self.body if stream == MAIN_STREAM)


def close_gaps(trace):
    """A planted gap ends with the first kernel after it, or with the last step."""
    starts = sorted(start for start, _ in trace.kernels)
    for plant in trace.plants:
        begin = plant.gap[0]
        after = [start for start in starts if start >= begin]
        plant.gap = (begin, after[0] if after else trace.markers[-1][1])


def stall_length(random, usual_step):
    """Clearly heavy: from one and a half times max(1 ms, 10 % of the step with the stall) on."""
    least = max(1.5 * MS, 1.1 * 0.15 / 0.85 * usual_step)
    return int(least * random.uniform(1.0, 3.0))

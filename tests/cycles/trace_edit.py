"""Kineto traces that are read, changed kernel by kernel and written again, and small made-up ones."""
import gzip
import hashlib
import json

DEVICE_KEYS = ("device", "stream", "correlation")
# A kernel that is squeezed in: so far before the next one, and so long.
SQUEEZED_US = 0.001

HEAD = ["embed_lookup_kernel", "arange_kernel", "mask_fill_kernel"]
LAYER = ["rms_norm_kernel", "qkv_gemm", "rope_kernel", "flash_fwd_kernel", "out_gemm", "add_kernel",
         "post_norm_kernel", "up_gemm", "silu_mul_kernel", "down_gemm", "residual_add_kernel",
         "cast_kernel"]
TAIL = ["final_norm_kernel", "lm_head_gemm", "softmax_kernel", "argmax_kernel"]
LAYERS = 4
PASS = HEAD + LAYERS * LAYER + TAIL


def is_kernel(event):
    return event.get("ph") == "X" and event.get("cat") == "kernel"


def order_of(event):
    return event["ts"], event["ts"] + event["dur"], event["name"], event["args"]["correlation"]


def hashed(name):
    """Another name, of which nobody can tell what the kernel does."""
    return "k" + hashlib.sha256(name.encode()).hexdigest()[:20]


class KernelTrace:
    """The kernels of a trace, in order. Everything else in it is `others`."""

    def __init__(self, document):
        events = document["traceEvents"]
        self.facts = {key: value for key, value in document.items() if key != "traceEvents"}
        self.kernels = sorted((e for e in events if is_kernel(e)), key=order_of)
        self.others = [e for e in events if not is_kernel(e)]
        self._lines = None

    @staticmethod
    def read(path):
        with gzip.open(path) as file:
            return KernelTrace(json.load(file))

    def lines(self):
        """Each kernel as JSON with only what tells it apart, so that many variants cost little."""
        if self._lines is None:
            self._lines = [json.dumps(bare(kernel)) for kernel in self.kernels]
        return self._lines

    def document(self, lines):
        return (json.dumps(self.facts)[:-1] + (", " if self.facts else "") + '"traceEvents": [' +
                ",\n".join(lines) + "]}")

    def with_foreign(self, at):
        """A kernel of another name before kernel `at`, or behind the last one."""
        if at == len(self.kernels):
            last = self.kernels[-1]
            made = dict(last, name="foreign_kernel", ts=last["ts"] + last["dur"] + SQUEEZED_US)
        else:
            made = dict(self.kernels[at], name="foreign_kernel",
                        ts=round(self.kernels[at]["ts"] - SQUEEZED_US, 3))
        lines = self.lines()
        foreign = json.dumps(bare(dict(made, dur=SQUEEZED_US)))
        return self.document(lines[:at] + [foreign] + lines[at:])

    def without(self, at):
        return self.document(self.lines()[:at] + self.lines()[at + 1:])

    def part(self, first, last):
        return self.document(self.lines()[first:last])

    def moved_to(self, start_us):
        """Its kernels as JSON, on stream 7 of device 0, from another time on."""
        zero = self.kernels[0]["ts"]
        return [json.dumps(bare(dict(kernel, pid=0, tid=7, ts=round(kernel["ts"] - zero + start_us, 3),
                                     args={**kernel["args"], "device": 0, "stream": 7})))
                for kernel in self.kernels]

    def length_us(self):
        return max(e["ts"] + e["dur"] for e in self.kernels) - self.kernels[0]["ts"]


def bare(kernel):
    return dict(kernel, args={key: kernel["args"][key] for key in DEVICE_KEYS
                              if key in kernel["args"]})


def made_up(names, pauses=None, annotate=None):
    """A trace that runs kernels of these names. `pauses` maps indices to the time before that kernel,
    `annotate` maps indices to annotations inside which kernels from there on are launched."""
    pauses, annotate = pauses or {}, annotate or {}
    events, at = [], 1000.0
    for i, name in enumerate(names):
        at = round(at + pauses.get(i, 2), 3)
        duration = 5 + i * 7919 % 13 / 10
        if i in annotate:
            events.append({"ph": "X", "cat": "user_annotation", "name": annotate[i], "pid": 1,
                           "tid": 1, "ts": at - 600, "dur": 1.5, "args": {}})
        events.append({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1,
                       "tid": 1, "ts": at - 599.5 if i in annotate else at - 595, "dur": 0.5,
                       "args": {"correlation": i + 1}})
        events.append({"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7, "ts": at,
                       "dur": duration, "args": {"device": 0, "stream": 7, "correlation": i + 1}})
        at = round(at + duration, 3)
    return {"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "made up"}],
            "traceEvents": events}


def model_run(passes=24):
    """A prefill of other layers, then passes. The prefill ends as every pass does, so that the
    repetition of passes begins one kernel early; before each pass the device pauses."""
    prefill = HEAD[:1] + LAYERS * ["long_" + name for name in LAYER[:-1]] + TAIL[-1:]
    first = len(prefill)
    pauses = {first + p * len(PASS): 30 for p in range(passes)}
    # The first attention of each pass waits longer than the pass itself.
    pauses.update({first + p * len(PASS) + len(HEAD) + 3: 90 for p in range(passes)})
    return made_up(prefill + passes * PASS, pauses), first

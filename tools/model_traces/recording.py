"""Records a workload with torch.profiler and tells which kernels belong to which scope of it.

A scope is a record_function whose name begins with '@'. It is the truth about the trace: what was launched inside
it is taken from the correlation ids, and the scopes themselves are taken out of the trace, so that nothing but the
kernels can tell a reader where a pass begins.
"""

import contextlib
import gzip
import json
import os
import tempfile

import torch
from torch.profiler import ProfilerActivity, profile, record_function

MARK = "@"


def scope(name):
    return record_function(MARK + name)


class Layers:
    """Whether modules make scopes. Backward computes some of them again, and may leave them in the middle."""
    are_marked = True

    @classmethod
    @contextlib.contextmanager
    def unmarked(cls):
        cls.are_marked = False
        try:
            yield
        finally:
            cls.are_marked = True


def mark_layers(layers, name="layer"):
    """Makes a scope of each forward pass of each of these modules."""
    for layer in layers:
        open_scopes = []

        def enter(_module, *_unused, stack=open_scopes):
            if Layers.are_marked:
                stack.append(scope(name))
                stack[-1].__enter__()

        def leave(_module, *_unused, stack=open_scopes):
            if Layers.are_marked:
                stack.pop().__exit__(None, None, None)

        layer.register_forward_pre_hook(enter, with_kwargs=True)
        layer.register_forward_hook(leave, with_kwargs=True)


class Passes:
    """Scopes of passes that a library runs by itself: each lasts until the next one begins."""

    def __init__(self):
        self.open = None

    def begin(self, name):
        self.end()
        self.open = scope(name)
        self.open.__enter__()

    def end(self):
        if self.open:
            self.open.__exit__(None, None, None)
        self.open = None


class Recorder:
    """Marks of steps as torch.profiler makes them where it has a schedule: one is open from each step to the next.
    Workloads that ran before they are recorded have told whether they mark any."""
    number, mark = 0, None

    @classmethod
    def step(cls):
        cls.number += 1
        cls.open()

    @classmethod
    def open(cls):
        cls.close()
        if cls.number:
            cls.mark = record_function(f"ProfilerStep#{cls.number}")
            cls.mark.__enter__()

    @classmethod
    def close(cls):
        if cls.mark:
            cls.mark.__exit__(None, None, None)
        cls.mark = None


def record(workload, record_shapes=False):
    """The Chrome JSON document of a workload, as torch.profiler writes it."""
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA], record_shapes=record_shapes) as recorder:
        Recorder.open()
        workload()
        Recorder.close()
        torch.cuda.synchronize()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "trace.json")
        recorder.export_chrome_trace(path)
        with open(path, encoding="utf-8") as file:
            return json.load(file)


def is_scope(event):
    return str(event.get("name", "")).startswith(MARK) and "annotation" in str(event.get("cat", ""))


def kernels_of(events):
    """For each stream its kernels in the order in which they ran."""
    streams = {}
    for event in events:
        if event.get("cat") == "kernel":
            streams.setdefault(event["args"]["stream"], []).append(event)
    return {stream: sorted(kernels, key=lambda k: float(k["ts"])) for stream, kernels in streams.items()}


def truth_of(events):
    """Which kernels of each stream each scope launched: 'decode/layer' is a layer inside a decode pass."""
    launched = {e["args"]["correlation"]: float(e["ts"]) for e in events
                if e.get("cat") in ("cuda_runtime", "cuda_driver") and "correlation" in e.get("args", {})}
    scopes = sorted(((float(e["ts"]), float(e["ts"]) + float(e["dur"]), e["name"][len(MARK):]) for e in events
                     if is_scope(e) and e.get("cat") == "user_annotation"), key=lambda s: (s[0], -s[1]))
    paths, stack = [], []
    for begin, end, name in scopes:
        while stack and stack[-1][0] <= begin:
            stack.pop()
        stack.append((end, name))
        paths.append("/".join(part for _, part in stack))
    truth = {}
    for stream, kernels in kernels_of(events).items():
        times = [launched.get(k["args"]["correlation"], float("nan")) for k in kernels]
        rows = []
        for (begin, end, _), path in zip(scopes, paths):
            inside = [i for i, time in enumerate(times) if begin <= time < end]
            if inside:
                rows.append([path, inside[0], inside[-1] + 1])
        truth[str(stream)] = {"kernels": len(kernels), "scopes": rows}
    return truth


def without_scopes(document):
    return {**document, "traceEvents": [e for e in document["traceEvents"] if not is_scope(e)]}


def write(folder, name, what, document):
    truth = {"what": what, "streams": truth_of(document["traceEvents"])}
    with open(os.path.join(folder, name + ".truth.json"), "w", encoding="utf-8") as file:
        json.dump(truth, file)
    text = json.dumps(without_scopes(document), separators=(",", ":"))
    with gzip.GzipFile(os.path.join(folder, name + ".json.gz"), "wb", compresslevel=9, mtime=0) as file:
        file.write(text.encode())
    return {stream: facts["kernels"] for stream, facts in truth["streams"].items()}

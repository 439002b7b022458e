"""Writes a workload as PyTorch's Kineto does: Chrome JSON with nanoseconds as decimals."""

import json

from workload import PS_PER_NS

FORMAT = "kineto"
CARRIES = {
    "kernels", "collectives", "copies", "sets", "devices", "device_names", "streams", "calls", "operators",
    "annotations", "steps", "launches", "correlation", "process", "rank", "epoch", "grid", "bytes", "groups",
    "messages", "picoseconds",
}
# Name and keyword arguments of every variant that the test writes besides the plain one.
VARIANTS = {"base time after the events": {"base_last": True}}

CATEGORIES = {
    "kernel": "kernel", "communication": "kernel", "memcpy": "gpu_memcpy", "memset": "gpu_memset",
    "annotation": "user_annotation", "host_op": "cpu_op", "runtime_call": "cuda_runtime",
}


def microseconds(ps):
    """Exact decimal text."""
    return f"{ps // 10**6}.{ps % 10**6:06d}"


class Decimal(float):
    """A number that json writes as the text it was made from."""

    def __new__(cls, text):
        made = super().__new__(cls, text)
        made.text = text
        return made

    def __repr__(self):
        return self.text


def device_arguments(event):
    arguments = {"External id": event.correlation, "device": event.device, "context": 1,
                 "stream": event.stream, "correlation": event.correlation}
    if event.kind in ("kernel", "communication"):
        arguments.update({"registers per thread": 64, "shared memory": 1024, "grid": list(event.grid),
                          "block": list(event.block)})
    else:
        arguments["bytes"] = event.bytes
    if event.message:
        arguments.update({"Collective name": event.message.op.replace("_", ""),
                          "In msg nelems": event.message.elements, "Out msg nelems": event.message.elements,
                          "Group size": 4, "dtype": event.message.dtype,
                          "Process Group Name": event.message.group, "Seq": event.message.sequence})
    return arguments


def complete(event, pid, tid, arguments):
    return {"ph": "X", "cat": CATEGORIES[event.kind], "name": event.name, "pid": pid, "tid": tid,
            "ts": Decimal(microseconds(event.start_ps)), "dur": Decimal(microseconds(event.duration_ps)),
            "args": arguments}


def events_of(work):
    yield {"name": "process_name", "ph": "M", "ts": 0, "pid": work.pid, "tid": 0, "args": {"name": "python"}}
    for event in work.host_events:
        arguments = {} if event.correlation is None else {"correlation": event.correlation}
        yield complete(event, work.pid, event.thread, arguments)
    for event in work.device_events:
        yield complete(event, event.device, event.stream, device_arguments(event))
        yield {"ph": "f", "id": event.correlation, "pid": event.device, "tid": event.stream,
               "ts": Decimal(microseconds(event.start_ps)), "cat": "ac2g", "name": "ac2g", "bp": "e"}
    for event in work.host_of_kind("runtime_call"):
        yield {"ph": "s", "id": event.correlation, "pid": work.pid, "tid": event.thread,
               "ts": Decimal(microseconds(event.start_ps)), "cat": "ac2g", "name": "ac2g"}


def write(work, folder, base_last=False):
    """Writes the file and returns the path that lockstep is given."""
    path = folder / "kineto.json"
    document = {
        "schemaVersion": 1,
        "deviceProperties": [{"id": i, "name": name} for i, name in enumerate(work.devices)],
        "distributedInfo": {"backend": "nccl", "rank": work.rank, "world_size": work.world},
    }
    base = {"displayTimeUnit": "ms", "baseTimeNanoseconds": work.origin_ns}
    document.update({} if base_last else base)
    document["traceEvents"] = list(events_of(work))
    document.update(base if base_last else {})
    document["traceName"] = "kineto.json"
    path.write_text(json.dumps(document))
    return path


def check_against_corpus(corpus):
    """Fails where a real file of this format has keys that ours lacks. Returns what was compared."""
    import gzip
    with gzip.open(corpus / "h200" / "gpt2_train_stalls.json.gz") as file:
        real = json.load(file)
    from workload import scripted
    work = scripted()
    ours = list(events_of(work))
    for category in ("kernel", "gpu_memcpy", "cuda_runtime", "cpu_op"):
        def keys(events):
            return next(set(e) for e in events if e.get("cat") == category and e["ph"] == "X")
        missing = keys(real["traceEvents"]) - keys(ours)
        assert not missing, f"{category}: {missing}"
    return "keys of events in h200/gpt2_train_stalls"

"""Writes a workload as rocprof v1 does: Chrome JSON whose times are cut to microseconds."""

import json

from workload import PS_PER_NS

FORMAT = "rocprof_v1"
CARRIES = {
    "kernels", "collectives", "copies", "sets", "devices", "streams", "calls", "annotations", "steps", "launches",
}
VARIANTS = {"times from the start of the profiler": {"start_ns": 773_900_000_123_456}}

BOOT_NS = 773_900_799_393_845  # what the node's clock showed when the workload began
MARKER_PID, COPY_PID, HIP_PID, FIRST_GPU_PID = 0, 1, 2, 6


def label(pid, name, index):
    return {"args": {"name": name}, "ph": "M", "pid": pid, "name": "process_name", "sort_index": index}


class Lines:
    def __init__(self, work, start_ns):
        self.work = work
        self.start_ns = start_ns

    def microseconds(self, ns):
        return (ns - self.start_ns) // 1000

    def begin_ns(self, event):
        return BOOT_NS + event.start_ps // PS_PER_NS

    def end_ns(self, event):
        return BOOT_NS + event.end_ps // PS_PER_NS

    def span(self, event, name, pid, tid, device=None):
        begin, end = self.begin_ns(event), self.end_ns(event)
        facts = {"BeginNs": begin, "EndNs": end}
        if device is not None:
            facts.update({"dev-id": device, "queue-id": 0, "Name": name, "pid": self.work.pid, "tid": self.work.pid,
                          "stream-id": tid, "Data": ""})
        else:
            facts.update({"pid": self.work.pid, "tid": tid, "Name": name, "args": "( )", "Data": ""})
        facts["DurationNs"] = end - begin
        return {"ph": "X", "name": name, "pid": str(pid), "tid": str(tid), "ts": str(self.microseconds(begin)),
                "dur": str((end - begin) // 1000), "args": {k: str(v) for k, v in facts.items()}}

    def lane(self, event):
        """Name and process of a device event."""
        if event.kind == "memcpy":
            return ("CopyHostToDevice" if "HtoD" in event.name else "CopyDeviceToHost"), COPY_PID
        if event.kind == "memset":
            return "FillBuffer", COPY_PID
        return event.name, FIRST_GPU_PID + event.device

    def arrow(self, phase, ns, number, pid, tid):
        return {"ts": self.microseconds(ns), "ph": phase, "cat": "DataFlow", "id": number, "pid": pid, "tid": tid,
                "name": "dep"}

    def events(self):
        yield {}
        yield label(MARKER_PID, "Markers and Ranges", 0)
        yield label(HIP_PID, "CPU HIP API", 1)
        yield label(COPY_PID, "COPY", 2)
        for number in range(len(self.work.devices)):
            yield label(FIRST_GPU_PID + number, f"GPU{number}", 3 + number)
        for event in self.work.device_events:
            name, pid = self.lane(event)
            yield self.span(event, name, pid, event.stream, event.device)
        for event in self.work.host_events:
            if event.kind == "annotation":
                yield self.span(event, event.name, MARKER_PID, event.thread)
            elif event.kind == "runtime_call":
                yield self.span(event, "hipLaunchKernel", HIP_PID, event.thread)
        calls = {e.correlation: e for e in self.work.host_of_kind("runtime_call")}
        for number, event in enumerate(self.work.device_events):
            call = calls[event.correlation]
            middle = (self.begin_ns(call) + self.end_ns(call)) // 2
            yield self.arrow("s", min(middle, self.begin_ns(event)), number, HIP_PID, call.thread)
            yield self.arrow("t", self.begin_ns(event), number, self.lane(event)[1], event.stream)


def write(work, folder, start_ns=0):
    path = folder / "results.json"
    lines = [json.dumps(event) for event in Lines(work, start_ns).events()]
    path.write_text('{ "traceEvents":[' + "\n,".join(lines) + '],\n  "otherData": {"Agent1.Name": "CPU"}\n}')
    return path


def check_against_corpus(corpus):
    """Fails where events of a real file have other keys than ours, or in another order."""
    from workload import scripted
    real = json.loads((corpus / "rocm" / "rocprofv1_hip_trace_results.json").read_text())
    ours = list(Lines(scripted(), 0).events())

    def shapes(events):
        found = {}
        for event in events:
            lane = "gpu" if str(event.get("pid", "")).isdigit() and int(event["pid"]) >= FIRST_GPU_PID \
                else str(event.get("pid"))
            if lane != str(MARKER_PID):
                key = (event.get("ph"), lane if event.get("ph") == "X" else "")
                found[key] = (list(event), list(event.get("args", {})))
        return found

    assert shapes(real["traceEvents"]) == shapes(ours), f"{shapes(real['traceEvents'])} != {shapes(ours)}"
    return "keys of events in rocm/rocprofv1_hip_trace_results.json, in order"

"""The same facts from the truth of a workload and from a model that lockstep read, for comparing.

Each function of a pair returns a sorted list, or a set of things, that must be equal.
"""

from copy import copy

from workload import PS_PER_NS

SPAN = "span"




class Truth:
    """Facts of a workload."""

    def __init__(self, work):
        self.work = work

    def times(self, event, unit):
        return (event.start_ps // unit * unit, event.duration_ps // unit * unit)

    def spans(self, events, unit=PS_PER_NS, named=True):
        return sorted(((e.name,) if named else ()) + self.times(e, unit) for e in events)

    def kernels(self):
        return self.spans(self.work.of_kind("kernel"))

    def picoseconds(self):
        return self.spans(self.work.of_kind("kernel"), 1)

    def collectives(self):
        return sorted((e.message.op,) + self.times(e, PS_PER_NS) for e in self.work.of_kind("communication"))

    def copies(self):
        return self.spans(self.work.of_kind("memcpy"), named=False)

    def sets(self):
        return self.spans(self.work.of_kind("memset"), named=False)

    def devices(self):
        return sorted((str(e.device), e.start_ps // PS_PER_NS) for e in self.work.device_events)

    def device_names(self):
        return sorted((str(i), name) for i, name in enumerate(self.work.devices))

    def streams(self):
        return sorted((str(e.device), str(e.stream), e.start_ps // PS_PER_NS) for e in self.work.device_events)

    def calls(self):
        return sorted((str(e.thread),) + self.times(e, PS_PER_NS) for e in self.work.host_of_kind("runtime_call"))

    def operators(self):
        return sorted((e.name, str(e.thread)) + self.times(e, PS_PER_NS) for e in self.work.host_of_kind("host_op"))

    def annotations(self):
        return self.spans([e for e in self.work.host_of_kind("annotation") if "#" not in e.name])

    def steps(self):
        return self.spans([e for e in self.work.host_of_kind("annotation") if "#" in e.name])

    def launches(self):
        calls = {e.correlation: e for e in self.work.host_of_kind("runtime_call")}
        return sorted((calls[e.correlation].start_ps // PS_PER_NS, e.start_ps // PS_PER_NS)
                      for e in self.work.device_events)

    def correlation(self):
        events = self.work.device_events + self.work.host_of_kind("runtime_call")
        return sorted((e.correlation, e.start_ps // PS_PER_NS) for e in events)

    def process(self):
        return [str(self.work.pid)]

    def rank(self):
        return [self.work.rank]

    def epoch(self):
        """When the first work of a device began, since 1970."""
        return [self.work.origin_ns + min(e.start_ps for e in self.work.device_events) // PS_PER_NS]

    def grid(self):
        return sorted((e.start_ps // PS_PER_NS, list(e.grid), list(e.block)) for e in self.work.of_kind("kernel"))

    def bytes(self):
        return sorted((e.start_ps // PS_PER_NS, e.bytes) for e in self.work.of_kind("memcpy"))

    def groups(self):
        return sorted((e.start_ps // PS_PER_NS, e.message.group) for e in self.work.of_kind("communication"))

    def messages(self):
        return sorted((e.start_ps // PS_PER_NS, e.message.dtype.lower(), e.message.elements)
                      for e in self.work.of_kind("communication"))


class Model:
    """The same facts of what lockstep_model_dump printed. Times count from the workload's origin."""

    def __init__(self, dump, work, knows_epoch):
        self.dump = dump
        self.events = [e for e in dump["events"]]
        self.zero = self.find_zero(work, knows_epoch)

    def find_zero(self, work, knows_epoch):
        """The origin of the workload on the clock of the model, in ps."""
        if knows_epoch:
            return work.origin_ns * PS_PER_NS
        first_truth = min(e.start_ps for e in work.device_events)
        device = [e["start_ps"] for e in self.events if e["device"] is not None and e["kind"] in WORK]
        return min(device) - first_truth // PS_PER_NS * PS_PER_NS if device else 0

    def without(self, kind):
        """The same model without device events of a kind. Events keep their places."""
        fewer = copy(self)
        fewer.events = [{**e, "kind": "left out"} if e["kind"] == kind else e for e in self.events]
        return fewer

    def start(self, event, unit=PS_PER_NS):
        return (event["start_ps"] - self.zero) // unit * unit

    def start_ns(self, event):
        return self.start(event) // PS_PER_NS

    def times(self, event, unit=PS_PER_NS):
        return (self.start(event, unit), event["duration_ps"] // unit * unit)

    def on_device(self, *kinds):
        return [e for e in self.events if e["device"] is not None and e["kind"] in kinds]

    def on_host(self, *kinds):
        return [e for e in self.events if e["device"] is None and e["kind"] in kinds and e["shape"] == SPAN]

    def kernels(self):
        return sorted((e["name"],) + self.times(e) for e in self.on_device("kernel", "ai_cpu"))

    def picoseconds(self):
        return sorted((e["name"],) + self.times(e, 1) for e in self.on_device("kernel", "ai_cpu"))

    def collectives(self):
        return sorted((c["op"],) + self.times(self.events[c["event"]]) for c in self.dump["collectives"])

    def copies(self):
        return sorted(self.times(e) for e in self.on_device("memcpy"))

    def sets(self):
        return sorted(self.times(e) for e in self.on_device("memset"))

    def devices(self):
        return sorted((e["device"], self.start_ns(e)) for e in self.on_device(*WORK))

    def device_names(self):
        return sorted((d["id"], d["name"]) for d in self.dump["devices"])

    def streams(self):
        return sorted((e["device"], e["lane"], self.start_ns(e)) for e in self.on_device(*WORK))

    def calls(self):
        return sorted((e["lane"],) + self.times(e) for e in self.on_host("runtime_call"))

    def operators(self):
        return sorted((e["name"], e["lane"]) + self.times(e) for e in self.on_host("host_op"))

    def annotations(self):
        return sorted((e["name"],) + self.times(e) for e in self.on_host("annotation") if "#" not in e["name"])

    def steps(self):
        return sorted((s["name"], (s["start_ps"] - self.zero) // PS_PER_NS * PS_PER_NS,
                       (s["end_ps"] - s["start_ps"]) // PS_PER_NS * PS_PER_NS) for s in self.dump["steps"])

    def launches(self):
        return sorted((self.start_ns(self.events[f["from"]]), self.start_ns(self.events[f["to"]]))
                      for f in self.dump["flows"]
                      if f["kind"] == "launch" and self.events[f["to"]]["kind"] in WORK
                      and self.events[f["from"]]["kind"] == "runtime_call")

    def correlation(self):
        events = self.on_device(*WORK) + self.on_host("runtime_call")
        return sorted((e["correlation"], self.start_ns(e)) for e in events)

    def process(self):
        return sorted({e["process"] for e in self.on_host("runtime_call")})

    def rank(self):
        return [r["number"] for r in self.dump["ranks"] if r["number_from"] == "metadata"]

    def epoch(self):
        first = min((e["start_ps"] for e in self.on_device(*WORK)), default=0)
        return [first // PS_PER_NS for r in self.dump["ranks"] if r["clock"] == "epoch"]

    def grid(self):
        return sorted((self.start_ns(e), e["arguments"].get("grid"), e["arguments"].get("block"))
                      for e in self.on_device("kernel"))

    def bytes(self):
        return sorted((self.start_ns(e), e["arguments"].get("bytes")) for e in self.on_device("memcpy"))

    def groups(self):
        return sorted((self.start_ns(self.events[c["event"]]), c["group"]) for c in self.dump["collectives"])

    def messages(self):
        return sorted((self.start_ns(self.events[c["event"]]), c["dtype"].lower(), c["elements_in"])
                      for c in self.dump["collectives"])


WORK = ("kernel", "communication", "ai_cpu", "memcpy", "memset")

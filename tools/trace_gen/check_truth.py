#!/usr/bin/env python3
"""Recounts a generated trace the slow and obvious way and compares it with its truth document.

Usage: check_truth.py TRACE TRUTH. TRACE may end in .gz.
Exit 1 with a sentence at the first difference.
"""

import gzip
import json
import sys
from collections import Counter
from decimal import Decimal

DEVICE_CATEGORIES = {"kernel", "gpu_memcpy", "gpu_memset"}
CALL_CATEGORIES = {"cuda_runtime", "cuda_driver"}


def fail(sentence):
    sys.exit(f"check_truth: {sentence}")


def expect(what, found, expected):
    if found != expected:
        fail(f"{what} is {found} in the trace but {expected} in the truth.")


def to_ns(microseconds):
    """Exact: the trace is read with decimals, as doubles cannot hold 19 digits."""
    nanoseconds = Decimal(microseconds) * 1000
    if nanoseconds != int(nanoseconds):
        fail(f"the time {microseconds} us is not a whole number of nanoseconds.")
    return int(nanoseconds)


def union_ns(intervals):
    total = 0
    end = None
    for start, stop in sorted(intervals):
        if end is None or start > end:
            total += stop - start
            end = stop
        elif stop > end:
            total += stop - end
            end = stop
    return total


def span_ns(intervals):
    return max(stop for _, stop in intervals) - min(start for start, _ in intervals)


def interval(event):
    start = to_ns(event["ts"])
    return start, start + to_ns(event["dur"])


def check_counts(events, truth):
    phases = Counter(event["ph"] for event in events)
    unknown = set(phases) - set("XiCMsf")
    if unknown:
        fail(f"there are events of unexpected phases {sorted(unknown)}.")
    expect("json_events", len(events), truth["json_events"])
    expect("events", phases["X"] + phases["i"] + phases["C"], truth["events"])
    expect("metadata", phases["M"], truth["metadata"])
    expect("flows_started", phases["s"], truth["flows_started"])
    expect("flows_finished", phases["f"], truth["flows_finished"])
    categories = Counter(event["cat"] for event in events if event["ph"] == "X")
    categories.update("instant" for event in events if event["ph"] == "i")
    categories.update("counter" for event in events if event["ph"] == "C")
    expect("by_category", dict(categories), truth["by_category"])


def check_spans(complete, truth):
    intervals = [interval(event) for event in complete if event["cat"] != "Trace"]
    expect("first_ts_ns", min(start for start, _ in intervals), truth["first_ts_ns"])
    expect("span_ns", span_ns(intervals), truth["span_ns"])


def check_devices(work, truth):
    listed = [entry["device"] for entry in truth["devices"]]
    expect("the set of devices", sorted({e["args"]["device"] for e in work}), listed)
    expect("kernels", sum(e["cat"] == "kernel" for e in work), truth["kernels"])
    expect("device_span_ns", span_ns([interval(e) for e in work]), truth["device_span_ns"])
    busy = 0
    for entry in truth["devices"]:
        name = f"device {entry['device']}"
        mine = [e for e in work if e["args"]["device"] == entry["device"]]
        check_tally(name, mine, entry)
        expect(f"span_ns of {name}", span_ns([interval(e) for e in mine]), entry["span_ns"])
        busy += entry["busy_ns"]
        streams = sorted({e["args"]["stream"] for e in mine})
        expect(f"the streams of {name}", streams, [s["stream"] for s in entry["streams"]])
        for stream in entry["streams"]:
            on_stream = [e for e in mine if e["args"]["stream"] == stream["stream"]]
            check_tally(f"{name} stream {stream['stream']}", on_stream, stream)
            check_no_overlap(f"{name} stream {stream['stream']}", on_stream)
    expect("device_busy_ns", busy, truth["device_busy_ns"])


def check_tally(name, work, entry):
    expect(f"kernels of {name}", sum(e["cat"] == "kernel" for e in work), entry["kernels"])
    expect(f"device_events of {name}", len(work), entry["device_events"])
    expect(f"busy_ns of {name}", union_ns([interval(e) for e in work]), entry["busy_ns"])


def check_no_overlap(name, work):
    intervals = sorted(interval(e) for e in work)
    for before, after in zip(intervals, intervals[1:]):
        if after[0] < before[1]:
            fail(f"work on {name} overlaps at {after[0]} ns.")


def check_launches(complete, work, flows, truth):
    calls = {e["args"]["correlation"]: e for e in complete if e["cat"] in CALL_CATEGORIES}
    joined = [e for e in work if e["args"]["correlation"] in calls]
    expect("launches_joined", len(joined), truth["launches_joined"])
    for event in joined:
        call = calls[event["args"]["correlation"]]
        if to_ns(event["ts"]) < to_ns(call["ts"]):
            fail(f"correlation {event['args']['correlation']} runs before it is launched.")
    starts = [f["id"] for f in flows if f["ph"] == "s"]
    launched = [e["args"]["correlation"] for e in joined]
    expect("the set of flow starts", sorted(starts), sorted(launched))
    ends = {f["id"] for f in flows if f["ph"] == "f"}
    lone = [e["args"]["correlation"] for e in work if e["args"]["correlation"] not in ends]
    expect("device events without a flow end", lone, [])


def check_nesting(complete):
    """Operators, Python frames and calls of a thread nest; no two overlap partly."""
    by_thread = {}
    for event in complete:
        if event["cat"] in {"cpu_op", "user_annotation", "python_function"} | CALL_CATEGORIES:
            by_thread.setdefault(event["tid"], []).append(interval(event))
    for tid, intervals in by_thread.items():
        open_ends = []
        for start, stop in sorted(intervals, key=lambda i: (i[0], -i[1])):
            while open_ends and open_ends[-1] <= start:
                open_ends.pop()
            if open_ends and stop > open_ends[-1]:
                fail(f"the event at {start} ns on thread {tid} ends after the one around it.")
            open_ends.append(stop)


def check_steps(complete, truth):
    origin = truth["first_ts_ns"]
    found = []
    for event in complete:
        if event["cat"] == "user_annotation" and event["name"].startswith("ProfilerStep#"):
            start, stop = interval(event)
            step = {"name": event["name"], "start_ns": start - origin, "end_ns": stop - origin}
            found.append(step)
    expect("the list of steps", found, truth["steps"])
    expect("passes", len(found), truth["passes"])


def check_stalls(complete, work, truth):
    device = [interval(e) for e in work if e["args"]["device"] == 0]
    operators = sorted(to_ns(e["ts"]) for e in complete if e["cat"] == "cpu_op")
    for stall in truth["stalls"]:
        step = truth["steps"][stall["pass"]]
        expect("the name of a stalled step", step["name"], f"ProfilerStep#{stall['pass']}")
        opened = step["start_ns"] + truth["first_ts_ns"]
        slept = next(ts for ts in operators if ts >= opened) - opened
        if not stall["ns"] <= slept < stall["ns"] + 100_000:
            fail(f"the host slept {slept} ns in pass {stall['pass']}, not {stall['ns']} ns.")
        resumed = min(start for start, _ in device if start >= opened)
        idle = resumed - max(stop for _, stop in device if stop <= resumed)
        expect(f"device_idle_ns of pass {stall['pass']}", idle, stall["device_idle_ns"])


def check_structure(work, truth):
    kernels = [e for e in work if e["cat"] == "kernel"]
    named = [e["args"]["Collective name"] for e in kernels if "Collective name" in e["args"]]
    collectives = Counter(named)
    expect("collectives", dict(collectives), truth["collectives"])
    distinct = len({e["name"] for e in kernels})
    expect("distinct_kernel_names", distinct, truth["distinct_kernel_names"])
    layers = truth["layers"] * truth["passes"] * len(truth["devices"])
    reduced = Decimal(collectives["allreduce"]) / layers
    expect("collectives_per_layer", reduced, truth["collectives_per_layer"])
    body = truth["layer_body"]
    expect("the length of layer_body", len(body), truth["kernels_per_layer"])
    for entry in truth["devices"]:
        launched = [e for e in kernels if e["args"]["device"] == entry["device"]]
        launched.sort(key=lambda e: e["args"]["correlation"])
        names = [e["name"] for e in launched if "Collective name" not in e["args"]]
        check_passes(names, body, truth)


def check_passes(names, body, truth):
    prologue = truth["prologue_kernels"]
    layered = body * truth["layers"]
    length = prologue + len(layered) + truth["epilogue_kernels"]
    expect("kernels of the layers and around them", len(names), length * truth["passes"])
    first = names[:length]
    for index in range(truth["passes"]):
        one = names[index * length : (index + 1) * length]
        middle = one[prologue : prologue + len(layered)]
        expect(f"the layers of pass {index}", middle, layered)
        expect(f"the kernels of pass {index}", one, first)


def main():
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    opener = gzip.open if sys.argv[1].endswith(".gz") else open
    with opener(sys.argv[1], "rt", encoding="utf-8") as file:
        events = json.load(file, parse_float=Decimal)["traceEvents"]
    with open(sys.argv[2], encoding="utf-8") as file:
        truth = json.load(file)
    complete = [e for e in events if e["ph"] == "X"]
    work = [e for e in complete if e["cat"] in DEVICE_CATEGORIES]
    check_counts(events, truth)
    check_spans(complete, truth)
    check_devices(work, truth)
    check_launches(complete, work, [e for e in events if e["ph"] in "sf"], truth)
    check_nesting(complete)
    check_steps(complete, truth)
    check_stalls(complete, work, truth)
    check_structure(work, truth)
    print(f"{len(events)} events agree with the truth.")


if __name__ == "__main__":
    main()

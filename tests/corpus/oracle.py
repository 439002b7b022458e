#!/usr/bin/env python3
"""A slow and obvious reading of a Kineto trace: json.load, exact decimals, no cleverness.

It shares nothing with lockstep but the contract of `info --json`. Usage: oracle.py TRACE [TRACE ...]
prints what it finds as JSON; exactness_test.py compares.
"""
import collections
import decimal
import gzip
import json
import re
import sys

decimal.getcontext().prec = 60

KERNEL_CATEGORIES = {"kernel", "Kernel", "mtia_ccp_events", "collective_comm"}
COPY_CATEGORIES = {"gpu_memcpy", "Memcpy", "gpu_memset", "Memset"}
# On device tracks but no work.
OTHER_DEVICE_CATEGORIES = {"gpu_user_annotation", "cuda_sync", "xpu_sync", "cuda_event",
                           "cuda_profiler_range", "mtia_insight"}
# MTIA has one category for all that its lanes show; only names tell work from waiting.
MTIA_CATEGORIES = {"dma_request": "gpu_memcpy", "event_wait": "cuda_event", "event_record": "cuda_event"}
CALL_CATEGORIES = {"cuda_runtime", "cuda_driver", "Runtime", "runtime"}
STEP_NAME = re.compile(r"^(ProfilerStep|Iteration|Step)#[0-9]+$|^StepTraceAnnotation$")


def picoseconds(text):
    """Microseconds as written, to whole picoseconds."""
    value = decimal.Decimal(str(text)) * 1_000_000
    return int(value.to_integral_value(rounding=decimal.ROUND_HALF_EVEN))


def union(intervals):
    """Length of the union of [start, end) intervals, by the textbook sweep."""
    total = 0
    reach = None
    for start, end in sorted(intervals):
        if reach is None or start > reach:
            total += end - start
            reach = end
        elif end > reach:
            total += end - reach
            reach = end
    return total


def load(path):
    opener = gzip.open if path.endswith(".gz") else open
    with opener(path, "rb") as file:
        document = json.loads(file.read(), parse_float=decimal.Decimal)
    if isinstance(document, list):
        return {"traceEvents": document}
    return document


def work_of_steps(steps, kernels, calls, interval):
    """For each step the kernels that it launched, and from where to where they run: by the call of the same
    correlation. Without one a kernel is of the step in which it begins, unless its stream ran it before the first
    kernel that has one."""
    first_called = {}
    for kernel in kernels:
        if correlation(kernel) in calls:
            stream = kernel["pid"], kernel["tid"]
            first_called[stream] = min(first_called.get(stream, interval(kernel)[0]), interval(kernel)[0])
    found = [[] for _ in steps]
    for kernel in kernels:
        start, end = interval(kernel)
        asked = calls.get(correlation(kernel))
        if asked is None and start < first_called.get((kernel["pid"], kernel["tid"]), start):
            continue
        asked = start if asked is None else asked
        inside = [i for i, (begin, finish, _) in enumerate(steps) if begin <= asked < finish]
        if inside:
            found[max(inside, key=lambda i: (steps[i][0], -steps[i][1]))].append((start, end))
    return found


def correlation(event):
    return event.get("args", {}).get("correlation")


def describe(path):
    document = load(path)
    events = document["traceEvents"]
    base = int(document.get("baseTimeNanoseconds", 0))
    for event in events:
        if event.get("cat") == "mtia_ccp_events":
            event["cat"] = MTIA_CATEGORIES.get(event["name"], "kernel")
    counted = [e for e in events if e.get("ph") in ("X", "i", "C")]
    # Times count from the earliest event, floored to nanoseconds.
    origin = min(picoseconds(e["ts"]) for e in counted) // 1000 * 1000
    spans = [e for e in counted if e["ph"] == "X"]
    device = KERNEL_CATEGORIES | COPY_CATEGORIES | OTHER_DEVICE_CATEGORIES
    work = [e for e in spans if e.get("cat") in KERNEL_CATEGORIES | COPY_CATEGORIES]
    kernels = [e for e in spans if e.get("cat") in KERNEL_CATEGORIES]

    def interval(event):
        start = picoseconds(event["ts"]) - origin
        return start, start + picoseconds(event["dur"])

    def extent(chosen):
        if not chosen:
            return 0
        return max(interval(e)[1] for e in chosen) - min(interval(e)[0] for e in chosen)

    streams = collections.defaultdict(lambda: {"kernels": 0, "intervals": []})
    devices = collections.defaultdict(lambda: {"kernels": 0, "intervals": []})
    for event in work:
        for table, key in ((devices, str(event["pid"])),
                           (streams, (str(event["pid"]), str(event["tid"])))):
            table[key]["intervals"].append(interval(event))
            table[key]["kernels"] += event["cat"] in KERNEL_CATEGORIES
    totals = collections.Counter()
    for event in kernels:
        totals[event["name"]] += picoseconds(event["dur"])
    steps = sorted({interval(e) + (e["name"],) for e in spans
                    if e.get("cat") not in device and STEP_NAME.match(e["name"])})
    host = [e for e in counted if e.get("cat") not in device]
    calls = {correlation(e): interval(e)[0] for e in spans if e.get("cat") in CALL_CATEGORIES and correlation(e)}
    launched = work_of_steps(steps, kernels, calls, interval)
    return {
        "origin_ns": str(base + origin // 1000),
        "events": len(counted),
        "host_events": len(host),
        "kernels": len(kernels),
        "span_ns": extent([e for e in spans if e.get("cat") != "Trace"]) // 1000,
        "device_span_ns": extent(work) // 1000,
        "device_busy_ns": sum(union(d["intervals"]) for d in devices.values()) // 1000,
        "devices": {k: {"kernels": d["kernels"], "busy_ns": union(d["intervals"]) // 1000}
                    for k, d in sorted(devices.items())},
        "streams": {" ".join(k): {"kernels": s["kernels"], "busy_ns": union(s["intervals"]) // 1000}
                    for k, s in sorted(streams.items())},
        "steps": [{"name": n, "start_ns": s // 1000, "end_ns": e // 1000, "kernels": len(work),
                   "device_start_ns": min(work)[0] // 1000 if work else None,
                   "device_end_ns": max(end for _, end in work) // 1000 if work else None}
                  for (s, e, n), work in zip(steps, launched)],
        "annotations": collections.Counter(
            e["name"] for e in spans
            if e.get("cat") == "user_annotation" and not STEP_NAME.match(e["name"])),
        "kernel_totals_ns": sorted((t // 1000 for t in totals.values()), reverse=True),
    }


if __name__ == "__main__":
    for name in sys.argv[1:]:
        print(json.dumps({name: describe(name)}, indent=2, default=str))

"""Merges traces of several ranks into one, as the tools do that people use.

Each scheme is a function of an event, a rank and the number of ranks. They change what the tool changes
and leave the rest: ids of arrows, correlations and thread ids stay, but for TraceFuse.
"""
import copy
import math


def largest(trace, key):
    return max((event[key] for event in trace["traceEvents"] if isinstance(event.get(key), int)), default=0)


def constant(distance):
    """pid + rank * distance, numbers only."""
    def move(event, rank):
        if isinstance(event.get("pid"), int):
            event["pid"] += rank * distance
    return move


def bracket(event, rank):
    """SGLang: [TP03] 4711."""
    event["pid"] = f"[TP{rank:02d}] {event.get('pid')}"


def brackets(event, rank):
    """SGLang with two sorts of parallelism, which give no rank."""
    event["pid"] = f"[TP{rank % 2:02d}-DP{rank // 2:02d}] {event.get('pid')}"


def prefix(event, rank):
    event["pid"] = f"rank{rank}_{event.get('pid')}"


def suffix(event, rank):
    event["pid"] = f"{event.get('pid')}_{rank}"


def one_process(event, rank):
    """MosaicML composer: the pid is the rank."""
    event["pid"] = rank


def merge(traces, scheme):
    """`traces`: by rank, as JSON was parsed. The header is that of the first."""
    merged = {key: value for key, value in traces[0].items() if key not in ("traceEvents", "distributedInfo")}
    merged["traceEvents"] = []
    for rank, trace in enumerate(traces):
        for event in copy.deepcopy(trace["traceEvents"]):
            scheme(event, rank)
            merged["traceEvents"].append(event)
    return merged


def named_by_rank(traces):
    """One process a rank, counted from 1 and named: Rank 3."""
    def move(event, rank):
        event["pid"] = rank + 1
    merged = merge(traces, move)
    for rank in range(len(traces)):
        merged["traceEvents"].append({"ph": "M", "name": "process_name", "pid": rank + 1, "tid": 0,
                                      "args": {"name": f"Rank {rank}"}})
    return merged


def trace_fuse(traces):
    """TraceLens: pids, ids and correlations move by a power of ten above the largest; all that named a
    process is written anew, and the header is gone."""
    first = traces[0]
    correlations = max((event.get("args", {}).get("correlation", 0) for event in first["traceEvents"]
                        if isinstance(event.get("args", {}).get("correlation", 0), int)), default=0)
    powers = {key: 10 ** (math.ceil(math.log10(value + 1)) + 1)
              for key, value in (("pid", largest(first, "pid")), ("id", largest(first, "id")),
                                 ("correlation", correlations))}
    events = []
    owners = {}
    for rank, trace in enumerate(traces):
        for event in copy.deepcopy(trace["traceEvents"]):
            if event["ph"] == "M" and event["name"].startswith("process_") or event.get("cat") == "Trace":
                continue
            arguments = event.setdefault("args", {})
            arguments["rank"] = rank
            if isinstance(arguments.get("correlation"), int):
                arguments["correlation"] += rank * powers["correlation"]
            for key in ("pid", "id"):
                if isinstance(event.get(key), int):
                    event[key] += rank * powers[key]
            if isinstance(event.get("pid"), int):
                is_device = event.get("cat") in ("kernel", "gpu_memcpy", "gpu_memset")
                known = owners.setdefault(event["pid"], [rank, False])
                known[1] = known[1] or is_device
            events.append(event)
    for pid, (rank, is_device) in owners.items():
        events.append({"ph": "M", "name": "process_name", "pid": pid, "tid": 0,
                       "args": {"name": f"RANK {rank} - {'GPU' if is_device else 'CPU'}"}})
    return {"traceEvents": events}


# Those that keep ranks apart, and know their numbers.
TOLD_APART = {
    "constant 100,000,000": lambda traces: merge(traces, constant(100_000_000)),
    "constant 10,000,000": lambda traces: merge(traces, constant(10_000_000)),
    "constant 2^32": lambda traces: merge(traces, constant(1 << 32)),
    "constant 1,000,000,000": lambda traces: merge(traces, constant(1_000_000_000)),
    "label in brackets": lambda traces: merge(traces, bracket),
    "prefix": lambda traces: merge(traces, prefix),
    "suffix": lambda traces: merge(traces, suffix),
    "a process a rank": lambda traces: merge(traces, one_process),
    "a named process a rank": named_by_rank,
    "TraceFuse": trace_fuse,
}

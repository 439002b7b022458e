"""Merges traces of several ranks into one, as the tools do that people use.

Each scheme is a function of an event and a rank. They change what the tool changes
and leave the rest: ids of arrows, correlations and thread ids stay, but for TraceFuse.
"""
import math


def largest(trace, key):
    return max((event[key] for event in trace["traceEvents"] if isinstance(event.get(key), int)), default=0)


def constant(distance):
    """pid + rank * distance, numbers only."""
    def move(event, rank):
        if isinstance(event.get("pid"), int):
            event["pid"] += rank * distance
    return move


def constant_for_threads_too(distance):
    """pid and tid + rank * distance."""
    move_process = constant(distance)

    def move(event, rank):
        move_process(event, rank)
        if isinstance(event.get("tid"), int):
            event["tid"] += rank * distance
    return move


def constant_and_order(distance):
    """pid + rank * distance, and processes in the order of ranks."""
    move_process = constant(distance)

    def move(event, rank):
        move_process(event, rank)
        if event.get("name") == "process_sort_index":
            event["args"]["sort_index"] = rank
    return move


def turns(ranks):
    """pid * ranks + rank."""
    def move(event, rank):
        if isinstance(event.get("pid"), int):
            event["pid"] = event["pid"] * ranks + rank
    return move


def spelled(form):
    """A pid of text: "{rank}:{pid}"."""
    def move(event, rank):
        event["pid"] = form.format(rank=rank, pid=event.get("pid"))
    return move


def named(form, distance=0):
    """The rank in the names of processes: "{name} [rank {rank}]"."""
    move_process = constant(distance)

    def move(event, rank):
        move_process(event, rank)
        if event.get("name") == "process_name":
            event["args"]["name"] = form.format(rank=rank, name=event["args"]["name"])
    return move


def without_metadata(merged):
    """As tools leave it that keep only events with a time."""
    return {**merged, "traceEvents": [event for event in merged["traceEvents"] if event["ph"] != "M"]}


def bracket(event, rank):
    """SGLang: [TP03] 4711."""
    event["pid"] = f"[TP{rank:02d}] {event.get('pid')}"


def brackets(event, rank):
    """SGLang with two sorts of parallelism, which give no rank."""
    event["pid"] = f"[TP{rank % 2:02d}-DP{rank // 2:02d}] {event.get('pid')}"


def one_process(event, rank):
    """MosaicML composer: the pid is the rank."""
    event["pid"] = rank


def copy_of(event):
    """Deep enough for what schemes change."""
    return {**event, "args": dict(event["args"])} if isinstance(event.get("args"), dict) else dict(event)


def merge(traces, scheme):
    """`traces`: by rank, as JSON was parsed. The header is that of the first."""
    merged = {key: value for key, value in traces[0].items() if key not in ("traceEvents", "distributedInfo")}
    merged["traceEvents"] = []
    for rank, trace in enumerate(traces):
        for event in map(copy_of, trace["traceEvents"]):
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
        for event in map(copy_of, trace["traceEvents"]):
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
    **{form: lambda traces, form=form: merge(traces, spelled(form))
       for form in ("rank{rank}_{pid}", "{pid}_{rank}", "{rank}_{pid}", "{rank}:{pid}", "{pid}:{rank}", "{rank}-{pid}",
                    "[rank {rank}] {pid}", "[rank{rank}]{pid}", "{pid} (rank {rank})", "r{rank}_{pid}")},
    "a constant and names": lambda traces: merge(traces, named("{name} [rank {rank}]", 1_000_000)),
    "names": lambda traces: merge(traces, named("Rank {rank} {name}")),
    "a process a rank": lambda traces: merge(traces, one_process),
    "a named process a rank": named_by_rank,
    "TraceFuse": trace_fuse,
}

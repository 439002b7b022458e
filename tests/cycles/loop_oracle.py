"""A slow and obvious check of `lockstep cycles --json` against the Kineto file that it was made from.

It shares nothing with lockstep but the contract: kernels are read with json.load and exact decimals, every
claim on a loop is verified by direct comparison of names and by sums over the raw times. It says what is
wrong; it does not look for loops itself.
"""
import collections
import decimal
import fractions
import gzip
import json
import math

decimal.getcontext().prec = 60

KERNEL_CATEGORIES = {"kernel", "Kernel", "mtia_ccp_events", "collective_comm"}
# What lanes of MTIA have beside kernels.
MTIA_OTHERS = {"dma_request", "event_wait", "event_record"}
FEWEST_TO_COMPARE = 3
SHARE_ERROR = 0.6e-6  # shares are rounded to six decimals

Kernel = collections.namedtuple("Kernel", "start end name correlation")  # sorted as lockstep sorts


def picoseconds(microseconds):
    value = decimal.Decimal(str(microseconds)) * 1_000_000
    return int(value.to_integral_value(rounding=decimal.ROUND_HALF_EVEN))


def load(path):
    opener = gzip.open if str(path).endswith(".gz") else open
    with opener(path, "rb") as file:
        document = json.loads(file.read(), parse_float=decimal.Decimal)
    return {"traceEvents": document} if isinstance(document, list) else document


def kernel_streams(document):
    """(device, stream) -> its kernels in order, in picoseconds from the zero of the trace."""
    events = document["traceEvents"]
    zero = min(picoseconds(e["ts"]) for e in events if e.get("ph") in ("X", "i", "C", "B"))
    zero = zero // 1000 * 1000
    streams = collections.defaultdict(list)
    for event in events:
        if event.get("cat") == "mtia_ccp_events" and event["name"] in MTIA_OTHERS:
            continue
        if event.get("ph") == "X" and event.get("cat") in KERNEL_CATEGORIES:
            start = picoseconds(event["ts"]) - zero
            correlation = event.get("args", {}).get("correlation", 0)
            streams[str(event["pid"]), str(event["tid"])].append(
                Kernel(start, start + picoseconds(event["dur"]), event["name"], correlation))
    return {key: sorted(kernels) for key, kernels in streams.items()}


def percentile(values, percent):
    """As numpy.percentile does, in exact fractions, rounded down to whole picoseconds."""
    values = sorted(values)
    place = fractions.Fraction(percent, 100) * (len(values) - 1)
    below, above = values[math.floor(place)], values[math.ceil(place)]
    return math.floor(below + (above - below) * (place - math.floor(place)))


def union(intervals):
    total, reach = 0, None
    for start, end in sorted(intervals):
        if reach is None or start > reach:
            total, reach = total + end - start, end
        elif end > reach:
            total, reach = total + end - reach, end
    return total


class LoopCheck:
    """One entry of `loops`; `enclosing` are the iterations of its parent, or the whole stream."""

    def __init__(self, kernels, loop, enclosing):
        self.kernels = kernels
        self.names = [kernel.name for kernel in kernels]
        self.loop = loop
        self.enclosing = enclosing
        self.iterations = [(one["start"], one["end"]) for one in loop["iterations"]]
        self.instances = self.split_into_instances()
        self.found = []

    def split_into_instances(self):
        """Iterations that follow each other inside one iteration of the parent."""
        instances, around = [], 0
        for start, end in self.iterations:
            before = around
            while around + 1 < len(self.enclosing) and self.enclosing[around][1] <= start:
                around += 1
            if instances and around == before and instances[-1][-1][1] == start:
                instances[-1].append((start, end))
            else:
                instances.append([(start, end)])
        return instances

    def check(self, what, mine, theirs):
        if mine != theirs:
            self.found.append(f"{what}: lockstep says {mine!r}, the oracle {theirs!r}")

    def faults(self):
        self.check_places()
        bodies = {tuple(self.names[start:end]) for start, end in self.iterations}
        self.check("exact", self.loop["exact"], len(bodies) == 1)
        if self.loop["exact"]:
            self.check_run()
            self.check_exact_positions()
        else:
            self.check("repetitions", self.loop["repetitions"], None)
            self.check("position count", max(p["count"] for p in self.loop["positions"])
                       <= len(self.iterations), True)
        self.check_times()
        return self.found

    def check_places(self):
        loop = self.loop
        first = self.instances[0]
        self.check("start, end", (loop["start"], loop["end"]), (first[0][0], first[-1][1]))
        self.check("complete", loop["complete"], len(first))
        self.check("body", len(loop["positions"]), loop["period"])
        for start, end in self.iterations:
            if not any(lo <= start and end <= hi for lo, hi in self.enclosing):
                self.found.append(f"iteration [{start},{end}) is outside its parent")
                break
        if not loop["run_start"] <= loop["start"] < loop["end"] <= loop["run_end"]:
            self.found.append(f"[{loop['start']},{loop['end']}) is outside its run "
                              f"[{loop['run_start']},{loop['run_end']})")
        length = loop["run_end"] - loop["run_start"]
        self.check("slack", loop["slack"], length - (loop["end"] - loop["start"]))

    def check_run(self):
        """Whether the run is one, cannot be longer, and has no shorter period."""
        loop, names = self.loop, self.names
        first, last, period = loop["run_start"], loop["run_end"], loop["period"]
        length = last - first
        self.check("length of iterations", {end - start for start, end in self.iterations},
                   {period})
        self.check("repetitions", loop["repetitions"],
                   float(round(decimal.Decimal(length) / period, 2)))  # half to even
        if names[first:last - period] != names[first + period:last]:
            self.found.append(f"[{first},{last}) has not the period {period}")
        lo, hi = next(((lo, hi) for lo, hi in self.enclosing if lo <= loop["start"] < hi),
                      (0, len(names)))
        if first > lo and names[first - 1] == names[first - 1 + period]:
            self.found.append(f"the run of {period} could begin before {first}")
        if last < hi and names[last] == names[last - period]:
            self.found.append(f"the run of {period} could end after {last}")
        for shorter in range(1, period // 2 + 1):
            if period % shorter == 0 and \
                    names[first:last - shorter] == names[first + shorter:last]:
                self.found.append(f"the run of {period} has the period {shorter}")
                break

    def check_exact_positions(self):
        start = self.loop["start"]
        whole = sum(self.kernels[i].end - self.kernels[i].start
                    for begin, end in self.iterations for i in range(begin, end))
        for offset, position in enumerate(self.loop["positions"]):
            times = [self.kernels[begin + offset].end - self.kernels[begin + offset].start
                     for begin, _ in self.iterations]
            mean = sum(times) / len(times)
            stddev = math.sqrt(sum((t - mean) ** 2 for t in times) / len(times)) / 1000
            got = (position.get("raw_name", position["name"]), position["count"],
                   position["mean_ns"], position["min_ns"], position["max_ns"])
            want = (self.names[start + offset], len(times), sum(times) // len(times) // 1000,
                    min(times) // 1000, max(times) // 1000)
            self.check(f"position {offset}", got, want)
            # Rounded down, from a floating point sum on either side.
            if not stddev - 1.001 <= position["stddev_ns"] <= stddev + 0.001:
                self.check(f"stddev of position {offset}", position["stddev_ns"], stddev)
            if abs(position["share"] - (sum(times) / whole if whole else 0)) > SHARE_ERROR:
                self.check(f"share of position {offset}", position["share"], sum(times) / whole)

    def check_times(self):
        loop = self.loop
        walls, busies, sums = [], [], []
        for instance in self.instances:
            for i, (begin, end) in enumerate(instance):
                inside = self.kernels[begin:end]
                until = self.kernels[instance[i + 1][0]].start if i + 1 < len(instance) \
                    else max(kernel.end for kernel in inside)
                walls.append(until - inside[0].start)
                busies.append(union((k.start, min(k.end, until)) for k in inside
                                    if k.start < until))
                sums.append(sum(k.end - k.start for k in inside))
        want = [(self.kernels[begin].start // 1000, wall // 1000, busy // 1000)
                for (begin, _), wall, busy in zip(self.iterations, walls, busies)]
        self.check("times of iterations", [(one["start_ns"], one["wall_ns"], one["busy_ns"])
                                           for one in loop["iterations"]], want)
        first = len(self.instances[0])
        start = self.kernels[loop["start"]].start
        self.check("start_ns", loop["start_ns"], start // 1000)
        self.check("end_ns", loop["end_ns"], (start + sum(walls[:first])) // 1000)
        lost = loop["end_ns"] - loop["start_ns"] \
            - sum(one["wall_ns"] for one in loop["iterations"][:first])
        if not -1 < lost < first + 1:  # each is rounded down to nanoseconds
            self.found.append(f"the walls miss the length of the loop by {lost} ns")
        idle = [wall - busy for wall, busy in zip(walls, busies)]
        # The last iteration of an instance lacks the gap to the next: its wall does not compare.
        last = [len(instance) >= FEWEST_TO_COMPARE and i + 1 == len(instance)
                for instance in self.instances for i in range(len(instance))]
        if any(i < 0 for i in idle) or any(s < b for s, b in zip(sums, busies)):
            self.found.append("busy time is beyond the wall time or the kernel sum")
        for key, values in (
                ("wall_ns", [wall for wall, is_last in zip(walls, last) if not is_last]),
                ("idle_ns", [one for one, is_last in zip(idle, last) if not is_last]),
                ("busy_ns", busies), ("kernel_sum_ns", sums)):
            self.check(key, loop[key], {
                "p50": percentile(values, 50) // 1000, "p95": percentile(values, 95) // 1000,
                "min": min(values) // 1000, "max": max(values) // 1000})


def canonical(names):
    """The least rotation, by trying all."""
    doubled = names + names
    return min(tuple(doubled[i:i + len(names)]) for i in range(len(names)))


def enclosing_iterations(loops, index, kernels):
    """Of the parent: the last entry before with its id and a smaller depth that lies around it."""
    loop = loops[index]
    if loop["parent"] is None:
        return [(0, kernels)], None
    for before in reversed(range(index)):
        parent = loops[before]
        around = [(one["start"], one["end"]) for one in parent["iterations"]]
        if parent["id"] == loop["parent"] and parent["depth"] == loop["depth"] - 1 and \
                around[0][0] <= loop["start"] < around[-1][1]:
            return around, before
    return None, None


def stream_faults(stream, kernels):
    loops = stream["loops"]
    found = []
    if stream["kernels"] != len(kernels):
        return [f"{stream['kernels']} kernels, the oracle has {len(kernels)}"]
    instances, covered = collections.Counter(), collections.Counter()
    siblings = collections.defaultdict(list)
    for index, loop in enumerate(loops):
        where = f"{loop['complete']} x {loop['period']} at {loop['start']}"
        around, parent = enclosing_iterations(loops, index, len(kernels))
        if around is None:
            found.append(f"{where}: no parent {loop['parent']} stands before it")
            continue
        check = LoopCheck(kernels, loop, around)
        found += [f"{where}: {fault}" for fault in check.faults()]
        instances[loop["id"]] += len(check.instances)
        covered[loop["id"]] += sum(end - start for start, end in check.iterations)
        siblings[parent] += check.iterations
    for loop in loops:
        where = f"{loop['complete']} x {loop['period']} at {loop['start']}"
        if loop["instances"] != instances[loop["id"]]:
            found.append(f"{where}: {loop['instances']} instances, the oracle counts "
                         f"{instances[loop['id']]}")
        if abs(loop["coverage"] - covered[loop["id"]] / len(kernels)) > SHARE_ERROR:
            found.append(f"{where}: coverage {loop['coverage']}, the oracle has "
                         f"{covered[loop['id']] / len(kernels)}")
    for ranges in siblings.values():
        ranges.sort()
        if any(before[1] > after[0] for before, after in zip(ranges, ranges[1:])):
            found.append("iterations of siblings overlap")
    in_loops = sum(end - start for start, end in siblings[None])
    if stream["kernels_in_loops"] != in_loops:
        found.append(f"kernels_in_loops {stream['kernels_in_loops']}, the oracle {in_loops}")
    return found + id_faults(loops, kernels)


def id_faults(loops, kernels):
    """Exact loops share an id where their bodies are rotations of each other, and only there."""
    bodies = {}
    for loop in loops:
        if not loop["exact"]:
            continue
        names = [kernel.name for kernel in kernels[loop["start"]:loop["start"] + loop["period"]]]
        bodies.setdefault(canonical(names), set()).add(loop["id"])
    counts = collections.Counter(i for ids in bodies.values() for i in ids)
    return [f"ids {sorted(ids)} have one body" for ids in bodies.values() if len(ids) > 1] + \
           [f"id {i} has {n} bodies" for i, n in counts.items() if n > 1]


def phase_faults(stream):
    """Phases lie in order and cover the stream."""
    reached = 0
    for phase in stream["phases"]:
        if phase["start"] != reached or phase["end"] <= reached:
            return [f"phase [{phase['start']},{phase['end']}) after kernel {reached}"]
        reached = phase["end"]
    return [] if reached in (0, stream["kernels"]) else [f"phases end at kernel {reached}"]


def faults(document, path):
    """What is wrong in a document on this one Kineto file."""
    streams = kernel_streams(load(path))
    found = []
    seen = {(s["device"], s["stream"]) for s in document["streams"]}
    if seen != set(streams):
        found.append(f"streams {sorted(seen)}, the oracle has {sorted(streams)}")
    for stream in document["streams"]:
        key = (stream["device"], stream["stream"])
        if key in streams:
            found += [f"stream {key[1]}: {fault}" for fault in
                      stream_faults(stream, streams[key]) + phase_faults(stream)]
    return found

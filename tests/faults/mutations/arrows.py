"""Counts the arrows between events of a Chrome trace, from what the file says and nothing else.

Work on a device that carries the correlation of a host call is one arrow; so is every end of a flow whose start is there,
where both ends have an event at their time.
"""

import bisect
from collections import defaultdict
from decimal import Decimal, InvalidOperation

CALLS = {"cuda_runtime", "cuda_driver", "Runtime", "xpu_runtime", "xpu_driver", "mtia_runtime", "glow_runtime", "hpu_op",
         "privateuse1_runtime", "privateuse1_driver"}
WORK = {"kernel", "Kernel", "gpu_memcpy", "Memcpy", "gpu_memset", "Memset", "collective_comm", "mtia_ccp_events",
        "gpu_user_annotation", "cuda_sync", "xpu_sync", "cuda_event"}
SAY_CORRELATIONS = {"ac2g", "async_cpu_to_gpu", "async"}


def time_of(value):
    """Exactly; None for what is no time."""
    try:
        time = Decimal(str(value))
    except InvalidOperation:
        return None
    return time if time.is_finite() else None


class Lane:
    """The spans of one thread."""

    def __init__(self):
        self.spans = []
        self.starts = []
        self.latest = []  # end of this span and of those before it

    def add(self, start, duration):
        self.spans.append((start, start + max(duration, Decimal(0))))

    def close(self):
        self.spans.sort()
        self.starts = [start for start, _ in self.spans]
        for _, end in self.spans:
            self.latest.append(max(end, self.latest[-1]) if self.latest else end)

    def has_span_at(self, time, is_around):
        begun = bisect.bisect_right(self.starts, time)
        if begun and (self.latest[begun - 1] >= time if is_around else self.starts[begun - 1] == time):
            return True
        return not is_around and begun < len(self.starts)


def category_of(event):
    return str(event.get("cat", event.get("name")))


def lane_of(event):
    return str(event.get("pid")), str(event.get("tid"))


def lanes_of(events):
    lanes = defaultdict(Lane)
    for event in events:
        start = time_of(event.get("ts"))
        if event.get("ph") == "X" and start is not None:
            lanes[lane_of(event)].add(start, time_of(event.get("dur")) or Decimal(0))
    for lane in lanes.values():
        lane.close()
    return lanes


def correlation_of(event):
    arguments = event.get("args")
    if not isinstance(arguments, dict) or event.get("ph") != "X":
        return None
    found = arguments.get("correlation")
    return None if found is None else str(found)


def arrows(events):
    """How many."""
    calls = {correlation_of(event) for event in events if category_of(event) in CALLS} - {None}
    work = [correlation_of(event) for event in events if category_of(event) in WORK]
    joined = [correlation for correlation in work if correlation in calls]
    known = set(joined)
    groups = defaultdict(list)
    for event in events:
        if event.get("ph") in ("s", "t", "f"):
            category, name = category_of(event), str(event.get("id"))
            if category not in SAY_CORRELATIONS or name not in known:
                groups[category, name].append(event)
    lanes = lanes_of(events) if groups else {}
    # Profilers may draw two arrows to one piece of work.
    return len(joined) + len({end for ends in groups.values() for end in ends_bound(ends, lanes)})


def ends_bound(ends, lanes):
    """Lanes and times of the ends of one flow."""
    bound = [event for event in ends if is_bound(event, lanes)]
    if not any(event["ph"] == "s" for event in bound):
        return []
    return [(*lane_of(event), time_of(event["ts"])) for event in bound if event["ph"] != "s"]


def is_bound(event, lanes):
    time = time_of(event.get("ts"))
    lane = lanes.get(lane_of(event))
    return lane is not None and time is not None and lane.has_span_at(time, event["ph"] != "f" or event.get("bp") == "e")

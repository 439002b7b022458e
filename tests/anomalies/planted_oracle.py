"""Gaps of the made-up traces, found the slow and obvious way."""
from planted_trace import MS


def union(intervals):
    merged = []
    for start, end in sorted(intervals):
        if merged and start <= merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], end)
        else:
            merged.append([start, end])
    return [tuple(piece) for piece in merged]


def windows(trace):
    """[S_i, S_i+1); the last one ends with its marker or its last kernel."""
    starts = [start for start, _ in trace.markers]
    last = max(trace.markers[-1][1], max(end for _, end in trace.kernels))
    return list(zip(starts, starts[1:] + [last]))


def heavy_limit(service):
    return max(MS, service / 10)


def gaps(trace):
    """All gaps of all steps: (step, scope, start, end), one after another."""
    busy = union(trace.kernels)
    found = []
    all_windows = windows(trace)
    for step, (start, end) in enumerate(all_windows):
        inside = [(max(a, start), min(b, end)) for a, b in busy if a < end and b > start]
        is_last = step + 1 == len(all_windows)
        border = end if is_last else min(trace.markers[step][1], end)
        border = max(border, inside[-1][1])
        cuts = [("prelaunch", start, inside[0][0])]
        cuts += [("step_internal", a[1], b[0]) for a, b in zip(inside, inside[1:])]
        cuts += [("tail", inside[-1][1], border), ("inter_step", border, end)]
        found += [(step, scope, a, b) for scope, a, b in cuts if b > a]
    return found


def heavy_gaps(trace):
    service = [end - start for start, end in windows(trace)]
    return [gap for gap in gaps(trace) if gap[3] - gap[2] >= heavy_limit(service[gap[0]])]


def planted_piece(trace, plant):
    """The part of a planted gap that lies in its step and scope."""
    pieces = [(start, end) for step, scope, start, end in gaps(trace)
              if (step, scope) == (plant.step, plant.scope)
              and start < plant.gap[1] and end > plant.gap[0]]
    return pieces[0] if len(pieces) == 1 else None


def covered(pieces, start, end):
    return sum(max(0, min(b, end) - max(a, start)) for a, b in pieces)


def metrics(trace):
    """The figures of every step, in nanoseconds, under the names that the program gives them."""
    busy, any_busy = union(trace.kernels), union(trace.kernels + trace.copies)
    all_gaps = gaps(trace)
    rows = []
    for step, (start, end) in enumerate(windows(trace)):
        by_scope = {scope: [b - a for s, what, a, b in all_gaps if (s, what) == (step, scope)]
                    for scope in ("prelaunch", "step_internal", "tail", "inter_step")}
        inside = by_scope["step_internal"]
        # In these traces the device is done before the next step begins, so that the first kernel
        # of a step has nothing to wait for but its launch.
        rows.append({
            "service_ms": end - start,
            "device_busy_union_ms": covered(busy, start, end),
            "any_busy_union_ms": covered(any_busy, start, end),
            "underfeed_ms": end - start - covered(busy, start, end),
            "prelaunch_gap_ms": sum(by_scope["prelaunch"]),
            "prelaunch_launch_ms": sum(by_scope["prelaunch"]),
            "tail_gap_ms": sum(by_scope["tail"]) + sum(by_scope["inter_step"]),
            "internal_bubble_total_ms": sum(inside),
            "largest_internal_bubble_ms": max(inside, default=0),
            "bubble_count": len(inside),
        })
    return rows


def host_part(trace, gap):
    """Until the launch of the kernel after a gap had returned; nothing where none comes after."""
    after = [start for start, _ in trace.kernels if start >= gap[1]]
    if not after:
        return None
    return min(gap[1] - gap[0], max(0, trace.launched[min(after)] - gap[0]))

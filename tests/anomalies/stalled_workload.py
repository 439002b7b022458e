"""The workload that tests/workload writes in every format, with a pause in it."""

import sys
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "workload"))

from workload import PS_PER_NS, scripted  # noqa: E402

STALLED_STEP = 2
STALL_NS = 1_000_000


def stalled(steps=3):
    """One device; host and device pause before a kernel in the middle of a step."""
    work = scripted(devices=1, steps=steps)
    own = [event for event in work.device_events if event.step == STALLED_STEP]
    at = next(event for event in own[len(own) // 2:] if event.kind == "kernel").correlation
    begin = next(event.start_ps for event in work.host_events if event.correlation == at)

    def moved(event):
        return replace(event, start_ps=event.start_ps + STALL_NS * PS_PER_NS)

    work.device_events = [moved(event) if event.correlation >= at else event for event in work.device_events]
    work.host_events = [
        moved(event) if event.start_ps >= begin
        else replace(event, duration_ps=event.duration_ps + STALL_NS * PS_PER_NS) if event.end_ps > begin
        else event
        for event in work.host_events]
    return work


def largest_gap(work):
    """Between kernels and collectives: the event before it and the one after it."""
    kernels = sorted(work.of_kind("kernel", "communication"), key=lambda event: event.start_ps)
    best, last = (kernels[0], kernels[0]), kernels[0]
    for event in kernels[1:]:
        if event.start_ps - last.end_ps > best[1].start_ps - best[0].end_ps:
            best = (last, event)
        last = max(last, event, key=lambda one: one.end_ps)
    return best


def call_of(work, event):
    return next(call for call in work.host_of_kind("runtime_call") if call.correlation == event.correlation)

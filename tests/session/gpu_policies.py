#!/usr/bin/env python3
"""Holds what gpu_policies.cu recorded to what its kernels do.

  gpu_policies.py LOCKSTEP FOLDER
"""

import json
import pathlib
import subprocess
import sys

LOCKSTEP, FOLDER = sys.argv[1], pathlib.Path(sys.argv[2])
RECORDS = 64
failures = 0


def decode(name):
    path = FOLDER / f"{name}.lkp"
    done = subprocess.run([LOCKSTEP, "kernel", "decode", path, "--json"], capture_output=True)
    assert done.returncode == 0, (name, done.stderr.decode())
    return json.loads(done.stdout)


def expect(name, claim, found, wanted):
    global failures
    holds = found == wanted
    failures += not holds
    print(f"{name:20} {claim:44} {found}{'' if holds else f'  WRONG, not {wanted}'}")


def events_of(lane):
    return [region["event"] for region in lane["regions"]]


def check_whole(name, blocks=range(8)):
    """All of known_markers with 10 regions, in every lane."""
    profile = decode(name)
    lanes = profile["lanes"]
    expect(name, "lanes", [(lane["block"], lane["group"]) for lane in lanes],
           [(block, group) for block in blocks for group in range(3)])
    expect(name, "regions, each lane alike", {tuple(events_of(lane)) for lane in lanes},
           {(1,) * 10 + (3, 4)})
    expect(name, "payloads", {tuple(r["payload"] for r in lane["regions"][:10]) for lane in lanes},
           {tuple(range(1, 11))})
    expect(name, "statuses", {r["status"] for lane in lanes for r in lane["regions"]}, {"ok"})
    expect(name, "instants", {(i["event"], i["payload"]) for lane in lanes for i in lane["instants"]},
           {(2, 77)})
    expect(name, "dropped", sum(lane["dropped"] for lane in lanes), 0)
    expect(name, "finalized", all(lane["finalized"] for lane in lanes), True)
    positive = all(r["duration_cycles"] > 100 for lane in lanes for r in lane["regions"])
    expect(name, "every region lasts", positive, True)
    ordered = all(a["start_ns"] <= b["start_ns"] for lane in lanes
                  for a, b in zip(lane["regions"], lane["regions"][1:]))
    expect(name, "in order of start", ordered, True)


def check_full(name, kept_first):
    """100 regions where 64 records fit."""
    for lane in decode(name)["lanes"]:
        events = 2 * 100 + 4 + (1 if lane["group"] < 2 else 0)
        assert lane["seen"] == events, (name, lane["seen"], events)
        assert lane["dropped"] == events - lane["written"], (name, lane["dropped"])
        payloads = [r["payload"] for r in lane["regions"] if r["event"] == 1 and r["status"] == "ok"]
        if kept_first:
            # A lane in global memory has a power of two of slots, less two spare ones.
            assert payloads == list(range(1, lane["written"] // 2 + 1)), (name, payloads)
        else:
            assert payloads == list(range(101 - len(payloads), 101)), (name, payloads)
            assert events_of(lane)[-2:] == [3, 4], name
            assert len(payloads) >= 28, (name, len(payloads))
    expect(name, "keeps the right records and counts the rest", True, True)


def main():
    for name in ("shared", "global", "unchecked_shared", "unchecked_global", "strict_shared",
                 "anchored_shared", "anchored_global", "regions_shared", "regions_global"):
        check_whole(name)
    check_whole("every_other", range(0, 8, 2))
    check_whole("listed", (1, 6))
    check_full("full_shared", True)
    check_full("full_global", True)
    check_full("ring_shared", False)
    check_full("ring_global", False)
    lanes = decode("elected")["lanes"]
    expect("elected", "lanes", len(lanes), 32)
    expect("elected", "both sides and the join", {tuple(sorted(events_of(l))) for l in lanes},
           {(1, 2, 3)})
    lanes = decode("early")["lanes"]
    expect("early", "regions of leaders that returned", {tuple(events_of(l)) for l in lanes}, {(1,)})
    expect("early", "finalized", {l["finalized"] for l in lanes}, {True})
    expect("off", "lanes", len(decode("off")["lanes"]), 0)
    print("all claims hold" if failures == 0 else f"{failures} claims fail")
    sys.exit(1 if failures else 0)


main()

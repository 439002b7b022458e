#!/usr/bin/env python3
"""Compares what lockstep reads of the corpus' Ascend profiles with a slow oracle that takes its figures
straight from the CSV files, to the nanosecond, and with the figures of the corpus' README.

Usage: ascend_test.py LOCKSTEP. The corpus is found by LOCKSTEP_CORPUS; without it the test says so and
is skipped (exit 77).
"""
import csv
import json
import os
import subprocess
import sys
import tempfile
from decimal import Decimal

SKIPPED = 77
OUTPUT = "ASCEND_PROFILER_OUTPUT"
COPIES = ("PCIE_DMA_SQE", "SDMA_SQE")

# From the README of the corpus and the reference, in ns.
KNOWN = {
    "text_level1_rank0_ascend_pt": {
        "kernels": 191, "compute": 8873737, "communication": 105991876, "both": 110836940, "busy": 111690077,
        "gaps": 90, "largest_gap": 1318826, "span": 136581009, "free_us": "25744.05", "preparing_us": "17902.5"},
    "text_level1_rank1_ascend_pt": {
        "kernels": 191, "compute": 8878275, "communication": 100375284, "both": 105237328, "span": 131912615},
    "llm_step_rank0": {"kernels": 2463},
    "old2023_rank0": {"kernels": 21},
}
# Row 17 of that table really lacks a cell: its duration, so that all behind it stand in wrong columns.
KNOWN_LOSSES = {"old2023_rank0": [("narrow_row", 1, 17)]}


def picoseconds(text):
    value = Decimal(text.strip()) * 10**6
    return int(value.to_integral_value())


def union(spans):
    """Merged intervals, in order."""
    merged = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], end)
        else:
            merged.append([start, end])
    return merged


def length(spans):
    return sum(end - start for start, end in union(spans)) // 1000


def product(folder, name):
    for path in (os.path.join(folder, OUTPUT, name), os.path.join(folder, name)):
        if os.path.exists(path):
            return path
    return None


def kernels_of(folder):
    """(is collective, start, end) of every row of kernel_details.csv, in ps."""
    rows = []
    with open(product(folder, "kernel_details.csv"), newline="", encoding="utf-8-sig") as file:
        for row in csv.DictReader(file):
            start = picoseconds(row["Start Time(us)"])
            rows.append((row["Accelerator Core"] in ("HCCL", "COMMUNICATION"), start,
                         start + picoseconds(row["Duration(us)"])))
    return rows


def copies_of(folder):
    path = product(folder, "trace_view.json")
    if path is None:
        return []
    with open(path, encoding="utf-8") as file:
        events = json.load(file, parse_float=str, parse_int=str)
    spans = []
    for event in events:
        if event["ph"] == "X" and event.get("args", {}).get("Task Type") in COPIES:
            start = picoseconds(event["ts"])
            spans.append((start, start + picoseconds(event["dur"])))
    return spans


def oracle(folder):
    rows = kernels_of(folder)
    copies = copies_of(folder)
    every = [(start, end) for _, start, end in rows]
    merged = union(every)
    gaps = [b[0] - a[1] for a, b in zip(merged, merged[1:])]
    return {
        "kernels": len(rows), "copies": len(copies),
        "compute": length([r[1:] for r in rows if not r[0]]),
        "communication": length([r[1:] for r in rows if r[0]]),
        "both": length(every), "busy": length(every + copies),
        "gaps": len(gaps), "largest_gap": max(gaps) // 1000,
        "span": (merged[-1][1] - merged[0][0]) // 1000,
        "gap_total": sum(gaps) // 1000, "first": merged[0][0],
    }


def run(program, *arguments):
    return subprocess.run([program, *arguments], capture_output=True, check=True).stdout


def lockstep(program, folder, scratch):
    """The same figures from lockstep: totals from info, gaps from what convert writes."""
    info = json.loads(run(program, "info", "--json", folder))
    devices = [d for rank in info["ranks"] for d in rank["devices"]]
    out = os.path.join(scratch, "copy.json")
    run(program, "convert", folder, "-o", out)
    with open(out, encoding="utf-8") as file:
        document = json.load(file, parse_float=str, parse_int=str)
    spans = []
    for event in document["traceEvents"]:
        if event["ph"] == "X" and event.get("cat") in ("kernel", "ai_cpu", "collective_comm"):
            start = picoseconds(event["ts"])
            spans.append((start, start + picoseconds(event["dur"])))
    merged = union(spans)
    gaps = [b[0] - a[1] for a, b in zip(merged, merged[1:])]
    return {
        "kernels": info["kernels"], "copies": info["by_kind"].get("memcpy", 0),
        "compute": devices[0]["compute_busy_ns"], "communication": devices[0]["communication_busy_ns"],
        "both": length(spans), "busy": info["device_busy_ns"], "gaps": len(gaps),
        "largest_gap": max(gaps) // 1000, "span": (merged[-1][1] - merged[0][0]) // 1000,
        "gap_total": sum(gaps) // 1000,
        "first": None, "info": info,
    }


def differences(program, folder, scratch):
    want = oracle(folder)
    got = lockstep(program, folder, scratch)
    found = [f"{key}: lockstep says {got[key]}, the oracle {want[key]}"
             for key in want if key != "first" and got[key] != want[key]]
    known = KNOWN[os.path.basename(folder)]
    found += [f"{key}: lockstep says {got[key]}, the README {known[key]}"
              for key in known if not key.endswith("_us") and got[key] != known[key]]
    if "free_us" in known:
        # The vendor's own sums lie on a grid of 0.25 us.
        free = abs(got["gap_total"] - float(known["free_us"]) * 1000)
        step = json.load(open(product(folder, "trace_view.json"), encoding="utf-8"))
        host = next(e for e in step if e["name"].startswith("ProfilerStep#"))
        preparing = (want["first"] - picoseconds(host["ts"])) / 1e6
        if free > 250:
            found.append(f"Free differs by {free} ns")
        if abs(preparing - float(known["preparing_us"])) > 0.25:
            found.append(f"Preparing is {preparing} us")
    losses = [d for d in got["info"]["diagnostics"] if d["severity"] != "info" and
              (d["kind"], d["count"], d.get("first_row")) not in KNOWN_LOSSES.get(os.path.basename(folder), [])]
    return found + [f"unexpected diagnostic: {d}" for d in losses]


def main():
    program = sys.argv[1]
    corpus = os.environ.get("LOCKSTEP_CORPUS")
    if not corpus:
        print("skipped: LOCKSTEP_CORPUS is not set")
        return SKIPPED
    failed = 0
    with tempfile.TemporaryDirectory() as scratch:
        for name in KNOWN:
            found = differences(program, os.path.join(corpus, "ascend", name), scratch)
            print(("FAIL " if found else "ok   ") + name)
            for line in found:
                print("     " + line[:600])
            failed += bool(found)
        # A directory of many ranks is one input.
        both = json.loads(run(program, "info", "--json", os.path.join(corpus, "ascend")))
        ranks = sorted(rank["rank"] for rank in both["ranks"] if rank["format"] == "ascend_text")
        if len(ranks) != len(KNOWN):
            print(f"FAIL the whole folder: ranks {ranks}")
            failed += 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

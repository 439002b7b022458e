#!/usr/bin/env python3
"""The benchmark of `cycles`: the search for loops on kernels made in memory, the default method and the
anchor method in the same run, with the growth of both.

Usage: cycles.py CYCLE_BENCH [--sizes 100000,1000000,10000000] [--runs 3] [--limit 120] [--markdown FILE]

Every measurement is a process of its own. A search that takes longer than the limit is ended, and larger
sizes of it are not tried.
"""
import argparse
import json
import statistics
import subprocess
import sys

from run import machine

CASES = [
    ("nested", "nested loops, 0.1 % noise"),
    ("fibonacci", "Fibonacci"),
    ("one", "one name"),
    ("random", "random, 50 names"),
    ("blocks", "many short loops"),
]
METHODS = [("loops", "default"), ("repetitions", "repetitions alone"), ("anchor", "anchor")]
# The promise for the default method.
BAR_KERNELS = 10_000_000
BAR_SECONDS = 15
BAR_PEAK_MB = 2500
TOO_LONG = "too long"


def measure(options, case, kernels, method):
    """Median seconds, least processor seconds and largest peak of some runs, or TOO_LONG."""
    rows = []
    for _ in range(options.runs):
        command = [options.cycle_bench, case, str(kernels), method]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=options.limit)
        except subprocess.TimeoutExpired:
            return TOO_LONG
        if done.returncode != 0:
            sys.exit(f"failed: {' '.join(command)}\n{done.stderr}")
        rows.append(json.loads(done.stdout))
    return {"seconds": statistics.median(row["seconds"] for row in rows),
            "processor_seconds": min(row["processor_seconds"] for row in rows),
            "input_mb": max(row["input_mb"] for row in rows),
            "peak_mb": max(row["peak_mb"] for row in rows),
            "found": rows[0]["found"]}


def series(options, case, method):
    """(kernels, result, processor time over that of the size before) for every size."""
    before = None
    for kernels in options.sizes:
        result = measure(options, case, kernels, method)
        if result == TOO_LONG:
            yield kernels, result, None
            return
        growth = result["processor_seconds"] / before["processor_seconds"] if before else None
        yield kernels, result, growth
        before = result if result["processor_seconds"] > 0 else None


def line(case, method, kernels, result, growth, limit):
    if result == TOO_LONG:
        return f"| {case} | {method} | {kernels:,} | more than {limit:g} | | | | | |"
    growth = f"{growth:.1f}" if growth else ""
    return (f"| {case} | {method} | {kernels:,} | {result['seconds']:.3f} | {result['processor_seconds']:.3f} | "
            f"{growth} | {result['input_mb']:.0f} | {result['peak_mb']:.0f} | {result['found']} |")


def verdict(results, limit):
    """What became of the promise; a search that was ended has broken it."""
    if not results:
        return []
    if TOO_LONG in results:
        return [f"* {BAR_KERNELS:,} kernels: more than {limit:g} s (promised: {BAR_SECONDS})"]
    seconds, peak = max(row["seconds"] for row in results), max(row["peak_mb"] for row in results)
    return [f"* {BAR_KERNELS:,} kernels: at most {seconds:.1f} s (promised: {BAR_SECONDS}) and {peak:.0f} MB "
            f"(promised: {BAR_PEAK_MB}), the input included"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("cycle_bench")
    parser.add_argument("--sizes", default="100000,1000000,10000000")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--limit", type=float, default=120, help="seconds for one search")
    parser.add_argument("--cases", default=",".join(name for name, _ in CASES))
    parser.add_argument("--methods", default=",".join(name for name, _ in METHODS))
    parser.add_argument("--markdown")
    options = parser.parse_args()
    options.sizes = [int(size) for size in options.sizes.split(",")]

    lines = [f"Machine: {machine()}.", "",
             "| kernels are | method | kernels | seconds (median) | processor seconds | growth | input MB | peak MB "
             "| found |",
             "|---|---|---:|---:|---:|---:|---:|---:|---|"]
    print("\n".join(lines), flush=True)
    at_bar = []
    for case, case_text in CASES:
        for method, method_text in METHODS:
            if case not in options.cases.split(",") or method not in options.methods.split(","):
                continue
            for kernels, result, growth in series(options, case, method):
                lines.append(line(case_text, method_text, kernels, result, growth, options.limit))
                print(lines[-1], flush=True)
                is_at_bar = kernels == BAR_KERNELS or (result == TOO_LONG and kernels < BAR_KERNELS)
                if method == "loops" and is_at_bar:
                    at_bar.append(result)
    ends = ["", *verdict(at_bar, options.limit)]
    print("\n".join(ends))
    if options.markdown:
        with open(options.markdown, "w", encoding="utf-8") as file:
            file.write("\n".join(lines + ends) + "\n")


if __name__ == "__main__":
    main()

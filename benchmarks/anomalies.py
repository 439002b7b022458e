#!/usr/bin/env python3
"""The benchmark of `anomalies`: what it costs above `info` on the same generated trace, both in turn in one run.

Usage: anomalies.py LOCKSTEP TRACEGEN [--size 1G] [--runs 5] [--only NAME] [--keep FOLDER] [--markdown FILE]

Seconds are medians with warm page cache; processor seconds are the least of the runs, which other work on the
machine changes little. Needs about twice the size on disk.
"""
import argparse
import json
import os
import statistics
import subprocess
import tempfile

from formats import UNITS, measure
from run import machine

# The trace of the benchmark of reading, and what else a profiler may have been asked for.
CASES = [
    ("plain", "as `info` is measured on", []),
    ("stalls", "the host sleeps 20 ms in every tenth step", ["--stall-every", "10"]),
    ("python", "40 % Python frames", ["--python-share", "40"]),
    ("shapes", "shapes of every operator", []),
]
COMMANDS = ("info", "anomalies")
# The promise, on the first case.
BAR_PERCENT = 25

OPERATOR = '"cat": "cpu_op"'
LAST_ARGUMENT = '"Ev Idx"'
# As record_shapes=True writes them, long and short ones.
SHAPES = [
    f'"Concrete Inputs": {values}, "Input type": {types}, "Input Strides": {strides}, "Input Dims": {sizes}, '
    for values, types, strides, sizes in [
        ('["", "", ""]', '["c10::BFloat16", "c10::BFloat16", ""]', "[[4096, 1], [1, 4096], []]",
         "[[2048, 4096], [4096, 4096], []]"),
        ('["", "[1, 2048, 32, 128]"]', '["c10::BFloat16", "ScalarList"]', "[[8388608, 4096, 1], []]",
         "[[1, 2048, 4096], []]"),
        ('["", "15", "False", "False", ""]', '["float", "Scalar", "Scalar", "Scalar", ""]',
         "[[8388608, 4096, 1], [], [], [], []]", "[[1, 2048, 4096], [], [], [], []]"),
        ('["[1, 2048]", "4", "", "", ""]', '["ScalarList", "Scalar", "", "Device", "Scalar"]',
         "[[], [], [], [], []]", "[[], [], [], [], []]"),
    ]]


# How much larger they make a trace.
SHAPES_FACTOR = 1.45


def add_shapes(source, target):
    turn, is_operator = 0, False
    with open(source, encoding="utf-8") as lines, open(target, "w", encoding="utf-8") as out:
        for line in lines:
            if '"cat"' in line:
                is_operator = OPERATOR in line
            elif is_operator and LAST_ARGUMENT in line:
                line = line.replace(LAST_ARGUMENT, SHAPES[turn % len(SHAPES)] + LAST_ARGUMENT, 1)
                turn += 1
            out.write(line)


def generate(path, size, words, options):
    subprocess.run([options.tracegen, "--size", size, "--world", "4", *words, "-o", path], check=True)


def make(name, words, folder, options):
    path = os.path.join(folder, f"{name}.json")
    if name != "shapes":
        generate(path, options.size, words, options)
        return path
    plain = os.path.join(folder, "without.json")
    size = int(options.size[:-1]) * UNITS[options.size[-1]]
    generate(plain, str(int(size / SHAPES_FACTOR)), words, options)
    add_shapes(plain, path)
    os.remove(plain)
    return path


def in_turn(path, options):
    """(seconds, processor seconds, peak bytes) of each command, run one after the other."""
    runs = {command: [] for command in COMMANDS}
    for _ in range(options.runs):
        for command in COMMANDS:
            runs[command].append(measure([options.lockstep, command, "--json", path], 1))
    return {command: (statistics.median(row[0] for row in rows), min(row[1] for row in rows),
                      max(row[2] for row in rows)) for command, rows in runs.items()}


def found_in(path, options):
    done = subprocess.run([options.lockstep, "anomalies", "--json", path], check=True, capture_output=True, text=True)
    found = json.loads(done.stdout)["anomaly_discovery"]
    [device] = found["devices"]
    return device["kernels"], device["steps"], device["bubbles"], len(found["findings"])


def percent_over(values, of):
    return (values["anomalies"][of] / values["info"][of] - 1) * 100


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("lockstep")
    parser.add_argument("tracegen")
    parser.add_argument("--size", default="1G")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--only", help="one of " + ", ".join(name for name, _, _ in CASES))
    parser.add_argument("--keep", help="work in this folder instead of a temporary one")
    parser.add_argument("--markdown", help="also write the table to this file")
    options = parser.parse_args()

    lines = [f"Measured on: {machine()}.", "",
             "| trace | MB | kernels | steps | bubbles | findings | program | seconds (median) | processor seconds "
             "| peak MB | over `info` |",
             "|---|---:|---:|---:|---:|---:|---|---:|---:|---:|---:|"]
    print("\n".join(lines), flush=True)
    ends = []
    for name, text, words in CASES:
        if options.only not in (None, name):
            continue
        # A folder each, so that the disk holds one large file at a time.
        with tempfile.TemporaryDirectory(dir=options.keep) as folder:
            path = make(name, words, folder, options)
            counts = " | ".join(f"{count:,}" for count in found_in(path, options))
            values = in_turn(path, options)
            size = os.path.getsize(path) / 1e6
        for command in COMMANDS:
            seconds, processor, peak = values[command]
            over = f"{percent_over(values, 0):.0f} %" if command == "anomalies" else ""
            lines.append(f"| {text} | {size:.0f} | {counts} | {command} | {seconds:.3f} | {processor:.3f} | "
                         f"{peak / 1e6:.0f} | {over} |")
            print(lines[-1], flush=True)
        if name == CASES[0][0]:
            ends = ["", f"* anomalies takes {percent_over(values, 0):.0f} % longer than info on {size:.0f} MB "
                        f"(promised: at most {BAR_PERCENT}), {percent_over(values, 1):.0f} % more of the processor"]
    print("\n".join(ends))
    if options.markdown:
        with open(options.markdown, "w", encoding="utf-8") as file:
            file.write("\n".join(lines + ends) + "\n")


if __name__ == "__main__":
    main()

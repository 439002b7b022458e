#!/usr/bin/env python3
"""The benchmark of reading: lockstep, Python's json.load and igzip on the same generated traces, in
one run on one machine, so that their ratios can be trusted.

Usage: run.py LOCKSTEP TRACEGEN [--sizes 10M,100M,1G] [--runs 5] [--keep FOLDER] [--markdown FILE]
Needs about 1.2 times the largest size on disk and six times that in memory (for json.load).
"""
import argparse
import gzip
import os
import platform
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

LOAD = "import json,sys; json.load(open(sys.argv[1],'rb'))"
# Not repeated: half a minute a run, and its spread does not matter at this distance.
RUNS_OF_PYTHON = 1
GZIP_LEVEL = 6


def measure(command, runs):
    """Median seconds and largest resident memory (bytes) of some runs of a command."""
    seconds, memory = [], 0
    for _ in range(runs):
        start = time.perf_counter()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        seconds.append(time.perf_counter() - start)
        memory = max(memory, usage.ru_maxrss * 1024)
        if status != 0:
            sys.exit(f"failed: {' '.join(command)}")
    return statistics.median(seconds), memory


def compress(source, target):
    """With gzip where it is there, because Python's own takes a minute for 1 GB."""
    if shutil.which("gzip"):
        with open(target, "wb") as out:
            subprocess.run(["gzip", f"-{GZIP_LEVEL}", "-c", source], stdout=out, check=True)
        return
    with open(source, "rb") as plain, gzip.open(target, "wb", GZIP_LEVEL) as out:
        shutil.copyfileobj(plain, out, 1 << 20)


def machine():
    cores = os.cpu_count()
    name = platform.machine()
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        for line in file:
            if line.startswith("model name"):
                name = line.split(":", 1)[1].strip()
                break
    with open("/proc/meminfo", encoding="utf-8") as file:
        gigabytes = int(file.readline().split()[1]) / 1e6
    return f"{cores} cores ({name}), {gigabytes:.0f} GB of memory, {platform.system()}"


def rows_of(size, folder, options):
    plain = os.path.join(folder, f"{size}.json")
    packed = plain + ".gz"
    subprocess.run([options.tracegen, "--size", size, "--world", "4", "-o", plain], check=True)
    compress(plain, packed)
    bytes_inflated = os.path.getsize(plain)
    commands = [
        ("lockstep info, plain", [options.lockstep, "info", "--json", plain], options.runs),
        ("lockstep info, gzip", [options.lockstep, "info", "--json", packed], options.runs),
        ("igzip -dc", ["igzip", "-dc", packed], options.runs),
        ("Python json.load, plain", [sys.executable, "-c", LOAD, plain], RUNS_OF_PYTHON),
    ]
    rows = []
    for name, command, runs in commands:
        if not shutil.which(command[0]):
            print(f"skipped, not installed: {command[0]}", file=sys.stderr)
            continue
        seconds, memory = measure(command, runs)
        rows.append((size, name, seconds, bytes_inflated / seconds / 1e6, memory / 1e6))
        print("  {:>5}  {:<24} {:9.3f} s {:9.0f} MB/s {:8.0f} MB".format(*rows[-1]), flush=True)
    os.remove(plain)
    os.remove(packed)
    return rows, bytes_inflated


def ratios(rows):
    """The promises, from the rows of one size."""
    seconds = {name: s for _, name, s, _, _ in rows}
    mine = seconds["lockstep info, gzip"]
    lines = []
    if "igzip -dc" in seconds:
        lines.append(f"info on gzip takes {mine / seconds['igzip -dc']:.2f} times as long as "
                     "igzip -dc alone (promised: at most 4)")
    if "Python json.load, plain" in seconds:
        lines.append(f"json.load takes {seconds['Python json.load, plain'] / mine:.0f} times as "
                     "long as info on gzip (promised: at least 20)")
    peak = max(m for _, name, _, _, m in rows if name.startswith("lockstep"))
    lines.append(f"peak memory of info: {peak:.0f} MB (promised: at most 500 for 1 GB)")
    return lines


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("lockstep")
    parser.add_argument("tracegen")
    parser.add_argument("--sizes", default="10M,100M,1G")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--keep", help="work in this folder instead of a temporary one")
    parser.add_argument("--markdown", help="also write the table to this file")
    options = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    lines = ["| size | program | seconds (median) | MB/s of JSON | peak MB |",
             "|---|---|---:|---:|---:|"]
    with tempfile.TemporaryDirectory(dir=options.keep) as folder:
        print(machine())
        for size in options.sizes.split(","):
            rows, bytes_inflated = rows_of(size, folder, options)
            for row in rows:
                lines.append("| {} | {} | {:.3f} | {:.0f} | {:.0f} |".format(
                    f"{bytes_inflated / 1e6:.0f} MB", *row[1:]))
        # The promises are about the largest file; small ones measure the start of programs.
        summary = ratios(rows)
        print("\n".join(summary))
    text = "\n".join(lines) + "\n\n" + "\n".join(f"* {line}" for line in summary) + "\n"
    if options.markdown:
        with open(options.markdown, "w", encoding="utf-8") as file:
            file.write(f"Measured on: {machine()}.\n\n{text}")


if __name__ == "__main__":
    main()

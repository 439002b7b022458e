#!/usr/bin/env python3
"""Two builds of lockstep against each other, in turn on the same generated files, so that a change of some per cent shows.

Usage: against.py OLD NEW TRACEGEN [--size 200M] [--records 30000000] [--runs 15] [--only NAME] [--bar 3] [--markdown FILE]

Compared are the least processor seconds of the runs, which other work on the machine changes little; medians of the
wall clock stand beside them. Fails when NEW takes more than --bar per cent more processor time on a file.
"""
import argparse
import os
import resource
import statistics
import subprocess
import sys
import time

import formats
import kernel_decode
from run import compress

# Name, what is run on the Kineto trace.
KINETO = [("info", ("info", "--json")), ("cycles", ("cycles", "--json")), ("anomalies", ("anomalies", "--json"))]


def once(command):
    """Seconds and processor seconds of one run."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    done = subprocess.run(command, stdout=subprocess.DEVNULL, check=False)
    seconds = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        sys.exit(f"failed: {' '.join(command)}")
    return seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


class Against(formats.Bench):
    """Makes the files of the other benchmark with NEW, and measures both on each."""

    def measure(self, name, size, kernels, *words, one_core=True):
        times = {program: [] for program in (self.options.old, self.options.lockstep)}
        for run in range(self.options.runs):
            for program in sorted(times, reverse=run % 2 == 1):
                times[program].append(once([program, *map(str, words)]))
        old, new = times[self.options.old], times[self.options.lockstep]
        cpu = [min(cpu for _, cpu in runs) for runs in (old, new)]
        wall = [statistics.median(seconds for seconds, _ in runs) for runs in (old, new)]
        self.rows.append((name, size / 1e6, *cpu, 100 * (cpu[1] / cpu[0] - 1), *wall))
        print("  {:<34} {:5.0f} MB  {:.3f} -> {:.3f} s of processor ({:+.1f} %), {:.3f} -> {:.3f} s".format(*self.rows[-1]),
              flush=True)

    def kineto(self):
        path = self.folder / "kineto.json"
        subprocess.run([self.options.tracegen, "--size", self.options.size, "-o", path], check=True)
        for name, words in KINETO:
            self.measure(f"Kineto, {name}", os.path.getsize(path), 0, *words, path)
        packed = self.folder / "kineto.json.gz"
        compress(path, packed)
        self.measure("Kineto, info of gzip", os.path.getsize(path), 0, "info", "--json", packed)

    def kernel_profile(self):
        for name, lanes in kernel_decode.SHAPES:
            path = self.folder / "profile.lkp"
            kernel_decode.generate(path, lanes(self.options.records), self.options.records)
            self.measure(f"kernel decode, {name}", os.path.getsize(path), 0, "kernel", "decode", path, "--json",
                         "--no-regions")


BENCHES = ["kineto", *formats.BENCHES, "kernel_profile"]


def table_of(rows):
    lines = ["| what | MB | processor seconds, old | new | change | seconds, old (median) | new |",
             "|---|---:|---:|---:|---:|---:|---:|"]
    lines += ["| {} | {:.0f} | {:.3f} | {:.3f} | {:+.1f} % | {:.3f} | {:.3f} |".format(*row) for row in rows]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("old")
    parser.add_argument("lockstep", metavar="new")
    parser.add_argument("tracegen")
    parser.add_argument("--size", default="200M")
    parser.add_argument("--records", type=int, default=30_000_000)
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--only", help="one of " + ", ".join(BENCHES))
    parser.add_argument("--bar", type=float, default=3, help="per cent of processor time")
    parser.add_argument("--markdown", help="also write the table to this file")
    options = parser.parse_args()
    rows = formats.measure_all(options, BENCHES, Against, table_of)
    slower = [row[0] for row in rows if row[4] > options.bar]
    if slower:
        sys.exit(f"more than {options.bar:g} % slower: {', '.join(slower)}")


if __name__ == "__main__":
    main()

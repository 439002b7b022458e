#!/usr/bin/env python3
"""The benchmark of all formats: lockstep on a generated file of each, at least 200 MB large.

Usage: formats.py LOCKSTEP TRACEGEN [--size 200M] [--runs 5] [--only NAME] [--markdown FILE]

`info` is timed on one core (taskset) where the promise is one per core. Seconds are medians with warm page cache.
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import grow
from run import machine, measure

UNITS = {"M": 10**6, "G": 10**9}


class Bench:
    def __init__(self, options, folder):
        self.options = options
        self.folder = Path(folder)
        self.size = int(options.size[:-1]) * UNITS[options.size[-1]]
        self.rows = []

    def run(self, *words):
        subprocess.run([self.options.lockstep, *map(str, words)], check=True, stdout=subprocess.DEVNULL)

    def kernels(self, path):
        done = subprocess.run([self.options.lockstep, "info", "--json", str(path)], check=True,
                              capture_output=True, text=True)
        return json.loads(done.stdout)["kernels"]

    def measure(self, name, size, kernels, *words, one_core=True):
        pin = ["taskset", "-c", "1"] if one_core and shutil.which("taskset") else []
        seconds, memory = measure([*pin, self.options.lockstep, *map(str, words)], self.options.runs)
        self.rows.append((name, size / 1e6, kernels, seconds, size / seconds / 1e6, kernels / seconds / 1e6,
                          memory / 1e6))
        print("  {:<34} {:6.0f} MB {:>10,} kernels {:8.3f} s {:7.0f} MB/s {:6.2f} M kernels/s {:6.0f} MB peak"
              .format(*self.rows[-1]), flush=True)

    def read(self, name, path):
        self.measure(name, os.path.getsize(path), self.kernels(path), "info", "--json", path)

    # Each makes a file of one format and measures what is promised on it.

    def kineto(self):
        """As large as needed for the other formats to reach the size."""
        path = self.folder / "kineto.json"
        if not path.exists():
            subprocess.run([self.options.tracegen, "--size", f"{self.size * 4 // 10**6}M", "-o", path], check=True)
        return path

    def xspace(self):
        path = self.folder / "trace.xplane.pb"
        self.run("convert", self.kineto(), "-o", path)
        self.read("XSpace, read", path)
        out = self.folder / "copy.xplane.pb"
        self.measure("XSpace, rewrite", os.path.getsize(path), 0, "convert", path, "-o", out)
        if path.read_bytes() != out.read_bytes():
            sys.exit("XSpace: the copy differs")

    def perfetto(self):
        path = self.folder / "trace.pftrace"
        self.run("convert", self.kineto(), "-o", path)
        self.read("Perfetto, read", path)

    def ascend_csv(self):
        import write_ascend_text
        folder = self.folder / "ascend"
        folder.mkdir()
        write_ascend_text.write(grow.small_workload(), folder)
        source = next(folder.rglob("kernel_details.csv"))
        path = self.folder / "kernel_details.csv"
        shutil.move(source, path)
        grow.grow_csv(path, "Start Time(us)", self.size)
        self.read("Ascend kernel_details.csv", path)

    def database(self, name, path, tables):
        grow.grow_database(path, tables, self.size)
        self.read(name, path)

    def nsys(self):
        import write_nsys
        path = write_nsys.write(grow.small_workload(), self.folder)
        self.database("Nsight Systems SQLite", path, {
            "CUPTI_ACTIVITY_KIND_KERNEL": (("start", "end"), ("correlationId",)),
            "CUPTI_ACTIVITY_KIND_RUNTIME": (("start", "end"), ("correlationId",)),
        })


BENCHES = ["xspace", "perfetto", "ascend_csv", "nsys"]


def table_of(rows):
    lines = ["| format | MB | kernels | seconds (median) | MB/s | million kernels/s | peak MB |",
             "|---|---:|---:|---:|---:|---:|---:|"]
    for name, size, kernels, seconds, rate, kernel_rate, memory in rows:
        shown = (f"{kernels:,}", f"{kernel_rate:.2f}") if kernels else ("", "")
        lines.append(f"| {name} | {size:.0f} | {shown[0]} | {seconds:.3f} | {rate:.0f} | {shown[1]} | {memory:.0f} |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("lockstep")
    parser.add_argument("tracegen")
    parser.add_argument("--size", default="200M")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--only", help="one of " + ", ".join(BENCHES))
    parser.add_argument("--markdown", help="also write the table to this file")
    options = parser.parse_args()
    print(machine())
    rows = []
    for name in [options.only] if options.only else BENCHES:
        # A folder each, so that the disk holds one large file at a time.
        with tempfile.TemporaryDirectory() as folder:
            bench = Bench(options, folder)
            getattr(bench, name)()
            rows += bench.rows
    if options.markdown:
        Path(options.markdown).write_text(f"Measured on: {machine()}.\n\n{table_of(rows)}", encoding="utf-8")


if __name__ == "__main__":
    main()

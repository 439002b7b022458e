#!/usr/bin/env python3
"""The benchmark of all formats: lockstep on a generated file of each, at least 200 MB large.

Usage: formats.py LOCKSTEP TRACEGEN [--size 200M] [--runs 5] [--only NAME] [--markdown FILE]

XSpace, Perfetto and CSV run on one core (taskset), because the promises are per core; databases are read
with two threads. Seconds are medians with warm page cache; processor seconds are the least of the runs, which other work on the machine changes little.
"""
import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import grow
from run import machine

UNITS = {"M": 10**6, "G": 10**9}


def measure(command, runs):
    """Median seconds, least processor seconds and largest resident memory (bytes) of some runs."""
    seconds, cpu, memory = [], [], 0
    for _ in range(runs):
        start = time.perf_counter()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        seconds.append(time.perf_counter() - start)
        cpu.append(usage.ru_utime + usage.ru_stime)
        memory = max(memory, usage.ru_maxrss * 1024)
        if status != 0:
            sys.exit(f"failed: {' '.join(command)}")
    return statistics.median(seconds), min(cpu), memory


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
        seconds, cpu, memory = measure([*pin, self.options.lockstep, *map(str, words)], self.options.runs)
        self.rows.append((name, size / 1e6, kernels, seconds, cpu, size / seconds / 1e6, kernels / seconds / 1e6,
                          memory / 1e6))
        print("  {:<26} {:5.0f} MB {:>10,} kernels {:7.3f} s ({:.3f} s of processor) {:6.0f} MB/s "
              "{:5.2f} M kernels/s {:5.0f} MB peak".format(*self.rows[-1]), flush=True)

    def read(self, name, path, one_core=True):
        self.measure(name, os.path.getsize(path), self.kernels(path), "info", "--json", path, one_core=one_core)

    # Each makes a file of one format and measures what is promised on it.

    def converted(self, name, factor):
        """From a Kineto trace that is so many times larger than what becomes of it."""
        source = self.folder / "kineto.json"
        size = f"{int(self.size * factor) // 10**6}M"
        subprocess.run([self.options.tracegen, "--size", size, "-o", source], check=True)
        path = self.folder / name
        self.run("convert", source, "-o", path)
        source.unlink()
        return path

    def xspace(self):
        path = self.converted("trace.xplane.pb", 6.2)
        self.read("XSpace, read", path)
        out = self.folder / "copy.xplane.pb"
        self.measure("XSpace, rewrite", os.path.getsize(path), 0, "convert", path, "-o", out)
        if subprocess.run(["cmp", path, out], check=False).returncode != 0:
            sys.exit("XSpace: the copy differs")
        kinds = "kernel,memcpy,memset,communication,runtime_call"
        self.measure("XSpace, rewrite a part", os.path.getsize(path), 0, "convert", path, "-o", out, "--kinds", kinds)

    def perfetto(self):
        self.read("Perfetto, read", self.converted("trace.pftrace", 2.8))

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
        self.read(name, path, one_core=False)

    def nsys(self):
        import write_nsys
        path = write_nsys.write(grow.small_workload(), self.folder)
        self.database("Nsight Systems SQLite", path, {
            "CUPTI_ACTIVITY_KIND_KERNEL": (("start", "end"), {"correlationId": "call"}),
            "CUPTI_ACTIVITY_KIND_RUNTIME": (("start", "end"), {"correlationId": "call"}),
        })

    def rocpd(self):
        import write_rocpd
        path = write_rocpd.write(grow.small_workload(), self.folder)
        tables = {}
        for table, times, ids in [
                ("rocpd_kernel_dispatch", ("start", "end"),
                 {"id": "dispatch", "dispatch_id": "dispatch", "event_id": "event"}),
                ("rocpd_region", ("start", "end"), {"id": "region", "event_id": "event"}),
                ("rocpd_event", (), {"id": "event", "stack_id": "stack", "parent_stack_id": "stack",
                                     "correlation_id": "stack"})]:
            tables |= grow.tables_named(path, table + ".*", times, ids)
        self.database("rocpd", path, tables)

    def rpd(self):
        import write_rpd
        path = write_rpd.write(grow.small_workload(), self.folder)
        self.database("RPD", path, {
            "rocpd_op": (("start", "end"), {"id": "op"}),
            "rocpd_api": (("start", "end"), {"id": "api"}),
            "rocpd_api_ops": ((), {"id": "join", "api_id": "api", "op_id": "op"}),
        })

    def ascend_db(self):
        import write_ascend_db
        path = write_ascend_db.write(grow.small_workload(), self.folder)
        self.database("Ascend SQLite", path, {
            "TASK": (("startNs", "endNs"), {"connectionId": "call", "globalTaskId": "task"}),
            "COMPUTE_TASK_INFO": ((), {"globalTaskId": "task"}),
            "COMMUNICATION_OP": (("startNs", "endNs"), {"connectionId": "call", "opId": "operation"}),
            "COMMUNICATION_TASK_INFO": ((), {"globalTaskId": "task", "opId": "operation"}),
            "CANN_API": (("startNs", "endNs"), {"connectionId": "call"}),
        })


BENCHES = ["xspace", "perfetto", "ascend_csv", "ascend_db", "nsys", "rocpd", "rpd"]


def table_of(rows):
    lines = ["| format | MB | kernels | seconds (median) | processor seconds | MB/s | million kernels/s | peak MB |",
             "|---|---:|---:|---:|---:|---:|---:|---:|"]
    for name, size, kernels, seconds, cpu, rate, kernel_rate, memory in rows:
        shown = (f"{kernels:,}", f"{kernel_rate:.2f}") if kernels else ("", "")
        lines.append(f"| {name} | {size:.0f} | {shown[0]} | {seconds:.3f} | {cpu:.3f} | {rate:.0f} | {shown[1]} | "
                     f"{memory:.0f} |")
    return "\n".join(lines) + "\n"


def measure_all(options, names, kind, table):
    """The rows of all benches of a kind, which are shown and, with --markdown, written as a table."""
    print(machine())
    rows = []
    for name in [options.only] if options.only else names:
        # A folder each, so that the disk holds one large file at a time.
        with tempfile.TemporaryDirectory() as folder:
            bench = kind(options, folder)
            getattr(bench, name)()
            rows += bench.rows
    if options.markdown:
        Path(options.markdown).write_text(f"Measured on: {machine()}.\n\n{table(rows)}", encoding="utf-8")
    return rows


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("lockstep")
    parser.add_argument("tracegen")
    parser.add_argument("--size", default="200M")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--only", help="one of " + ", ".join(BENCHES))
    parser.add_argument("--markdown", help="also write the table to this file")
    options = parser.parse_args()
    measure_all(options, BENCHES, Bench, table_of)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""The benchmark of worst cases: what hostile and broken inputs cost, at two sizes.

Usage: worst_cases.py LOCKSTEP [--only WORD] [--skip WORD] [--gated] [--runs 3] [--quick] [--list] [--keep FOLDER] [--markdown FILE]

Every shape (benchmarks/worst) is a kind of input that is as bad as we know for a reader, a writer or an
analysis. It is made at a size n, at which the program takes at least 0.15 s beyond its start, and at 4n. The run
fails when a shape takes more than 6 times as long at 4n as at n or more than a second a megabyte, when it needs more memory than 20 times its
inflated input (or what the shape says) and 200 MB, when the JSON of an in-kernel profile is more than 60 times its file and 1 MB, or when the
program ends with another code than the shape says: one that is refused early would be fast for the wrong reason.

Seconds are of the processor, the least of some runs, less those of `--version`: other work on the machine changes
them little. A shape that fails is measured up to three times. --quick takes smaller inputs and checks memory,
output and exit codes only, which do not depend on the machine's mood. --gated is what 'make test' runs: a fixed part,
each once, where a cost that grows with the square of the input, 16 times at 4n, is told from one in proportion.
"""
import argparse
import multiprocessing
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from run import machine
from worst import SHAPES

GROWTH = 4
MOST_RATIO = 6.0
MOST_RATIO_GATED = 9.0  # of one run of small inputs beside other tests
MOST_SECONDS_PER_MB = 1.0
MEMORY_FLOOR = 200e6
MOST_OUTPUT_PER_BYTE = 60
OUTPUT_FLOOR = 1e6
LEAST_SECONDS = 0.15
LEAST_SECONDS_GATED = 0.05
# No input is made larger than this, inflated, however fast it is read.
MOST_BYTES = 400e6
QUICK_SECONDS = 0.02
RUNS = 3
ATTEMPTS = 3
STOP_AFTER = 120  # seconds of the processor
MOST_MEMORY = 8 << 30  # beyond it an allocation fails: a shape must not take the machine down
MOST_OUTPUT = 4 << 30


@dataclass
class Measured:
    n: int
    bytes: int
    seconds: float
    wall: float
    memory: int
    output: int
    code: int


def made(shape, n, folder):
    """Makes an input in a process of its own: what memory this one holds would count as the program's."""
    receiver, sender = multiprocessing.Pipe(duplex=False)

    def make():
        sender.send(shape.inputs(n, folder))

    process = multiprocessing.get_context("fork").Process(target=make)
    process.start()
    sender.close()
    try:
        return receiver.recv()
    finally:
        process.join()


def limit():
    resource.setrlimit(resource.RLIMIT_CPU, (STOP_AFTER, STOP_AFTER))
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    resource.setrlimit(resource.RLIMIT_FSIZE, (MOST_OUTPUT, MOST_OUTPUT))


def run_once(command, folder):
    """Processor seconds, wall seconds, largest resident memory, printed bytes and exit code."""
    printed = folder / "printed"
    start = time.perf_counter()
    with open(printed, "wb") as out:
        process = subprocess.Popen(command, stdout=out, stderr=subprocess.DEVNULL, preexec_fn=limit)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    wall = time.perf_counter() - start
    return usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss * 1024, printed.stat().st_size, process.returncode


class Bench:
    def __init__(self, options, folder):
        self.options = options
        self.folder = Path(folder)
        self.runs = 1 if options.quick or options.gated else options.runs
        self.most_ratio = MOST_RATIO_GATED if options.gated else MOST_RATIO
        self.least = LEAST_SECONDS_GATED if options.gated else LEAST_SECONDS
        version = [options.lockstep, "--version"]
        self.start_up = min(run_once(version, self.folder)[0] for _ in range(5))

    def measure(self, shape, n, folder):
        """The least of some runs at one size; n's folder is kept until both sizes are known."""
        folder.mkdir()
        paths, size = made(shape, n, folder)
        out = [folder / word.replace("OUT", "out") for word in shape.command if word.startswith("OUT.")]
        words = []
        for word in shape.command:
            words += paths if word == "IN" else out if word.startswith("OUT.") else [word]
        return self.again(Measured(n, size, 1e9, 1e9, 0, 0, 0), words, out, folder)

    def again(self, measured, words, out, folder):
        for _ in range(self.runs):
            seconds, wall, memory, printed, code = run_once([self.options.lockstep, *map(str, words)], folder)
            measured.seconds = min(measured.seconds, max(seconds - self.start_up, 0))
            measured.wall = min(measured.wall, wall)
            measured.memory = max(measured.memory, memory)
            measured.output = printed + sum(path.stat().st_size for path in out if path.exists())
            measured.code = code
            if seconds > 20:
                break
        return measured

    def sized(self, shape):
        """The shape at a size that takes long enough."""
        least = QUICK_SECONDS if self.options.quick else self.least
        n = max(1, shape.n // 16) if self.options.quick or self.options.gated else shape.n
        while True:
            folder = Path(tempfile.mkdtemp(dir=self.folder))
            measured = self.measure(shape, n, folder / "in")
            shutil.rmtree(folder)
            if measured.seconds >= least or measured.bytes * GROWTH * 2 > MOST_BYTES or measured.code != shape.code:
                return measured
            n *= 2 if measured.seconds > least / 3 else 4

    def both(self, shape):
        small = self.sized(shape)
        large = self.at(shape, small.n * GROWTH)
        for _ in range(ATTEMPTS - 1):
            if self.options.quick or not self.complaints(shape, small, large):
                break
            small = least_of(small, self.at(shape, small.n))
            large = least_of(large, self.at(shape, large.n))
        return small, large

    def complaints(self, shape, small, large):
        return complaints(shape, small, large, self.ratio(small, large), None if self.options.quick else self.most_ratio)

    def ratio(self, small, large):
        """Against at least what can be timed: below it, n is as fast as the program starts."""
        return large.seconds / max(small.seconds, self.least)

    def cells(self, shape, small, large):
        mark = "" if small.seconds >= self.least else "<"
        return [shape.name, shape.reader, f"{large.bytes / 1e6:.1f} MB", f"{small.seconds:.2f}",
                f"{large.seconds:.2f}", f"{mark}{self.ratio(small, large):.1f}", f"{large.memory / 1e6:.0f}",
                f"{large.memory / large.bytes:.1f}", f"{large.output / large.bytes:.1f}"]

    def at(self, shape, n):
        folder = Path(tempfile.mkdtemp(dir=self.folder))
        try:
            return self.measure(shape, n, folder / "in")
        finally:
            if not self.options.keep:
                shutil.rmtree(folder)


def least_of(one, other):
    other.seconds = min(one.seconds, other.seconds)
    other.wall = min(one.wall, other.wall)
    return other


def complaints(shape, small, large, ratio, most_ratio):
    """What is wrong; without a ratio time is not judged."""
    found = []
    if most_ratio and ratio > most_ratio:
        found.append(f"takes {ratio:.1f} times as long")
    if most_ratio and large.seconds > MOST_SECONDS_PER_MB * max(large.bytes / 1e6, 1):
        found.append(f"takes {large.seconds:.1f} s for {large.bytes / 1e6:.1f} MB")
    for one in (small, large):
        if one.memory > shape.memory * one.bytes + MEMORY_FLOOR:
            found.append(f"needs {one.memory / 1e6:.0f} MB for {one.bytes / 1e6:.1f} MB")
        if shape.reader == ".lkp" and one.output > MOST_OUTPUT_PER_BYTE * one.bytes + OUTPUT_FLOOR:
            found.append(f"writes {one.output / 1e6:.0f} MB for {one.bytes / 1e6:.1f} MB")
        if one.code != shape.code:
            found.append(f"ends with {one.code}, not {shape.code}")
    return list(dict.fromkeys(found))


COLUMNS = ["shape", "reader or command", "4n", "n s", "4n s", "ratio", "peak MB", "per byte", "out per byte"]


def markdown(rows):
    lines = ["| " + " | ".join(COLUMNS) + " |", "|---|---" + "|--:" * (len(COLUMNS) - 2) + "|"]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lockstep")
    parser.add_argument("--only", metavar="WORD", help="shapes whose reader and name hold this")
    parser.add_argument("--skip", metavar="WORD", help="not those")
    parser.add_argument("--gated", action="store_true", help="the part that 'make test' runs")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--runs", type=int, default=RUNS, help="the least of so many counts (default 3)")
    parser.add_argument("--list", action="store_true", help="name the shapes and do nothing")
    parser.add_argument("--keep", metavar="FOLDER", help="leave the inputs there")
    parser.add_argument("--markdown", metavar="FILE", help="write the table there")
    options = parser.parse_args()
    wanted = [s for s in SHAPES if (options.only or "").lower() in s.title.lower()]
    if options.gated:
        wanted = [s for s in wanted if s.gated]
    if options.skip:
        wanted = [s for s in wanted if options.skip.lower() not in s.title.lower()]
    if options.list:
        print("\n".join(s.title for s in wanted))
        return 0
    if options.keep:
        Path(options.keep).mkdir(parents=True, exist_ok=True)
    failures, rows = [], []
    print(machine())
    with tempfile.TemporaryDirectory(dir=options.keep) as folder:
        bench = Bench(options, options.keep or folder)
        form = "{:<52} {:<22} {:>9} {:>7} {:>7} {:>6} {:>7} {:>8} {:>12}"
        print(form.format(*COLUMNS), flush=True)
        for shape in wanted:
            small, large = bench.both(shape)
            rows.append(bench.cells(shape, small, large))
            print(form.format(*rows[-1]), flush=True)
            for complaint in bench.complaints(shape, small, large):
                failures.append(f"{shape.title}: {complaint}")
                print(f"  FAILS: {complaint}", flush=True)
    if options.markdown:
        Path(options.markdown).write_text(markdown(rows))
    print(f"{len(wanted)} shapes, {len(failures)} failures")
    for failure in failures:
        print(f"  {failure}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""No time is negative in any JSON of any file of the corpus, and --slice takes the times that are printed.

Usage: times_test.py LOCKSTEP. The corpus is found by LOCKSTEP_CORPUS; without it the test says
so and is skipped (exit 77).
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

SKIPPED = 77
COMMANDS = (("info",), ("cycles",), ("anomalies",), ("kernel", "decode"))
TIMES = ("start_ns", "end_ns", "at_ns", "start_us", "end_us")


def times_in(value):
    """Every number under a key that names a time."""
    if isinstance(value, list):
        return [time for one in value for time in times_in(one)]
    if not isinstance(value, dict):
        return []
    found = []
    for key, one in value.items():
        is_time = key.endswith(TIMES) and isinstance(one, (int, float))
        found += [one] if is_time else times_in(one)
    return found


def document(program, command, path):
    """Nothing where the file is none for the command."""
    done = subprocess.run([program, *command, "--json", "--quiet", path], capture_output=True, check=False)
    return json.loads(done.stdout) if done.stdout else None


def slice_holds(program, path, time, name):
    """Whether an event of that name is in the nanosecond that was printed for it."""
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "part.pftrace")
        done = subprocess.run([program, "convert", path, "-o", out, "--slice", f"{time}ns..{time + 1}ns"],
                              capture_output=True, check=False)
        if done.returncode != 0:
            return False
        part = document(program, ("info",), out)
    if name is None:
        return part["kernels"] > 0
    return name in {step["name"] for step in part["steps"]}


def printed(documents):
    """A few (time, name of a step or None for a kernel) of what the reports print."""
    steps = (documents["info"] or {}).get("steps", [])
    for step in steps[:1] + steps[-1:]:
        yield step["start_ns"], step["name"]
    for stream in ((documents["cycles"] or {}).get("streams", []))[:1]:
        for loop in stream["loops"][:1]:
            for iteration in loop["iterations"][:1] + loop["iterations"][-1:]:
                yield iteration["start_ns"], None


def main():
    program = sys.argv[1]
    corpus = os.environ.get("LOCKSTEP_CORPUS")
    if not corpus:
        print("skipped: LOCKSTEP_CORPUS is not set")
        return SKIPPED
    paths = sorted(path for path in pathlib.Path(corpus).rglob("*")
                   if path.suffix != ".md" and (path.is_file() or path.parent.parent == pathlib.Path(corpus)))
    failed, looked_at, sliced = 0, 0, 0
    for path in paths:
        documents = {command[0]: document(program, command, path) for command in COMMANDS}
        times = times_in(list(documents.values()))
        wrong = [f"negative times: {sorted(time for time in times if time < 0)[:5]}"] if any(
            time < 0 for time in times) else []
        for time, name in printed(documents):
            sliced += 1
            if not slice_holds(program, path, time, name):
                wrong.append(f"{name or 'a kernel'} is not in the slice at {time} ns")
        looked_at += bool(times)
        failed += bool(wrong)
        for line in wrong:
            print(f"FAIL {path}: {line}")
    print(f"{looked_at} inputs with times, {sliced} slices, {failed} wrong")
    return 1 if failed or looked_at == 0 or sliced == 0 else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Converts every Kineto file of the corpus to Perfetto and checks that `lockstep info --json` says the
same of both, in every figure.

Usage: perfetto_round_trip_test.py LOCKSTEP. The corpus is found by LOCKSTEP_CORPUS; without it the test
says so and is skipped (exit 77).
"""
import glob
import json
import os
import subprocess
import sys
import tempfile

SKIPPED = 77
# What is said of the input and not of the trace. Diagnostics of the first reading are not written.
MAY_DIFFER = ("inputs", "format", "compression", "size_bytes", "inflated_bytes", "diagnostics")


def run(program, *arguments):
    return subprocess.run([program, *arguments], capture_output=True, check=True).stdout


def info(program, path):
    return json.loads(run(program, "info", "--json", "--top", "1000000", path))


def without_parts(value):
    """The same without the parts of the input, which differ by nature."""
    if isinstance(value, dict):
        return {k: without_parts(v) for k, v in value.items() if k not in ("sources", "input", "format")}
    return [without_parts(v) for v in value] if isinstance(value, list) else value


def differences(program, paths, folder):
    out = os.path.join(folder, "copy.pftrace")
    source = paths[0]
    if len(paths) > 1:  # ranks of one trace
        source = tempfile.mkdtemp(dir=folder)
        for path in paths:
            os.symlink(path, os.path.join(source, os.path.basename(path)))
    run(program, "convert", source, "-o", out)
    before, after = without_parts(info(program, source)), without_parts(info(program, out))
    found = [f"{key}: {before[key]!r:.300} -> {after.get(key)!r:.300}"
             for key in before if key not in MAY_DIFFER and before[key] != after.get(key)]
    lost = [d for d in after["diagnostics"]
            if d["severity"] != "info" and d["kind"] not in {b["kind"] for b in before["diagnostics"]}]
    return found + [f"new diagnostic: {d['text']}" for d in lost]


def main():
    program = sys.argv[1]
    corpus = os.environ.get("LOCKSTEP_CORPUS")
    if not corpus:
        print("skipped: LOCKSTEP_CORPUS is not set")
        return SKIPPED
    paths = sorted(p for folder in ("h200", "kineto", "pairs", "ranks")
                   for p in glob.glob(os.path.join(corpus, folder, "*.json.gz")))
    if not paths:
        print(f"no Kineto files under {corpus}")
        return 1
    together = [p for p in paths if os.path.basename(p).startswith("megatron_kineto_")]
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for inputs in [[p] for p in paths] + [together]:
            found = differences(program, inputs, folder)
            print(("FAIL " if found else "ok   ") + " ".join(os.path.basename(p) for p in inputs))
            for line in found:
                print("     " + line)
            failed += bool(found)
    print(f"{len(paths) + 1 - failed} of {len(paths) + 1} agree")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

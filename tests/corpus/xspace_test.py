#!/usr/bin/env python3
"""Compares `lockstep info --json` with a slow decoder on every XSpace of the corpus, to the nanosecond,
and checks that conversions to XSpace change nothing.

Usage: xspace_test.py LOCKSTEP. The corpus is found by LOCKSTEP_CORPUS; without it the test says so and
is skipped (exit 77).
"""
import glob
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "xspace"))
import xspace_decode  # noqa: E402

SKIPPED = 77
# From the README of the corpus: name -> (kernels, steps).
KNOWN = {"jax_train": (2604, 12), "tl_jax08_attention_mi300": (105, 0), "xprof_gpu_multiworker_179": (1330, 0)}


def union_ps(spans):
    total, end = 0, None
    for start, stop in sorted(spans):
        if end is None or start > end:
            total, end = total + stop - start, stop
        elif stop > end:
            total, end = total + stop - end, stop
    return total


def oracle(path):
    planes = xspace_decode.decode(path)
    start_ns = next((s.value for p in planes for s in p.stats if s.name == "profile_start_time"), 0)
    found = {"events": 0, "kernels": 0, "busy_ns": {}, "steps": 0, "first_ps": None}
    for plane in planes:
        busy = []
        for line in plane.lines:
            base = (start_ns + line.timestamp_ns) * 1000
            for event in line.events:
                found["events"] += 1
                start = base + event.offset_ps
                first = found["first_ps"]
                found["first_ps"] = start if first is None else min(first, start)
                found["steps"] += event.stat("step_num") is not None
                if plane.name.startswith("/device:GPU:") and line.name.startswith("Stream #"):
                    busy.append((start, start + event.duration_ps))
                    found["kernels"] += not event.name.startswith(("Memcpy", "Memset"))
        if busy:
            found["busy_ns"][plane.name.rpartition(":")[2]] = union_ps(busy) // 1000
    return found


def info(program, path):
    run = subprocess.run([program, "info", "--json", path], capture_output=True, check=True)
    return json.loads(run.stdout)


def differences(program, path):
    want, got = oracle(path), info(program, path)
    devices = {d["id"]: d["busy_ns"] for r in got["ranks"] for d in r["devices"] if d["busy_ns"]}
    pairs = {"events": (got["events"], want["events"]), "kernels": (got["kernels"], want["kernels"]),
             "busy": (devices, want["busy_ns"]), "steps": (len(got["steps"]), want["steps"])}
    name = os.path.basename(path).split(".")[0]
    if name in KNOWN:
        pairs["README"] = ((got["kernels"], len(got["steps"])), KNOWN[name])
    return [f"{what}: info says {mine!r}, the oracle {theirs!r}"
            for what, (mine, theirs) in pairs.items() if mine != theirs]


def conversions(program, path, folder):
    """A copy is the same bytes; as XSpace again, and through Chrome JSON, info says the same."""
    def convert(source, name):
        out = os.path.join(folder, name)
        subprocess.run([program, "convert", source, "-o", out], check=True, capture_output=True)
        return out

    before, found = info(program, path), []
    with open(convert(path, "copy.xplane.pb"), "rb") as copy:
        if copy.read() != xspace_decode.inflated(path):
            found.append("a copy differs")
    keys = ["origin_ns", "events", "kernels", "by_kind", "device_busy_ns", "flows", "steps"]
    for out in (convert(path, "a.xplane.pb"), convert(convert(path, "b.json"), "c.xplane.pb")):
        after = info(program, out)
        found += [f"{os.path.basename(out)}: {key}: {before.get(key)} became {after.get(key)}"
                  for key in keys if before.get(key) != after.get(key)]
    return found


def cuts(program, path, folder):
    """A part that is cut on the wire holds what one that is read and written as Chrome JSON holds."""
    before, found = info(program, path), []
    span = before["span_ns"]
    steps = [step["name"] for step in before["steps"]]
    selections = [("--slice", f"{span // 3}ns..{span // 2}ns"), ("--kinds", "kernel,communication,memcpy"),
                  ("--kinds", "kernel,runtime_call,annotation")]
    selections += [("--slice", steps[len(steps) // 2])] if steps else []
    selections += [("--devices", device["id"]) for rank in before["ranks"] for device in rank["devices"]]
    for selection in selections:
        parts = []
        for name in ("cut.xplane.pb", "cut.json"):
            out = os.path.join(folder, name)
            run = subprocess.run([program, "convert", path, "-o", out, *selection], capture_output=True, check=False)
            if run.returncode != 0:
                parts.append(run.stderr.decode())
                continue
            after = info(program, out)
            parts.append({key: after[key] for key in ("events", "kernels", "by_kind", "flows", "device_busy_ns")}
                         | {"steps": [step["name"] for step in after["steps"]]})
        if parts[0] != parts[1]:
            found.append(f"{' '.join(selection)}: the wire has {parts[0]}, the model {parts[1]}")
    return found


def main():
    corpus = os.environ.get("LOCKSTEP_CORPUS")
    if not corpus:
        print("LOCKSTEP_CORPUS is not set: skipped")
        return SKIPPED
    program, failed = sys.argv[1], 0
    paths = sorted(glob.glob(os.path.join(corpus, "**", "*.xplane.pb*"), recursive=True))
    for path in paths:
        if "mangled" in path:
            run = subprocess.run([program, "info", path], capture_output=True, text=True, check=False)
            found = [] if run.returncode == 3 and "EF BF BD" in run.stderr else [f"exit {run.returncode}"]
        else:
            with tempfile.TemporaryDirectory() as folder:
                found = (differences(program, path) + conversions(program, path, folder) +
                         cuts(program, path, folder))
        failed += bool(found)
        print(("FAIL " if found else "ok   ") + os.path.relpath(path, corpus), *found, sep="\n     " if found else "")
    return 1 if failed or not paths else 0


if __name__ == "__main__":
    sys.exit(main())

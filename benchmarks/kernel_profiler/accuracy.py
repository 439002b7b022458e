#!/usr/bin/env python3
"""Compares what accuracy.cu recorded with what is known otherwise, and prints a table.

  accuracy.py LOCKSTEP FOLDER      FOLDER as `accuracy FOLDER` left it

Exit 1 where a bar is missed: regions of both profilers agree within two steps of the timer, a loop
of 4,000,000 within 1 % of the launch timed by events, one of 4,000 within 32 ns of clock64, stated
uncertainties, and 99 % of the anchors that are held out of the fit inside the stated band.
"""

import json
import pathlib
import subprocess
import sys

TICK_NS = 32
failures = 0


def decode(lockstep, path, *options):
    command = [lockstep, "kernel", "decode", str(path), "--json", *options]
    return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)


def row(claim, found, holds):
    global failures
    failures += not holds
    print(f"| {claim} | {found} | {'yes' if holds else 'NO'} |")


def regions_by_lane(profile):
    last = max(lane["launch"] for lane in profile["lanes"])
    return {
        (lane["block"], lane["group"]): lane["regions"]
        for lane in profile["lanes"]
        if lane["launch"] == last
    }


def compare_profilers(lockstep, folder):
    ours = regions_by_lane(decode(lockstep, folder / "both.lkp"))
    theirs = regions_by_lane(decode(lockstep, folder / "both_tvm.bin", "--format", "tvm"))
    off = []
    for lane, regions in ours.items():
        for mine, other in zip(regions, theirs[lane], strict=True):
            assert mine["event"] == other["event"]
            off.append(abs(mine["duration_ns"] - other["duration_ns"]))
    off.sort()
    found = f"{len(off):,} regions: p50 {off[len(off) // 2]:.1f}, p99 {off[len(off) * 99 // 100]:.1f}, "
    found += f"most {off[-1]:.1f} ns"
    row("strict mode and CudaProfiler agree within 2 ticks (64 ns)", found, off[-1] <= 2 * TICK_NS)


def compare_loop(lockstep, folder):
    profile = decode(lockstep, folder / "fma.lkp")
    truths = json.loads((folder / "fma.json").read_text())
    clock_off, event_off = [], []
    for lane in profile["lanes"]:
        truth = truths[lane["launch"]]
        region = lane["regions"][0]
        ns_per_cycle = region["duration_ns"] / region["duration_cycles"]
        if truth["iterations"] == 4000:
            cycles = truth["clock64"][lane["block"]] - region["duration_cycles"]
            clock_off.append(abs(cycles) * ns_per_cycle)
        else:
            event_off.append(abs(region["duration_ns"] / truth["event_ns"] - 1))
    row("FMA loop of 4,000,000 within 1 % of the event-timed launch", f"{max(event_off):.3%}",
        max(event_off) <= 0.01)
    row("FMA loop of 4,000 within 32 ns of clock64 around it", f"{max(clock_off):.1f} ns",
        max(clock_off) <= 32)


def check_bands(kernel_band, folder):
    """Every second knot is left out of the fit: are its anchors inside the band?"""
    if not kernel_band.exists():
        return
    for path in sorted(folder.glob("anchors_*.lkp")):
        done = subprocess.run([kernel_band, path], check=True, capture_output=True)
        found = json.loads(done.stdout)
        share = found["inside"] / found["held_out"]
        _, warps, total = path.stem.split("_")
        row(f"held-out anchors inside the band, {warps} warps, {int(total) // 1000} us",
            f"{share:.2%} of {found['held_out']:,}; band p50 {found['stated_p50_ns']} ns",
            share >= 0.99)


def main():
    lockstep, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    print("| claim | measured | holds |\n|---|---|---|")
    compare_profilers(lockstep, folder)
    compare_loop(lockstep, folder)
    for path in sorted(folder.glob("anchors_*.lkp")):
        profile = decode(lockstep, path, "--no-regions")
        _, warps, total = path.stem.split("_")
        row(f"stated uncertainty, {warps} warps, {int(total) // 1000} us, anchors every 20 us",
            f"at most {profile['time']['uncertainty_ns']} ns",
            profile["time"]["uncertainty_ns"] <= (10 if (warps, total) == ("1", "100000") else 40))
    check_bands(pathlib.Path(lockstep).parent / "kernel_band", folder)
    sys.exit(1 if failures else 0)


main()

#!/usr/bin/env python3
"""Runs every property test with other cases than the gate's.

Usage: run_properties.py SOURCES BUILD [--seed N] [--cases N] [--jobs N] [--only WORD]

The seed is drawn at random and said first, and again when something fails. With --seed the same cases come again.
"""
import argparse
import os
import random
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import properties

CASES = 1000  # the gate takes 100


def by_program(found, tests):
    """The filter of every program that has a property."""
    programs, lost = {}, []
    for title, names in sorted(properties.known_to_ctest(found, tests).items()):
        commands = [tests[name][0] for name in names if tests[name][0]]
        if not commands:
            lost.append(title)
        for command in commands:
            wanted = [word.removeprefix("--gtest_filter=") for word in command if word.startswith("--gtest_filter=")]
            programs.setdefault(command[0], []).extend(wanted)
    return programs, lost


def run(program, filters, seed, cases):
    environment = os.environ | {"RC_PARAMS": f"seed={seed} max_success={cases}"}
    done = subprocess.run([program, "--gtest_filter=" + ":".join(filters)], capture_output=True, text=True, check=False,
                          env=environment)
    return program, len(filters), done


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sources", type=Path)
    parser.add_argument("build", type=Path)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--cases", type=int, default=CASES)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--only", default="", metavar="WORD", help="properties whose name holds this")
    options = parser.parse_args()
    seed = options.seed if options.seed is not None else random.SystemRandom().randrange(1, 2**63)
    print(f"seed {seed}, {options.cases} cases for each property", flush=True)
    found, _ = properties.in_tree(options.sources)
    programs, lost = by_program([p for p in found if options.only in p.title], properties.tests_of(options.build))
    for title in lost:
        print(f"{title}: no program of {options.build} has it")
    failed = []
    with ThreadPoolExecutor(options.jobs) as pool:
        for program, count, done in pool.map(lambda item: run(*item, seed, options.cases), sorted(programs.items())):
            print(f"{Path(program).name}: {count} properties {'hold' if done.returncode == 0 else 'FAIL'}", flush=True)
            if done.returncode != 0:
                failed.append(program)
                print(done.stdout + done.stderr)
    total = sum(map(len, programs.values()))
    print(f"{total} properties, {len(failed)} programs with failures, seed {seed}")
    if failed:
        print(f"again: make property PROPERTY_SEED={seed} PROPERTY_CASES={options.cases}")
    return 1 if failed or lost or not total else 0


if __name__ == "__main__":
    sys.exit(main())

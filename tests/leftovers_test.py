#!/usr/bin/env python3
"""Test programs that pass leave nothing behind in the folder for temporary files.

Usage: leftovers_test.py PROGRAM...
"""
import os
import subprocess
import sys
import tempfile
from pathlib import Path


def left_by(program):
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {"TMPDIR": folder, "TEST_TMPDIR": folder + "/", "RC_PARAMS": "seed=1 max_success=1"}
        done = subprocess.run([program], capture_output=True, check=False, env=environment)
        left = sorted(path.name for path in Path(folder).iterdir())
        return left if done.returncode == 0 else [*left, f"with exit {done.returncode}"]


def main():
    found = {program: left for program in sys.argv[1:] if (left := left_by(program))}
    for program, names in found.items():
        print(f"{Path(program).name} leaves {', '.join(names)}")
    return 1 if found or len(sys.argv) < 2 else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""No line is wider than the terminal: every fixture in info, cycles and anomalies, and neighbours in compare, at 80
columns.

Usage: width_test.py LOCKSTEP
"""
import glob
import os
import subprocess
import sys
import unicodedata
import unittest

PROGRAM = None
COLUMNS = 80
FIXTURES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "fixtures")


def fixtures():
    return sorted(glob.glob(FIXTURES + "/**/*.json.gz", recursive=True))


def width(line):
    return sum(0 if unicodedata.combining(one) else 2 if unicodedata.east_asian_width(one) in "WF" else 1
               for one in line)


def wide_lines(command, *paths):
    # By their names alone: paths are as long as they are.
    done = subprocess.run([PROGRAM, command, "--quiet", *(os.path.basename(path) for path in paths)], text=True,
                          capture_output=True, check=False, cwd=os.path.dirname(paths[0]),
                          env={**os.environ, "COLUMNS": str(COLUMNS)})
    return [line for line in done.stdout.splitlines() if width(line) > COLUMNS]


class Width(unittest.TestCase):
    def test_of_one_trace(self):
        for path in fixtures():
            for command in ("info", "cycles", "anomalies"):
                with self.subTest(command=command, path=os.path.relpath(path, FIXTURES)):
                    self.assertEqual(wide_lines(command, path), [])

    def test_of_two_traces(self):
        paths = fixtures()
        for a, b in zip(paths, paths[1:]):
            if os.path.dirname(a) != os.path.dirname(b):
                continue
            with self.subTest(a=os.path.basename(a), b=os.path.basename(b)):
                self.assertEqual(wide_lines("compare", a, b), [])


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main()

#!/usr/bin/env python3
"""The session library inside the program of a user: a failed allocation is a code and a sentence."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import shortage_case
from shortage_case import SHIM, points_up_to

CALLS = os.environ.get("LOCKSTEP_SESSION_CALLS", "")
POINTS = 100_000 if shortage_case.IS_LONG else 150
UNUSABLE = 3


@unittest.skipIf(shortage_case.IS_SANITIZED, "a sanitizer has an allocator of its own")
class SessionWithoutMemory(unittest.TestCase):
    def run_calls(self, environment):
        """Code, sentence and the names of the files that are there afterwards."""
        with tempfile.TemporaryDirectory() as folder:
            files = [str(Path(folder) / name) for name in ("out.lkp", "out.pftrace")]
            done = subprocess.run([CALLS, *files], capture_output=True, check=False, timeout=60,
                                  env={**os.environ, "LD_PRELOAD": SHIM, **environment})
            return done.returncode, done.stderr.decode(), sorted(os.listdir(folder))

    def test_fails_with_a_sentence_and_never_ends_the_program(self):
        with tempfile.TemporaryDirectory() as folder:
            counts = Path(folder) / "counts"
            good = self.run_calls({"SHORTAGE_COUNTS": str(counts)})
            last = int(counts.read_text().split()[0])
        self.assertEqual(good, (0, "", ["out.lkp", "out.pftrace"]))
        codes = set()
        for number in points_up_to(last, POINTS, 1):
            for for_good in ("", "1"):
                code, sentence, files = self.run_calls({"SHORTAGE_ALLOCATION": str(number),
                                                        "SHORTAGE_FOR_GOOD": for_good})
                codes.add(code)
                with self.subTest(allocation=number, for_good=bool(for_good)):
                    if code == 0:
                        self.assertEqual((code, sentence, files), good)
                        continue
                    self.assertEqual((code, sentence),
                                     (UNUSABLE, "this machine has not enough memory\n"))
                    # What an earlier call has finished stays.
                    self.assertIn(files, ([], ["out.lkp"]))
        self.assertIn(UNUSABLE, codes)


if __name__ == "__main__":
    unittest.main()

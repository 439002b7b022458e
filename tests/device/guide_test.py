#!/usr/bin/env python3
"""The code in the manual of the markers compiles, each piece alone."""

import re
import tempfile
import unittest
from pathlib import Path

from compilers import ROOT, in_parallel, needs_nvcc, nvcc

GUIDE = ROOT / "docs" / "guide" / "kernel-profiler.md"


@needs_nvcc
class Guide(unittest.TestCase):
    def test_every_piece_compiles_in_silence(self):
        pieces = re.findall(r"^```cuda\n(.*?)^```", GUIDE.read_text(), re.MULTILINE | re.DOTALL)
        self.assertGreater(len(pieces), 5)
        with tempfile.TemporaryDirectory() as folder:
            files = [Path(folder) / f"piece{i}.cu" for i in range(len(pieces))]
            for file, piece in zip(files, pieces):
                file.write_text(piece)
            jobs = [(file, "sm_90", "-std=c++17") for file in files]
            for piece, compiled in zip(pieces, in_parallel(nvcc, jobs)):
                self.assertEqual(compiled.warnings, [], piece)


if __name__ == "__main__":
    unittest.main()

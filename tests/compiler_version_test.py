#!/usr/bin/env python3
"""CMake refuses a compiler that is too old with one sentence, before it compiles anything of ours.

    compiler_version_test.py SOURCE_DIR COMPILER

An old compiler is not needed: a script calls the one at hand and says an older version of itself.
"""

import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SOURCE = Path()
COMPILER = ""

AS_OLD_GNU = ["-U__GNUC__", "-U__GNUC_MINOR__", "-U__GNUC_PATCHLEVEL__", "-U__clang__",
              "-D__GNUC__={0}", "-D__GNUC_MINOR__=4", "-D__GNUC_PATCHLEVEL__=0"]
AS_OLD_CLANG = ["-U__clang__", "-U__clang_major__", "-U__clang_minor__", "-U__clang_patchlevel__",
                "-D__clang__=1", "-D__clang_major__={0}", "-D__clang_minor__=0",
                "-D__clang_patchlevel__=6"]


class CompilerVersion(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def configure(self, disguise, major):
        """Returns (exit status, what was said as one line) with the compiler in disguise."""
        compiler = self.folder / "c++"
        flags = " ".join(disguise).format(major)
        compiler.write_text(f'#!/bin/sh\nexec "{COMPILER}" {flags} "$@"\n')
        compiler.chmod(0o755)
        done = subprocess.run(
            ["cmake", "-S", SOURCE, "-B", self.folder / "build", "-G", "Ninja",
             f"-DCMAKE_CXX_COMPILER={compiler}", "-DLOCKSTEP_TESTS=OFF"],
            capture_output=True, text=True, check=False)
        return done.returncode, " ".join(done.stderr.split())

    def test_an_old_gnu_compiler_is_refused(self):
        status, said = self.configure(AS_OLD_GNU, 11)
        self.assertNotEqual(status, 0)
        self.assertIn(f"lockstep needs g++ 12 or newer; {self.folder}/c++ is g++ 11.4.0. Name a "
                      "newer one with -DCMAKE_CXX_COMPILER=g++-12 in an empty build folder.", said)

    def test_an_old_clang_is_refused(self):
        status, said = self.configure(AS_OLD_CLANG, 15)
        self.assertNotEqual(status, 0)
        self.assertIn(f"lockstep needs clang 16 or newer; {self.folder}/c++ is clang 15.0.6. Name "
                      "a newer one with -DCMAKE_CXX_COMPILER=clang++-19 in an empty build folder.",
                      said)

    def test_cmake_itself_is_asked_for_the_same_version_everywhere(self):
        first = next(line for line in (SOURCE / "CMakeLists.txt").read_text().splitlines()
                     if line and not line.startswith("#"))
        self.assertEqual(first, "cmake_minimum_required(VERSION 3.25)")
        presets = (SOURCE / "CMakePresets.json").read_text()
        self.assertRegex(presets, r'"cmakeMinimumRequired": \{ "major": 3, "minor": 25,')
        self.assertTrue(re.search(r"CMake 3\.25", (SOURCE / "CONTRIBUTING.md").read_text()))


if __name__ == "__main__":
    SOURCE, COMPILER = Path(sys.argv[1]), sys.argv[2]
    unittest.main(argv=sys.argv[:1])

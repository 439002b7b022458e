#!/usr/bin/env python3
"""tools/configure.sh keeps the settings of a preset when its compiler is another one than it was.

    configure_test.py SOURCE_DIR COMPILER

The two compilers are two names of the one at hand.
"""

import json
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SOURCE = Path()
COMPILER = ""


class Configure(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "tools").mkdir()
        shutil.copy(SOURCE / "tools/configure.sh", self.folder / "tools")
        (self.folder / "CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.25)\nproject(a_tree CXX)\n")
        for name in ("one++", "other++"):
            (self.folder / name).write_text(f'#!/bin/sh\nexec "{COMPILER}" "$@"\n')
            (self.folder / name).chmod(0o755)

    def cache(self, compiler, *arguments):
        """The cache after a configuration with this compiler in the preset."""
        preset = {"name": "san", "generator": "Ninja", "binaryDir": "${sourceDir}/build/${presetName}",
                  "cacheVariables": {"CMAKE_CXX_COMPILER": str(self.folder / compiler), "SANITIZE": "thread"}}
        (self.folder / "CMakePresets.json").write_text(json.dumps({"version": 6, "configurePresets": [preset]}))
        subprocess.run([self.folder / "tools/configure.sh", "san", *arguments], check=True, capture_output=True)
        lines = (self.folder / "build/san/CMakeCache.txt").read_text().splitlines()
        return dict(line.split("=", 1) for line in lines if "=" in line and not line.startswith(("#", "//")))

    def test_another_compiler_makes_the_folder_anew_with_all_settings(self):
        self.cache("one++")
        cache = self.cache("other++")
        self.assertEqual(Path(cache["CMAKE_CXX_COMPILER:STRING"]).name, "other++")
        self.assertEqual(cache["SANITIZE:UNINITIALIZED"], "thread")

    def test_the_same_compiler_keeps_what_was_set(self):
        self.cache("one++", "-DOTHER=kept")
        self.assertEqual(self.cache("one++")["OTHER:UNINITIALIZED"], "kept")


if __name__ == "__main__":
    SOURCE, COMPILER = Path(sys.argv[1]), sys.argv[2]
    unittest.main(argv=sys.argv[:1])

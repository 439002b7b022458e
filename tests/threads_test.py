#!/usr/bin/env python3
"""Every command over traces of every format: all that starts a thread is started.

    threads_test.py PROGRAM SOURCE_DIR

In a build with ThreadSanitizer a race ends the program with its exit code, and this test fails. In
other builds it is a quick look at everything.
"""

import importlib
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM = ""
SOURCE = Path()
LARGE = 12_000  # rows: above 8,192 SQLite's are read on a thread of their own


class Threads(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def run_program(self, *arguments):
        environment = dict(os.environ)
        options = environment.get("TSAN_OPTIONS", "")
        environment["TSAN_OPTIONS"] = f"halt_on_error=1:exitcode=66:{options}"
        done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True,
                              check=False, env=environment)
        self.assertEqual(done.returncode, 0, f"{arguments}: {done.stderr[-4000:]}")
        self.assertNotIn("ThreadSanitizer", done.stderr)

    def written(self, name):
        """The scripted workload as one format."""
        sys.path.insert(0, str(SOURCE / "tests" / "workload"))
        try:
            place = self.folder / name
            place.mkdir()
            work = importlib.import_module("workload").scripted()
            return importlib.import_module(name).write(work, place)
        finally:
            sys.path.pop(0)

    def run_analyses(self, trace):
        self.run_program("info", trace, "--json")
        self.run_program("cycles", trace)
        self.run_program("anomalies", trace)

    def test_every_format_is_read_and_analysed(self):
        writers = sorted((SOURCE / "tests" / "workload").glob("write_*.py"))
        self.assertGreater(len(writers), 8)
        for writer in writers:
            with self.subTest(writer.stem):
                self.run_analyses(self.written(writer.stem))

    def test_every_output_is_written(self):
        trace = self.written("write_kineto")
        for name in ("out.json", "out.json.gz", "out.pftrace", "out.xplane.pb", "out.pftrace.zst"):
            self.run_program("convert", trace, "-o", self.folder / name)
            self.run_program("info", self.folder / name)
        self.run_program("compare", trace, self.folder / "out.json.gz", "--xlsx",
                         self.folder / "compare.xlsx")
        self.run_program("cycles", trace, "--method", "anchor", "--xlsx", self.folder / "c.xlsx")
        self.run_program("anomalies", trace, "--annotate", self.folder / "a.pftrace")

    def test_several_ranks_at_once(self):
        first = self.written("write_kineto")
        second = self.folder / "rank1.json"
        self.run_program("convert", first, "-o", second)
        self.run_analyses(self.folder)

    def test_a_large_database(self):
        sys.path.insert(0, str(SOURCE / "tests" / "workload"))
        self.addCleanup(sys.path.pop, 0)
        for name, suffix in (("write_rpd", ".rpd"), ("write_rocpd", ".db")):
            path = self.folder / f"large{suffix}"
            importlib.import_module(name).write_large(path, LARGE)
            self.run_analyses(path)

    def test_the_examples(self):
        self.run_analyses(SOURCE / "examples" / "llama_eager.json.gz")
        profile = SOURCE / "examples" / "kernel_profile.lkp"
        self.run_program("kernel", "decode", profile, "--compare", profile)
        self.run_program("kernel", "decode", profile, "--perfetto", self.folder / "k.pftrace",
                         "--svg", self.folder / "k.svg")


if __name__ == "__main__":
    PROGRAM, SOURCE = sys.argv[1], Path(sys.argv[2])
    unittest.main(argv=sys.argv[:1])

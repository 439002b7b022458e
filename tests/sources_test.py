#!/usr/bin/env python3
"""What holds for every source of the tree, whatever its language.

Usage: sources_test.py ROOT
"""
import collections
import re
import sys
import unittest
from pathlib import Path

ROOT = Path(sys.argv[1])
FOLDERS = ("benchmarks", "cmake", "device", "examples", "python", "src", "tests", "tools")
SUFFIXES = {".c", ".cmake", ".cpp", ".cu", ".h", ".hip", ".hpp", ".proto", ".py", ".sh"}
# Pictures stand in tests as they are printed.
DRAWN = re.compile("[\u2500\u2502\u253c\u2581-\u2588\u2592\u2593\u25bc\u00b7\u2026]")
CLOCK = re.compile(r"\b(?:steady|system|high_resolution)_clock::now\b|\bclock_gettime\b|\bgettimeofday\b")
PYTHON_CLOCK = re.compile(
    r"\btime\.(?:time|monotonic|perf_counter|process_time|thread_time|clock_gettime)(?:_ns)?\b"
    r"|\bfrom time import (?!sleep\b)|\btimeit\.|\bos\.times\b"
    r"|\b(?:datetime\.(?:now|utcnow)|date(?:time)?\.today)\b")
CLOCKS_THAT_DECIDE_NOTHING = {
    "tests/faults/corpus_sweep.py": "prints how long it took, and begins no more after --minutes",
    "tests/faults/signals_test.py": "spreads its signals over the time that a run takes",
}
THREAD = re.compile(r"\bstd::(?:thread|jthread|async)\b|\bpthread_create\b")
# One home for threads, so that shortage of them is met alike everywhere; `make tsan` runs what includes it.
THREAD_HOMES = ("src/base/threads/", "src/base/shortage")
MOST_LINES = 400
TABLES = ("src/analysis/kernels/role_table.cpp",)  # data: a line for each pattern
MOST_FILES = 40  # of a folder's own


def sources():
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*")):
            is_data = (ROOT / "tests" / "fuzz" / "corpus") in path.parents
            is_source = path.suffix in SUFFIXES or path.name == "CMakeLists.txt"
            if is_source and not is_data and path.is_file():
                yield path


def is_test(path):
    return path.stem.endswith("_test")


def is_of_tests(path):
    """A test, or what only tests use."""
    if path.suffix == ".py":
        return is_test(path) or (ROOT / "tests") in path.parents
    return path.suffix in {".cpp", ".h"} and (is_test(path) or path.stem.endswith("_for_test"))


def looks_at_a_clock(suffix, text):
    return bool((PYTHON_CLOCK if suffix == ".py" else CLOCK).search(text))


class Sources(unittest.TestCase):
    def test_are_ascii_but_for_pictures_in_tests(self):
        found = []
        for path in sources():
            text = path.read_text(encoding="utf-8")
            if is_test(path):
                text = DRAWN.sub("", text)
            found += [f"{path.relative_to(ROOT)}:{number}" for number, line in enumerate(text.splitlines(), 1)
                      if not line.isascii()]
        self.assertEqual(found, [])

    # A limit that a loaded machine keeps is one that nothing but a hang breaks: tests count work, and
    # benchmarks/worst compares the time of n and 4n.
    def test_of_tests_look_at_no_clock(self):
        found = [str(path.relative_to(ROOT)) for path in sources()
                 if is_of_tests(path) and looks_at_a_clock(path.suffix, path.read_text(encoding="utf-8"))]
        self.assertEqual(found, sorted(CLOCKS_THAT_DECIDE_NOTHING))

    def test_with_a_planted_clock_are_found(self):
        for suffix, before, after in [
            (".cpp", "std::chrono::steady_", "clock::now()"),
            (".py", "start = time", ".monotonic()"),
            (".py", "start = time", ".time_ns()"),
            (".py", "clock=time", ".perf_counter)"),
            (".py", "from time", " import perf_counter"),
            (".py", "datetime.datetime", ".now()"),
        ]:
            with self.subTest(after=after):  # in two parts, for this file is read too
                self.assertTrue(looks_at_a_clock(suffix, before + after))
        for harmless in ("time.sleep(0.01)", "from time import sleep", '"start_monotonic": 1', "human_time(5)"):
            with self.subTest(harmless=harmless):
                self.assertFalse(looks_at_a_clock(".py", harmless))

    def test_of_headers_are_included_once(self):
        found = [str(path.relative_to(ROOT)) for path in sources()
                 if path.suffix == ".h" and (ROOT / "src") in path.parents
                 and "\n#pragma once\n" not in path.read_text(encoding="utf-8")]
        self.assertEqual(found, [])

    def test_start_threads_in_base_alone(self):
        found = [str(path.relative_to(ROOT)) for path in sources()
                 if path.suffix in {".cpp", ".h"} and not is_test(path) and (ROOT / "src") in path.parents
                 and not str(path.relative_to(ROOT)).startswith(THREAD_HOMES)
                 and THREAD.search(path.read_text(encoding="utf-8"))]
        self.assertEqual(found, [])

    def test_are_short(self):
        lengths = {str(path.relative_to(ROOT)): len(path.read_text(encoding="utf-8").splitlines())
                   for path in sources()}
        found = {name: lines for name, lines in lengths.items() if lines > MOST_LINES and name not in TABLES}
        self.assertEqual(found, {})

    def test_lie_in_rooms(self):
        folders = collections.Counter(str(path.parent.relative_to(ROOT)) for path in sources())
        self.assertEqual({name: count for name, count in folders.items() if count > MOST_FILES}, {})

    def test_are_found(self):
        self.assertGreater(len(list(sources())), 1000)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

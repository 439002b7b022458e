#!/usr/bin/env python3
"""Property tests get the same cases in every run of the gate, and none is missed by `make property`.

Usage: properties_test.py SOURCES BUILD
"""
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import properties

SOURCES, BUILD = map(Path, sys.argv[1:3])


class Finding(unittest.TestCase):
    def found(self, text):
        properties_found, outside = properties.in_text(text)
        return [p.title for p in properties_found], outside

    def test_every_way_to_write_one_is_found(self):
        self.assertEqual(self.found("RC_GTEST_PROP(A, Holds, ()) {\n  RC_ASSERT(true);\n}\n"), (["A.Holds"], 0))
        self.assertEqual(self.found("RC_GTEST_FIXTURE_PROP(\n    A, Holds, (int a)) {\n}\n"), (["A.Holds"], 0))
        self.assertEqual(self.found("TEST(A, No) {\n}\nTEST_P(A, Yes) {\n  EXPECT_TRUE(rc::check([] {\n  }));\n}\n"),
                         (["A.Yes"], 0))

    def test_cases_outside_of_a_test_are_noticed(self):
        self.assertEqual(self.found("TEST(A, No) {\n}\nvoid holds() {\n  rc::check([] {});\n}\n"), ([], 1))

    def test_tests_are_known_by_their_whole_name(self):
        one = properties.Property("A", "Holds")
        self.assertTrue(one.is_named("base/A.Holds"))
        self.assertTrue(one.is_named("io/Formats/A.Holds/gzip"))
        self.assertFalse(one.is_named("base/A.HoldsToo"))
        self.assertFalse(one.is_named("base/BA.Holds"))


class Runner(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "src").mkdir()
        (self.folder / "src" / "a_test.cpp").write_text("RC_GTEST_PROP(A, Holds, ()) {\n}\n")

    def run_with(self, program, *options, test="x/A.Holds"):
        """A build of one test, whose program is a script."""
        path = self.folder / "program"
        path.write_text(f"#!/bin/sh\n{program}\n")
        path.chmod(0o755)
        (self.folder / "CTestTestfile.cmake").write_text(f'add_test("{test}" "{path}" "--gtest_filter=A.Holds")\n')
        return subprocess.run([sys.executable, Path(__file__).parent / "run_properties.py", self.folder, self.folder,
                               *options], capture_output=True, text=True, check=False)

    def test_the_seed_is_said_and_reaches_the_program(self):
        done = self.run_with('[ "$RC_PARAMS" = "seed=7 max_success=5" ] && [ "$1" = "--gtest_filter=A.Holds" ]',
                             "--seed", "7", "--cases", "5")
        self.assertEqual(done.stdout, "seed 7, 5 cases for each property\nprogram: 1 properties hold\n"
                                      "1 properties, 0 programs with failures, seed 7\n")
        self.assertEqual(done.returncode, 0)

    def test_a_failure_says_how_to_see_it_again(self):
        done = self.run_with("echo Falsifiable; exit 1", "--seed", "7", "--cases", "5")
        self.assertEqual(done.returncode, 1)
        self.assertTrue(done.stdout.startswith("seed 7, 5 cases for each property\n"), done.stdout)
        self.assertIn("program: 1 properties FAIL\nFalsifiable\n", done.stdout)
        self.assertTrue(done.stdout.endswith("again: make property PROPERTY_SEED=7 PROPERTY_CASES=5\n"), done.stdout)

    def test_the_seed_is_another_every_time(self):
        first, second = self.run_with("true"), self.run_with("true")
        self.assertRegex(first.stdout, r"^seed [0-9]+, 1000 cases")
        self.assertNotEqual(first.stdout, second.stdout)

    def test_a_property_without_a_program_is_a_failure(self):
        done = self.run_with("true", test="x/A.Others")
        self.assertIn(f"A.Holds: no program of {self.folder} has it\n", done.stdout)
        self.assertEqual(done.returncode, 1)


class Gate(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.found, cls.strays = properties.in_tree(SOURCES)
        cls.tests = properties.tests_of(BUILD)
        cls.known = properties.known_to_ctest(cls.found, cls.tests)

    def test_no_source_asks_for_cases_outside_of_a_test(self):
        self.assertEqual(self.strays, [])
        self.assertGreater(len(self.found), 100)

    def test_every_property_is_a_test_of_the_gate_with_its_seed(self):
        built = [titles for titles in self.known.values() if titles]
        is_all_built = not any(name.endswith("_NOT_BUILT") for name in self.tests)
        if is_all_built:
            self.assertEqual([title for title, names in self.known.items() if not names], [])
        self.assertEqual({seed for names in built for name in names for seed in self.tests[name][1]},
                         {"RC_PARAMS=seed=1"})
        self.assertEqual([name for names in built for name in names if not self.tests[name][1]], [])

    def run_one(self, environment):
        """The shares of its kinds of cases that one property prints."""
        (name,) = self.known["FlowBinderProperties.OverlappingSpansAreBoundAsByLookingAtAllOfThem"]
        done = subprocess.run(self.tests[name][0], capture_output=True, text=True, check=True,
                              env=os.environ | environment)
        return re.findall(r"^[ \d.]+% - .*$", done.stdout, re.MULTILINE)

    def test_one_seed_gives_the_same_cases_again(self):
        if not self.known["FlowBinderProperties.OverlappingSpansAreBoundAsByLookingAtAllOfThem"]:
            self.skipTest("not built")
        shares = [self.run_one({"RC_PARAMS": f"seed={seed}"}) for seed in (1, 1, 2, 3, 4, 5)]
        self.assertTrue(shares[0])
        self.assertEqual(shares[0], shares[1])
        self.assertGreater(len(set(map(tuple, shares))), 1)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)

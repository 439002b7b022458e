#!/usr/bin/env python3
"""What `make odr` compiles and links with finds a name that is two types in two files.

    odr_check_test.py COMPILER COMPILE_OPTIONS LINK_OPTIONS      options as CMake's lists
"""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

COMPILER = ""
COMPILE_OPTIONS = []
LINK_OPTIONS = []

SOURCE = """
namespace lockstep {{
struct Stretch {{ {members} }};
{declarations}
}}
"""


class OdrCheck(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def run_compiler(self, *arguments):
        return subprocess.run([COMPILER, *arguments], cwd=self.folder, capture_output=True, text=True, check=False,
                              env={"PATH": "/usr/bin:/bin", "LC_ALL": "C"})

    def compile(self, name, members, declarations):
        (self.folder / f"{name}.cpp").write_text(SOURCE.format(members=members, declarations=declarations))
        done = self.run_compiler(*COMPILE_OPTIONS, "-c", f"{name}.cpp", "-o", f"{name}.o")
        self.assertEqual(done.returncode, 0, done.stderr)

    def link_with(self, members_of_other):
        """Links two files that both know a Stretch: of two integers, and of these members."""
        self.compile("one", "int first; int last;", "int length(const Stretch& s) { return s.last - s.first; }")
        self.compile("other", members_of_other,
                     "int twice(const Stretch& s) { return int(2 * s.first); } } int main() { return 0;")
        return self.run_compiler(*LINK_OPTIONS, "one.o", "other.o", "-o", "program")

    def test_one_name_for_two_types_is_an_error(self):
        done = self.link_with("double first; double last;")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("violates the C++ One Definition Rule", done.stderr)
        self.assertIn("Stretch", done.stderr)

    def test_one_name_for_one_type_is_none(self):
        done = self.link_with("int first; int last;")
        self.assertEqual((done.returncode, done.stderr), (0, ""))


if __name__ == "__main__":
    COMPILER = sys.argv[1]
    COMPILE_OPTIONS, LINK_OPTIONS = (options.split(";") for options in sys.argv[2:4])
    unittest.main(argv=sys.argv[:1])

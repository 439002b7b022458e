#!/usr/bin/env python3
"""Installs liblockstep into an empty folder and builds examples/library from there.

    library_test.py BUILD_FOLDER SOURCE_FOLDER C++_COMPILER
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

BUILD, SOURCE, COMPILER = Path(), Path(), ""

LOOPS = """\
prefill layer: 16 iterations of 40 kernels, 1.040 ms each
prefill inner: 2 iterations of 5 kernels, 92.511 us each
decode pass: 24 iterations of 695 kernels, 62.609 ms each
decode layer: 16 iterations of 42 kernels, 1.247 ms each
decode inner: 2 iterations of 5 kernels, 101.471 us each
"""


def run(*command, **options):
    """What a command prints; its words are in the failure where it fails."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, **options)
    if done.returncode != 0:
        raise AssertionError(f"{command} fails:\n{done.stdout}{done.stderr}")
    return done.stdout


class InstalledLibrary(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp(prefix="lockstep_library."))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.prefix = cls.folder / "prefix"
        run("cmake", "--install", BUILD, "--prefix", cls.prefix, "--component", "library")
        cls.libraries = next(cls.prefix.rglob("liblockstep.a")).parent
        cls.shared = cls.libraries / "liblockstep.so"
        # Both targets in one folder: a compiler is looked for once.
        cls.example = cls.folder / "example"
        shutil.copytree(SOURCE / "examples/library", cls.example)

    def configure(self, *options):
        return subprocess.run(
            ["cmake", "-G", "Ninja", "-S", self.example, "-B", self.folder / "build",
             f"-DCMAKE_CXX_COMPILER={COMPILER}", f"-DCMAKE_PREFIX_PATH={self.prefix}", *options],
            capture_output=True, text=True)

    def replace_in_example(self, old, new):
        file = self.example / "CMakeLists.txt"
        text = file.read_text()
        self.assertIn(old, text)
        file.write_text(text.replace(old, new))
        self.addCleanup(file.write_text, text)

    def check_example(self):
        configured = self.configure()
        self.assertEqual(configured.returncode, 0, configured.stderr)
        run("cmake", "--build", self.folder / "build")
        self.check_loops(self.folder / "build/loops")

    def check_loops(self, program, **options):
        self.assertEqual(run(program, SOURCE / "examples/llama_eager.json.gz", **options), LOOPS)

    def test_the_example_is_built_with_the_shared_library(self):
        self.check_example()
        self.assertIn("liblockstep.so", run("readelf", "--dynamic", self.folder / "build/loops"))

    def test_the_example_is_built_with_the_static_library(self):
        self.replace_in_example("lockstep 0.1 REQUIRED", "lockstep 0.1 REQUIRED COMPONENTS static")
        self.replace_in_example("lockstep::lockstep)", "lockstep::lockstep_static)")
        self.check_example()
        self.assertNotIn("liblockstep.so", run("readelf", "--dynamic", self.folder / "build/loops"))

    def test_what_the_static_library_lacks_is_named(self):
        self.replace_in_example("lockstep 0.1 REQUIRED", "lockstep 0.1 REQUIRED COMPONENTS static")
        configured = self.configure("-DCMAKE_DISABLE_FIND_PACKAGE_simdjson=ON",
                                    "-DCMAKE_DISABLE_FIND_PACKAGE_fmt=ON")
        self.addCleanup(self.configure, "-UCMAKE_DISABLE_FIND_PACKAGE_*")
        self.assertNotEqual(configured.returncode, 0)
        self.assertIn("lockstep::lockstep_static is linked with libraries that are missing here: fmt, simdjson",
                      " ".join(configured.stderr.split()))

    def test_another_minor_version_is_not_taken(self):
        self.replace_in_example("lockstep 0.1 REQUIRED", "lockstep 0.0 REQUIRED")
        configured = self.configure()
        self.assertNotEqual(configured.returncode, 0)
        self.assertIn('compatible with requested version "0.0"', " ".join(configured.stderr.split()))

    @unittest.skipUnless(shutil.which("pkg-config"), "there is no pkg-config here")
    def test_the_example_is_built_with_pkg_config(self):
        # Nothing else is found: no other library's development files are needed.
        path = {**os.environ, "PKG_CONFIG_LIBDIR": str(self.libraries / "pkgconfig"), "PKG_CONFIG_PATH": ""}
        flags = run("pkg-config", "--cflags", "--libs", "lockstep", env=path).split()
        program = self.folder / "with_pkg_config"
        run(COMPILER, "-std=c++23", SOURCE / "examples/library/main.cpp", "-o", program, *flags)
        self.check_loops(program, env={**os.environ, "LD_LIBRARY_PATH": str(self.libraries)})

    def test_only_names_of_ours_are_shown(self):
        listed = run("nm", "--dynamic", "--demangle", "--defined-only", self.shared)
        names = [line.split(maxsplit=2)[2] for line in listed.splitlines()]
        self.assertIn("vtable for lockstep::io::MemorySource", names)
        ours = re.compile(r"(typeinfo for |typeinfo name for |vtable for )?lockstep::")
        self.assertEqual([name for name in names if not ours.match(name)], [])

    def test_the_program_stays_outside(self):
        listed = run("nm", "--demangle", "--defined-only", self.libraries / "liblockstep.a")
        names = [line.split(maxsplit=2)[2] for line in listed.splitlines()
                 if re.match(r"[0-9a-f]+ [A-Z] ", line)]
        self.assertTrue(any(name.startswith("lockstep::formats::input::load(") for name in names))
        programs = re.compile(r"main$|lockstep::(cli|report|device)::|.*remove_unfinished_outputs_on_signal")
        self.assertEqual([name for name in names if programs.match(name)], [])

    def test_names_that_the_linker_would_take_from_anywhere_are_in_our_namespace(self):
        listed = run("nm", "--demangle", "--defined-only", self.libraries / "liblockstep.a")
        strong = [line.split(maxsplit=2)[2] for line in listed.splitlines()
                  if re.match(r"[0-9a-f]+ [TDBRC] ", line)]
        self.assertEqual([name for name in strong if "lockstep::" not in name], [])

    def test_it_changes_nothing_of_the_process(self):
        calls = run("nm", "--dynamic", "--undefined-only", self.shared)
        names = {line.split()[-1].split("@")[0] for line in calls.splitlines()}
        self.assertEqual(names & {"sigaction", "signal", "umask", "setlocale", "chdir", "exit", "abort"}, set())

    def test_all_headers_compile_together(self):
        include = self.prefix / "include"
        lines = [f"#include <{file.relative_to(include)}>\n" for file in sorted(include.rglob("*.h"))]
        run(COMPILER, "-std=c++23", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-x", "c++", "-I", include, "-",
            input="".join(lines))

    def test_headers_include_each_other_as_installed_and_none_is_of_tests(self):
        include = self.prefix / "include"
        headers = [file.relative_to(include) for file in include.rglob("*.h")]
        self.assertIn(Path("lockstep/trace/trace.h"), headers)
        self.assertEqual([name for name in headers if "test" in name.stem.split("_")], [])
        for header in headers:
            for name in re.findall(r'#\s*include\s*"([^"]+)"', (include / header).read_text()):
                self.assertIn(Path(name), headers, f"included by {header}")

    def test_a_second_installation_changes_no_header(self):
        header = self.prefix / "include/lockstep/trace/trace.h"
        before = header.stat().st_mtime_ns
        run("cmake", "--install", BUILD, "--prefix", self.prefix, "--component", "library")
        self.assertEqual(header.stat().st_mtime_ns, before)


class Guide(unittest.TestCase):
    def setUp(self):
        self.page = (SOURCE / "docs/guide/library.md").read_text()

    def test_it_shows_the_example_to_the_letter(self):
        for name, language in (("main.cpp", "cpp"), ("CMakeLists.txt", "cmake")):
            text = (SOURCE / "examples/library" / name).read_text()
            self.assertIn(f"```{language}\n{text}```\n", self.page, name)
        self.assertIn(LOOPS, self.page)

    def test_the_example_has_20_lines(self):
        text = (SOURCE / "examples/library/main.cpp").read_text()
        self.assertLessEqual(len(text.splitlines()), 20)


if __name__ == "__main__":
    BUILD, SOURCE, COMPILER = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve(), sys.argv[3]
    unittest.main(argv=sys.argv[:1])

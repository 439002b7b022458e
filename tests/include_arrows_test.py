#!/usr/bin/env python3
"""Reads every #include of src/ and fails on one that goes against the arrows of the tree.

    include_arrows_test.py SRC_FOLDER
    include_arrows_test.py --self-test

Linking does not find a wrong arrow: a header-only use links without its library.
"""

import re
import sys
import tempfile
import unittest
from pathlib import Path

# The arrows: which folders of src/ the files of a folder may include.
ARROWS = {
    "base": {"base"},
    "io": {"base", "io"},
    "trace": {"base", "io", "trace"},
    "algo": {"base", "algo"},
    "formats": {"base", "io", "trace", "formats"},
    "analysis": {"base", "trace", "algo", "analysis"},
    "report": {"base", "io", "trace", "algo", "formats", "analysis", "report"},
}
LIBRARY = set(ARROWS)
for face in ("cli", "tui", "serve"):
    ARROWS[face] = LIBRARY | {face}

# Folders whose subfolders do not know each other, with the subfolders that all of them may use, in the
# order of the arrows, and the one that knows all of them.
SHARED_SUBFOLDERS = {"formats": ["shared", "sqlite", "ascend", "rocm"]}
GATHERING_SUBFOLDER = {"formats": "input"}

# Libraries that only one place may use, a folder or (where they take long to compile) a file, by how their
# includes begin.
OUTSIDE_LIBRARIES = {
    "CLI11": (("CLI/", "CLI11"), "cli/options/option_parser.cpp"),
    "libxlsxwriter": (("xlsxwriter",), "report"),
    "LLVM's demangler": (("llvm/",), "base/demangle.cpp"),
}

# The one header of device/ that all of src/ may know: the memory that kernels write and decoders
# read. The command line also knows what device/host measures.
DEVICE_INCLUDE = Path("device/include")
SHARED_WITH_DEVICE = {"lockstep/profile_layout.h"}
DEVICE = Path("device")
OF_DEVICE_FOR_CLI = {"host/overhead.h"}

SOURCE_SUFFIXES = {".h", ".hpp", ".cuh", ".inc", ".c", ".cpp", ".cu"}
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"\n]+)[>"]', re.MULTILINE)


def resolve(src, file, name):
    """The file that a quoted include means, as the compiler looks for it, or None."""
    for start in (file.parent, src, src.parent / DEVICE_INCLUDE, src.parent / DEVICE):
        candidate = (start / name).resolve()
        if candidate.is_file():
            return candidate
    return None


def check_include(src, file, bracket, name):
    """A sentence on what is wrong with one include, or None."""
    parts = file.relative_to(src).parts
    folder = parts[0]

    for library, (beginnings, place) in OUTSIDE_LIBRARIES.items():
        if name.startswith(beginnings) and not file.is_relative_to(src / place):
            return f"{library} may be included only in {place}"

    if bracket == "<":
        if (src / name).is_file():
            return "a header of ours is included with quotes"
        return None

    target = resolve(src, file, name)
    if target is None:
        return "there is no such file in src/ or beside the includer (quotes are for our own files)"
    if name in SHARED_WITH_DEVICE and target == (src.parent / DEVICE_INCLUDE / name).resolve():
        return None
    if folder == "cli" and name in OF_DEVICE_FOR_CLI:
        return None
    if not target.is_relative_to(src):
        return "it lies outside src/"

    target_parts = target.relative_to(src).parts
    target_folder = target_parts[0]
    if target_folder not in ARROWS[folder]:
        return f"{folder} may include only {', '.join(sorted(ARROWS[folder]))}"

    if folder in SHARED_SUBFOLDERS and target_folder == folder:
        if not may_use_sibling(folder, parts[1], target_parts[1], file.stem.endswith("_test")):
            return f"{folder}/{parts[1]} may not include its sibling {folder}/{target_parts[1]}"
    return None


def may_use_sibling(folder, user, used, is_test):
    shared = SHARED_SUBFOLDERS[folder]
    if is_test and used == GATHERING_SUBFOLDER[folder]:  # tests may come in by the front door
        return True
    if user in (used, GATHERING_SUBFOLDER[folder]):
        return True
    return used in (shared[:shared.index(user)] if user in shared else shared)


def check_file(src, file):
    place = file.relative_to(src)
    if len(place.parts) == 1 or place.parts[0] not in ARROWS:
        return [f"{place}: this place is not in the table of arrows"]
    text = file.read_text(encoding="utf-8", errors="replace")
    faults = []
    for match in INCLUDE.finditer(text):
        bracket, name = match.groups()
        fault = check_include(src, file, bracket, name)
        if fault:
            line = text.count("\n", 0, match.start(2)) + 1
            faults.append(f"{place}:{line}: includes {name}: {fault}")
    return faults


def check_tree(src):
    """All faults of a tree and how many files were read."""
    src = Path(src).resolve()
    files = sorted(f for f in src.rglob("*") if f.suffix in SOURCE_SUFFIXES and f.is_file())
    return [fault for file in files for fault in check_file(src, file)], len(files)


class PlantedIncludes(unittest.TestCase):
    """Each case plants one include in a small tree that is otherwise right."""

    TREE = [
        "base/result.h",
        "io/file.h",
        "trace/trace.h",
        "algo/runs.h",
        "formats/shared/reader.h",
        "formats/sqlite/sqlite_file.h",
        "formats/input/load.h",
        "formats/chrome_json/chrome_reader.h",
        "formats/perfetto/perfetto_writer.h",
        "analysis/summary/summary.h",
        "analysis/cycles/cycles.h",
        "report/text.h",
        "cli/command.h",
    ]

    def faults_of(self, file, line):
        with tempfile.TemporaryDirectory() as folder:
            src = Path(folder) / "src"
            for name in self.TREE:
                (src / name).parent.mkdir(parents=True, exist_ok=True)
                (src / name).write_text("#pragma once\n#include <vector>\n")
            (Path(folder) / "outside.h").write_text("#pragma once\n")
            device = Path(folder) / DEVICE_INCLUDE / "lockstep"
            device.mkdir(parents=True)
            for name in ("profile_layout.h", "kernel_profiler.h"):
                (device / name).write_text("#pragma once\n")
            host = Path(folder) / DEVICE / "host"
            host.mkdir()
            for name in ("overhead.h", "session.h"):
                (host / name).write_text("#pragma once\n")
            planted = src / file
            planted.parent.mkdir(parents=True, exist_ok=True)
            planted.write_text(f"#include <string>\n\n{line}\n")
            return check_tree(src)[0]

    def assert_right(self, file, line):
        self.assertEqual(self.faults_of(file, line), [])

    def assert_wrong(self, file, line, message):
        faults = self.faults_of(file, line)
        self.assertEqual(len(faults), 1, faults)
        self.assertIn(message, faults[0])

    def test_arrows_that_are_right_pass(self):
        for file, name in [
            ("base/x.cpp", "base/result.h"),
            ("base/x.cpp", "result.h"),
            ("io/x.cpp", "base/result.h"),
            ("trace/x.h", "io/file.h"),
            ("algo/x.cpp", "base/result.h"),
            ("formats/input/x.cpp", "formats/chrome_json/chrome_reader.h"),
            ("formats/chrome_json/x.cpp", "formats/shared/reader.h"),
            ("formats/chrome_json/map/x.cpp", "formats/sqlite/sqlite_file.h"),
            ("formats/sqlite/x.cpp", "formats/shared/reader.h"),
            ("formats/chrome_json/x_test.cpp", "formats/input/load.h"),
            ("formats/chrome_json/x.cpp", "chrome_reader.h"),
            ("formats/chrome_json/x.cpp", "trace/trace.h"),
            ("analysis/summary/x.cpp", "analysis/cycles/cycles.h"),
            ("analysis/summary/x.cpp", "algo/runs.h"),
            ("report/x.cpp", "analysis/cycles/cycles.h"),
            ("cli/x.cpp", "report/text.h"),
            ("tui/x.cpp", "formats/input/load.h"),
        ]:
            with self.subTest(file=file, name=name):
                self.assert_right(file, f'#include "{name}"')

    def test_arrows_that_are_wrong_fail(self):
        for file, name in [
            ("base/x.h", "io/file.h"),
            ("io/x.cpp", "trace/trace.h"),
            ("trace/x.cpp", "formats/shared/reader.h"),
            ("trace/x.cpp", "algo/runs.h"),
            ("algo/x.cpp", "trace/trace.h"),
            ("algo/x.cpp", "io/file.h"),
            ("formats/chrome_json/x.cpp", "analysis/summary/summary.h"),
            ("formats/shared/x.cpp", "algo/runs.h"),
            ("analysis/summary/x.cpp", "formats/shared/reader.h"),
            ("analysis/summary/x.cpp", "io/file.h"),
            ("report/x.cpp", "cli/command.h"),
            ("tui/x.cpp", "cli/command.h"),
            ("io/x.cpp", "../trace/trace.h"),
        ]:
            with self.subTest(file=file, name=name):
                self.assert_wrong(file, f'#include "{name}"', "may include only")

    def test_a_format_does_not_know_its_sibling(self):
        self.assert_wrong("formats/chrome_json/x.cpp",
                          '#include "formats/perfetto/perfetto_writer.h"', "its sibling")
        self.assert_wrong("formats/chrome_json/deep/x.cpp",
                          '#include "../../perfetto/perfetto_writer.h"', "its sibling")

    def test_what_formats_share_knows_no_format(self):
        self.assert_wrong("formats/shared/x.cpp",
                          '#include "formats/chrome_json/chrome_reader.h"', "its sibling")
        self.assert_wrong("formats/shared/x.cpp",
                          '#include "formats/sqlite/sqlite_file.h"', "its sibling")
        self.assert_wrong("formats/chrome_json/x.cpp", '#include "formats/input/load.h"',
                          "its sibling")

    def test_spacing_does_not_hide_an_include(self):
        self.assert_wrong("base/x.cpp", '  #  include\t"io/file.h"', "may include only")

    def test_the_line_is_named(self):
        self.assert_wrong("base/x.cpp", '#include "io/file.h"', "base/x.cpp:3:")

    def test_quotes_mean_a_file_of_ours(self):
        self.assert_wrong("base/x.cpp", '#include "base/gone.h"', "no such file")
        self.assert_wrong("base/x.cpp", '#include "fmt/format.h"', "no such file")
        self.assert_wrong("base/x.cpp", '#include "../../outside.h"', "outside src/")
        self.assert_wrong("io/x.cpp", "#include <base/result.h>", "with quotes")

    def test_of_the_device_only_the_layout_is_known(self):
        self.assert_right("formats/chrome_json/x.cpp", '#include "lockstep/profile_layout.h"')
        self.assert_wrong("formats/chrome_json/x.cpp", '#include "lockstep/kernel_profiler.h"',
                          "outside src/")
        self.assert_wrong("formats/chrome_json/x.cpp", '#include "lockstep/gone.h"', "no such file")

    def test_only_the_command_line_knows_what_the_host_side_measures(self):
        self.assert_right("cli/x.cpp", '#include "host/overhead.h"')
        self.assert_wrong("cli/x.cpp", '#include "host/session.h"', "outside src/")
        self.assert_wrong("report/x.cpp", '#include "host/overhead.h"', "outside src/")

    def test_cli11_stays_in_one_file(self):
        self.assert_right("cli/options/option_parser.cpp", "#include <CLI/CLI.hpp>")
        self.assert_wrong("cli/x.cpp", "#include <CLI/CLI.hpp>", "only in cli/options/option_parser.cpp")
        self.assert_wrong("cli/options/option_parser.h", "#include <CLI/App.hpp>", "CLI11 may be included only")
        self.assert_wrong("report/x.cpp", "#include <CLI/CLI.hpp>", "CLI11 may be included only")
        self.assert_wrong("base/x.cpp", '#include "CLI/CLI.hpp"', "CLI11 may be included only")

    def test_libxlsxwriter_stays_in_report(self):
        self.assert_right("report/sinks/x.cpp", "#include <xlsxwriter.h>")
        self.assert_wrong("cli/x.cpp", "#include <xlsxwriter.h>", "may be included only in report")

    def test_the_demangler_stays_in_one_file(self):
        self.assert_right("base/demangle.cpp", "#include <llvm/Demangle/ItaniumDemangle.h>")
        self.assert_wrong("base/text.cpp", "#include <llvm/Demangle/Utility.h>", "only in base/demangle.cpp")

    def test_fmt_goes_anywhere(self):
        self.assert_right("algo/x.cpp", "#include <fmt/format.h>")

    def test_an_unknown_folder_fails(self):
        self.assert_wrong("util/x.h", "", "not in the table")
        self.assert_wrong("x.cpp", "", "not in the table")


def main(arguments):
    if arguments == ["--self-test"]:
        unittest.main(argv=[sys.argv[0]])
    if len(arguments) != 1:
        sys.exit(__doc__)
    faults, file_count = check_tree(arguments[0])
    for fault in faults:
        print(fault)
    print(f"{file_count} files, {len(faults)} wrong includes")
    if file_count == 0:
        sys.exit(f"no source files in {arguments[0]}")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main(sys.argv[1:])

#!/usr/bin/env python3
"""Reads every file of src/ and fails where its namespace is not that of its folder.

    namespaces_test.py SRC_FOLDER
    namespaces_test.py --self-test

One namespace a folder: src/io is lockstep::io, src/analysis/cycles is lockstep::analysis::cycles, and so are
the rooms inside it. Two files that never meet can then not give one name to two things.
"""

import re
import sys
import tempfile
import unittest
from pathlib import Path

# How many folders of a path are in the name. What everybody stands on, base, is lockstep itself.
DEPTH = {"base": 0, "io": 1, "trace": 1, "algo": 1, "cli": 1, "formats": 2, "analysis": 2, "report": 2}

OPENING = re.compile(r"^namespace (lockstep[\w:]*) \{", re.MULTILINE)
ALLOWED_MORE = 1  # a file may name a part of its own: lockstep::formats::kernel_profile::lkp
FORWARD = re.compile(r"^namespace lockstep[\w:]* \{\n((?:class|struct|enum class) \w+[^;{]*;\n)+\}", re.MULTILINE)


def namespace_of(place):
    """The namespace of a file, by its path from src/."""
    depth = DEPTH[place.parts[0]]
    return "::".join(("lockstep",) + place.parts[:-1][:depth])


def check_file(src, file):
    place = file.relative_to(src)
    text = FORWARD.sub("", file.read_text(encoding="utf-8", errors="replace"))
    wanted = namespace_of(place)
    for found in OPENING.findall(text):
        more = found.removeprefix(wanted)
        is_own = found.startswith(wanted) and more.count("::") <= ALLOWED_MORE and more[:2] in ("", "::")
        if not is_own:
            return [f"{place}: has namespace {found}, its folder is {wanted}"]
    return []


def check_tree(src):
    src = Path(src).resolve()
    files = sorted(f for f in src.rglob("*") if f.suffix in (".h", ".cpp") and f.is_file())
    return [fault for file in files for fault in check_file(src, file)], len(files)


class PlantedNamespaces(unittest.TestCase):
    def faults_of(self, file, text):
        with tempfile.TemporaryDirectory() as folder:
            planted = Path(folder) / file
            planted.parent.mkdir(parents=True)
            planted.write_text(text)
            return check_tree(folder)[0]

    def test_the_namespace_of_a_folder_passes(self):
        for file, name in [
            ("base/x.h", "lockstep"),
            ("io/x.h", "lockstep::io"),
            ("algo/statistics/x.h", "lockstep::algo"),
            ("analysis/cycles/x.h", "lockstep::analysis::cycles"),
            ("analysis/cycles/nest/x.cpp", "lockstep::analysis::cycles"),
            ("formats/kernel_profile/lkp/x.h", "lockstep::formats::kernel_profile::lkp"),
        ]:
            with self.subTest(file=file):
                self.assertEqual(self.faults_of(file, f"namespace {name} {{\n}}\n"), [])

    def test_another_one_fails(self):
        for file, name in [
            ("base/x.h", "lockstep::base::deep"),
            ("io/x.h", "lockstep"),
            ("analysis/cycles/x.h", "lockstep::analysis"),
            ("analysis/cycles/x.h", "lockstep::analysis::cycles_too"),
            ("report/info/x.h", "lockstep::report::cycles"),
        ]:
            with self.subTest(file=file):
                faults = self.faults_of(file, f"namespace {name} {{\nstruct A {{}};\n}}\n")
                self.assertEqual(len(faults), 1)
                self.assertIn(f"has namespace {name}", faults[0])

    def test_a_forward_declaration_may_name_another(self):
        text = "namespace lockstep::io {\nclass ByteSink;\n}\n\nnamespace lockstep::trace {\n}\n"
        self.assertEqual(self.faults_of("trace/x.h", text), [])


def main(arguments):
    if arguments == ["--self-test"]:
        unittest.main(argv=[sys.argv[0]])
    if len(arguments) != 1:
        sys.exit(__doc__)
    faults, file_count = check_tree(arguments[0])
    for fault in faults:
        print(fault)
    print(f"{file_count} files, {len(faults)} in the wrong namespace")
    if file_count == 0:
        sys.exit(f"no source files in {arguments[0]}")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main(sys.argv[1:])

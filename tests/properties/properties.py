"""Finds the property tests: those that rapidcheck feeds with cases."""

import json
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

FOLDERS = ("src", "tests", "device", "tools")
TEST = re.compile(r"^(TEST|TEST_F|TEST_P|RC_GTEST_PROP|RC_GTEST_FIXTURE_PROP)\(\s*(\w+)\s*,\s*(\w+)", re.MULTILINE)
# What gives a test its cases, in whatever way it is written.
CASES = re.compile(r"\brc::check\s*\(|\bRC_GTEST_(?:FIXTURE_)?PROP\s*\(|\brc::detail::check\w*\s*\(")


@dataclass(frozen=True)
class Property:
    suite: str
    name: str

    @property
    def title(self):
        return f"{self.suite}.{self.name}"

    def is_named(self, test):
        """Of ctest's name: folder/Suite.Name, or folder/Prefix/Suite.Name/Parameter."""
        return re.search(rf"(?:^|/){self.suite}\.{self.name}(?:/|$)", test) is not None


def in_text(text):
    """The properties of a source, and how many of its places that ask for cases are in none."""
    heads = list(TEST.finditer(text))
    found, outside = [], 0
    for place in CASES.finditer(text):
        before = [head for head in heads if head.start() <= place.start()]
        is_inside = before and (before[-1].start() == place.start() or
                                "\n}" not in text[before[-1].end():place.start()])
        if is_inside:
            found.append(Property(before[-1][2], before[-1][3]))
        else:
            outside += 1
    return found, outside


def in_tree(root):
    """The properties of all sources, and the sources that ask for cases outside of a test."""
    found, strays = set(), []
    for folder in FOLDERS:
        for path in sorted((Path(root) / folder).rglob("*")):
            if path.suffix not in (".cpp", ".h", ".cc", ".cu"):
                continue
            properties, outside = in_text(path.read_text())
            found.update(properties)
            if outside:
                strays.append(path)
    return found, strays


def tests_of(build):
    """What ctest knows, by name: the command and the environment of each test."""
    shown = subprocess.run(["ctest", "--test-dir", str(build), "--show-only=json-v1"], capture_output=True, text=True,
                           check=True)
    tests = {}
    for test in json.loads(shown.stdout)["tests"]:
        environment = [p["value"] for p in test.get("properties", []) if p["name"] == "ENVIRONMENT"]
        tests[test["name"]] = (test.get("command", []), environment[0] if environment else [])
    return tests


def known_to_ctest(properties, tests):
    """The tests of each property, by its title; an empty list for one that no program has."""
    named = {}
    for name in tests:
        title = re.search(r"(?:^|/)(\w+\.\w+)(?:/[^/]*)?$", name)
        if title:
            named.setdefault(title[1], []).append(name)
    return {p.title: [name for name in named.get(p.title, []) if p.is_named(name)] for p in properties}

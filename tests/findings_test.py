#!/usr/bin/env python3
"""Every finding that lockstep makes of a whole trace or kernel profile has a row in the docs, with its severity.

Usage: findings_test.py REPOSITORY | --self-test
What readers find stands on the page of their format.
"""
import re
import sys
from pathlib import Path

KIND = re.compile(r'\bDiagnosticKind\s+k\w+\s*=?\s*\{\s*"(\w+)",\s*Severity::k(\w+)')
ROW = re.compile(r"^\| `(\w+)` \| (info|data_loss|error) \|", re.MULTILINE)
SEVERITIES = {"Info": "info", "DataLoss": "data_loss", "Error": "error"}
# The page, and where what it lists is found.
PAGES = {
    "docs/formats/in-kernel.md": ["src/formats/kernel_profile", "src/analysis/kernel_profile"],
    "docs/reference/info.md": ["src/analysis/summary", "src/trace"],
}


def kinds_in(text):
    return {(name, SEVERITIES[severity]) for name, severity in KIND.findall(text)}


def rows_in(page):
    return {row for row in ROW.findall(page) if row[0] not in SEVERITIES.values()}


def differences(page, made):
    listed = rows_in(page)
    return ([f"has no row | `{name}` | {severity} |" for name, severity in sorted(made - listed)] +
            [f"lists `{name}` ({severity}), which nothing finds" for name, severity in sorted(listed - made)])


def check(root):
    found = []
    for page, folders in PAGES.items():
        made = set()
        for folder in folders:
            for source in sorted((root / folder).rglob("*.cpp")):
                if not source.name.endswith("_test.cpp"):
                    made |= kinds_in(source.read_text())
        if not made:
            found.append(f"{page}: nothing is found in {', '.join(folders)}")
        found += [f"{page}: {difference}" for difference in differences((root / page).read_text(), made)]
    return found


def self_test():
    made = kinds_in('const DiagnosticKind kA{"a_kind", Severity::kInfo, ""};\n'
                    'constexpr DiagnosticKind kB = {\n    "b_kind", Severity::kDataLoss, ""};')
    assert made == {("a_kind", "info"), ("b_kind", "data_loss")}, made
    assert differences("| `a_kind` | info | x |\n| `b_kind` | data_loss | y |\n", made) == []
    assert len(differences("| `a_kind` | error | x |\n", made)) == 3


def main():
    if sys.argv[1:] == ["--self-test"]:
        self_test()
        return 0
    found = check(Path(sys.argv[1]))
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

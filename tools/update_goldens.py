#!/usr/bin/env python3
"""Shows how golden cases (tests/cases) differ from what the program does now; with --write, takes it over.

    update_goldens.py PROGRAM [NAME...] [--write]

A name may be a pattern, 'info_*'; where none is given, all cases are looked at.
It never runs in CI: what a case expects is read by a person before it is taken over.
"""

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "cases"))
from golden_case import CASES, CaseError, GoldenCase, chosen_cases, difference  # noqa: E402


def take_over(folder, expected, found):
    for part in expected.keys() - found.keys():
        (folder / part).unlink()
    for part, text in found.items():
        (folder / part).parent.mkdir(parents=True, exist_ok=True)
        (folder / part).write_text(text, "utf-8", newline="")
    for place in sorted((folder / "expected").rglob("*"), reverse=True) + [folder / "expected"]:
        if place.is_dir() and not any(place.iterdir()):
            place.rmdir()


def main(arguments, cases=CASES):
    if os.environ.get("CI"):
        sys.exit("update_goldens.py: the environment has CI set; expectations change by hand alone")
    is_writing = "--write" in arguments
    words = [word for word in arguments if word != "--write"]
    if not words or words[0].startswith("-"):
        sys.exit(__doc__)
    program, *patterns = words
    names = chosen_cases(patterns, cases)
    changed, broken = 0, 0
    for name in names:
        try:
            case = GoldenCase(cases / name)
            expected, found = case.expected(), case.found(program)
        except CaseError as why:
            print(why)
            broken += 1
            continue
        if expected == found:
            continue
        changed += 1
        print(difference(name, expected, found))
        if is_writing:
            take_over(case.folder, expected, found)
    print(f"{changed} of {len(names)} cases differ{': written' if is_writing and changed else ''}")
    return 1 if broken or (changed and not is_writing) else 0


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8")  # what is compared has more than ASCII in it
    sys.exit(main(sys.argv[1:]))

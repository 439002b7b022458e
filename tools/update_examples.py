#!/usr/bin/env python3
"""Writes what the program prints now into the examples of the README and of the reference pages.

Usage: update_examples.py LOCKSTEP. The test that holds them to the letter is tests/cli/readme_test.py. Which lines
of an example are left out is for people to say: those with cuts are named where they do not hold any more.
"""
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "cli"))
from readme_test import EXAMPLE, is_cut, output, pages, shows  # noqa: E402


def updated_example(program, page, found):
    whole, words, shown = found[0], found[1], found[2]
    printed = output(program, words)
    if not is_cut(shown):
        return f"```\n$ lockstep {words}\n{printed}```"
    if not shows(shown, printed):
        print(f"{page}: cut 'lockstep {words}' anew by hand")
    return whole


def main():
    program = os.path.abspath(sys.argv[1])
    for page in pages():
        text = page.read_text("utf-8")
        updated = EXAMPLE.sub(lambda found: updated_example(program, page, found), text)
        if updated != text:
            page.write_text(updated, "utf-8")
            print(f"updated {page}")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Writes what the program prints now into the examples of the README and of the reference pages.

Usage: update_examples.py LOCKSTEP. The test that holds them to the letter is tests/cli/readme_test.py.
"""
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "cli"))
from readme_test import EXAMPLE, output, pages  # noqa: E402


def main():
    program = os.path.abspath(sys.argv[1])
    for page in pages():
        text = page.read_text("utf-8")
        updated = EXAMPLE.sub(
            lambda found: f"```\n$ lockstep {found[1]}\n{output(program, found[1])}```", text)
        if updated != text:
            page.write_text(updated, "utf-8")
            print(f"updated {page}")


if __name__ == "__main__":
    main()

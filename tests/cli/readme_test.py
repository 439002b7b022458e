#!/usr/bin/env python3
"""The README and the reference pages show what the program prints, to the letter."""
import os
import re
import subprocess
import unittest
from pathlib import Path

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
MOST_LINES = 42  # of an example in the README: one screen
EXAMPLE = re.compile(r"```\n\$ lockstep (.*)\n((?:.*\n)*?)```")


def pages():
    return [README, *sorted((ROOT / "docs/reference").glob("*.md"))]


def examples(page):
    """What stands after '$ lockstep', and what is shown below it."""
    return EXAMPLE.findall(page.read_text("utf-8"))


def output(program, words):
    """What the program prints on a terminal of 100 columns."""
    return subprocess.run([program, *words.split()], capture_output=True, cwd=ROOT,
                          env={**os.environ, "COLUMNS": "100"}, check=True, text=True).stdout


def demo_commands():
    """What follows the program's name in the recipe of 'make demo'."""
    recipe = re.search(r"^demo:.*\n((?:\t.*\n)+)", (ROOT / "Makefile").read_text(), re.MULTILINE)
    return [line.strip().removeprefix("build/release/lockstep ")
            for line in recipe.group(1).splitlines()]


class Pages(unittest.TestCase):
    def test_show_the_real_output_of_their_examples(self):
        program = os.path.abspath(os.environ["LOCKSTEP_PROGRAM"])
        shown_by = {page: examples(page) for page in pages()}
        self.assertTrue(shown_by[ROOT / "docs/reference/info.md"])
        for page, blocks in shown_by.items():
            for words, shown in blocks:
                with self.subTest(page=page.name, words=words):
                    self.assertEqual(output(program, words), shown, "see tools/update_examples.py")


class Readme(unittest.TestCase):
    def test_has_one_short_example(self):
        ((_, shown),) = examples(README)
        self.assertLessEqual(shown.count("\n"), MOST_LINES)

    def test_shows_what_the_demo_runs(self):
        ((words, _),) = examples(README)
        self.assertIn(words, demo_commands())

    def test_names_every_command(self):
        help_text = subprocess.run([os.environ["LOCKSTEP_PROGRAM"], "help"], capture_output=True,
                                   check=True, text=True).stdout
        commands = re.findall(r"^  ([a-z]+)  ", help_text, re.MULTILINE)
        self.assertTrue(commands)
        for command in commands:
            self.assertIn(f"`lockstep {command} ", README.read_text("utf-8"))


if __name__ == "__main__":
    unittest.main(verbosity=2)

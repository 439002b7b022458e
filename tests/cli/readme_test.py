#!/usr/bin/env python3
"""The README and the reference pages show what the program prints, to the letter."""
import os
import re
import subprocess
import unittest
from pathlib import Path

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
MOST_LINES = 75  # of the README: one screen
EXAMPLE = re.compile(r"```\n\$ lockstep (.*)\n((?:.*\n)*?)```")
CUT = "..."  # as a line of its own: lines are left out here


def pages():
    return [README, *sorted((ROOT / "docs/reference").glob("*.md"))]


def examples(page):
    """What stands after '$ lockstep', and what is shown below it."""
    return EXAMPLE.findall(page.read_text("utf-8"))


def output(program, words):
    """What the program prints on a terminal of 100 columns."""
    return subprocess.run([program, *words.split()], capture_output=True, cwd=ROOT,
                          env={**os.environ, "COLUMNS": "100"}, check=True, text=True).stdout


def is_cut(shown):
    return CUT in shown.splitlines()


def shows(shown, printed):
    """Whether all of what is shown is printed, in its order, and all of what is left out is marked as cut."""
    lines = [re.escape(line + "\n") if line != CUT else "(?:.*\n)+?" for line in shown.splitlines()]
    return re.fullmatch("".join(lines), printed) is not None


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
                    printed = output(program, words)
                    if not shows(shown, printed):
                        self.assertEqual(printed, shown, "see tools/update_examples.py")


class Cuts(unittest.TestCase):
    def test_stand_for_one_line_or_more(self):
        self.assertTrue(shows("a\n...\nd\n", "a\nb\nc\nd\n"))
        self.assertTrue(shows("...\nb\n...\n", "a\nb\nc\n"))
        self.assertFalse(shows("a\n...\nb\n", "a\nb\n"))

    def test_are_the_only_place_where_lines_may_be_missing(self):
        self.assertFalse(shows("a\nc\n", "a\nb\nc\n"))
        self.assertFalse(shows("a\n...\nc\n", "a\nb\nc\nd\n"))
        self.assertFalse(shows("b\n...\n", "a\nb\nc\n"))

    def test_leave_the_order_and_the_letters_of_what_is_shown(self):
        self.assertFalse(shows("...\nc\n...\nb\n...\n", "a\nb\nx\nc\nd\n"))
        self.assertFalse(shows("a\n...\nD\n", "a\nb\nc\nd\n"))
        self.assertTrue(shows("a<...> (x)\n", "a<...> (x)\n"))


class Readme(unittest.TestCase):
    def test_is_one_screen(self):
        self.assertLessEqual(README.read_text("utf-8").count("\n"), MOST_LINES)

    def test_shows_loops_idle_time_and_a_comparison(self):
        self.assertEqual([words.split()[0] for words, _ in examples(README)],
                         ["cycles", "anomalies", "compare"])

    def test_shows_what_the_demo_runs(self):
        for words, _ in examples(README)[:2]:
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

#!/usr/bin/env python3
"""The README shows what the program prints, to the letter."""
import os
import re
import subprocess
import unittest

ROOT = os.path.join(os.path.dirname(__file__), "../..")


class Readme(unittest.TestCase):
    def test_shows_the_real_output_of_its_examples(self):
        with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as file:
            examples = re.findall(r"```\n\$ lockstep (.*)\n((?:.*\n)*?)```", file.read())
        self.assertGreater(len(examples), 1, "no examples with '$ lockstep' in README.md")
        program = os.path.abspath(os.environ["LOCKSTEP_PROGRAM"])
        for words, shown in examples:
            with self.subTest(words=words):
                result = subprocess.run([program, *words.split()], capture_output=True, cwd=ROOT,
                                        env={**os.environ, "COLUMNS": "100"}, check=True,
                                        text=True)
                self.assertEqual(result.stdout, shown)

    def test_names_every_command(self):
        with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as file:
            readme = file.read()
        help_text = subprocess.run([os.environ["LOCKSTEP_PROGRAM"], "help"], capture_output=True,
                                   check=True, text=True).stdout
        commands = re.findall(r"^  ([a-z]+)  ", help_text, re.MULTILINE)
        self.assertTrue(commands)
        for command in commands:
            self.assertIn(f"`lockstep {command} ", readme)


if __name__ == "__main__":
    unittest.main(verbosity=2)

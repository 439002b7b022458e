#!/usr/bin/env python3
"""`--markdown FILE`: the report of a command as a file, beside what it prints. `anomalies` has tests of its own."""

import json
import os
import re
from typing import NamedTuple

import kernel_file
from cli_test_case import CliTestCase, main
from loop_trace import loop_trace


class Command(NamedTuple):
    words: list
    inputs: list
    heading: str  # the first line of the file
    row: str  # how a row of a table there begins

    def line(self):
        return [*self.words, *self.inputs]


class Markdown(CliTestCase):
    def setUp(self):
        super().setUp()
        self.out = self.folder / "report.md"
        self.environment = {**os.environ, "COLUMNS": "100", "LOCKSTEP_LIBCUDA": os.environ["LOCKSTEP_FAKE_CUDA"]}

    def commands(self):
        small = self.small_trace()
        loop = self.write("loop.json", loop_trace())
        slow = self.write("slow.json", loop_trace(slow={"rope_kernel": 30}))
        kernel = self.write("a.lkp", kernel_file.pipeline())
        return [
            Command(["info"], [small], "# What the trace holds",
                    "| 2 | 200.000 us | 57.2 % | 100.000 us | 100.000 us | 100.000 us | gemm |"),
            Command(["cycles"], [loop], "# Loops of the trace",
                    "| layer | 6 x 8 | 1 | 200.000 us | 45.0 % | 55.0 % | 98.0 % | exact | only fit |"),
            Command(["compare"], [loop, slow], "# What changed from A to B",
                    "| \\* | +20.000 us | +196.1 % | 10.200 us | 30.200 us | 1 | same | rope_kernel |"),
            Command(["kernel", "decode"], [kernel], "# Inside the kernel",
                    "| store | 2 | 157.5 ns | 78.8 ns | 86.6 ns | 70.0 ns | 87.5 ns | 6.3 % | 2 |"),
            Command(["kernel", "overhead"], [], "# What a marker costs", "| shared |"),
        ]

    def test_is_written_beside_the_text_which_stays_as_it_is(self):
        for one in self.commands():
            with self.subTest(one.words):
                text = self.succeed(*one.line(), env=self.environment)
                self.assertEqual(self.succeed(*one.line(), "--markdown", self.out, env=self.environment),
                                 f"{text}\nwrote {self.out}\n")
                report = self.out.read_text("utf-8")
                self.assertEqual(report.splitlines()[0], one.heading)
                self.assertIn(f"\n{one.row}", report)

    def test_every_table_has_as_many_cells_in_each_row(self):
        for one in self.commands():
            with self.subTest(one.words):
                self.succeed(*one.line(), "--markdown", self.out, env=self.environment)
                tables = re.findall(r"(?:^\|.*\|\n)+", self.out.read_text("utf-8"), re.MULTILINE)
                self.assertNotEqual(tables, [])
                for table in tables:
                    cells = {len(re.findall(r"(?<!\\)\|", line)) for line in table.splitlines()}
                    self.assertEqual(len(cells), 1, table)

    def test_json_stays_alone_on_standard_output(self):
        for one in self.commands():
            with self.subTest(one.words):
                printed = self.succeed(*one.line(), "--json", env=self.environment)
                beside = self.succeed(*one.line(), "--json", "--markdown", self.out, env=self.environment)
                self.assertEqual(beside, printed)
                json.loads(beside)
                self.assertTrue(self.out.read_text("utf-8").startswith(one.heading + "\n"))

    def test_names_that_are_no_file(self):
        for one in self.commands():
            with self.subTest(one.words):
                for name, sentence in [
                        ("-", "--markdown cannot go to standard output, where the report goes. Name a file"),
                        ("", "the name after --markdown is empty")]:
                    self.fails_with(2, sentence, *one.line(), "--markdown", name, env=self.environment)

    def test_places_that_cannot_be_written(self):
        for one in self.commands():
            with self.subTest(one.words):
                before = self.names_in_folder()
                self.fails_with(3, "cannot be written: No such file or directory", *one.line(), "--markdown",
                                self.folder / "missing/report.md", env=self.environment)
                self.fails_with(3, "is a directory. Name a file", *one.line(), "--markdown", self.folder,
                                env=self.environment)
                self.assertEqual(self.names_in_folder(), before)

    def test_inputs_stay(self):
        for one in self.commands():
            with self.subTest(one.words):
                for path in one.inputs:
                    before = path.read_bytes()
                    self.fails_with(2, f"the output '{path}' is an input. Choose another name with --markdown",
                                    *one.line(), "--markdown", path, env=self.environment)
                    self.assertEqual(path.read_bytes(), before)

    def test_nothing_is_left_behind_where_reading_fails(self):
        for one in self.commands():
            with self.subTest(one.words):
                if not one.inputs:
                    continue
                gone = [*one.line()[:-1], self.folder / "none"]
                self.fails_with(3, "none: ", *gone, "--markdown", self.out)
                self.assertFalse(self.out.exists())

    def test_needs_a_name_of_its_own(self):
        kernel = self.write("a.lkp", kernel_file.pipeline())
        for command in (["kernel", "decode", kernel], ["kernel", "overhead"]):
            self.fails_with(2, f"--markdown and -o name the same file, '{self.out}'", *command,
                            "-o", self.out, "--markdown", self.out, env=self.environment)


if __name__ == "__main__":
    main()

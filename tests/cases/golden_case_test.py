"""The runner and the updater of golden cases, on cases of a program that is no more than a script."""

import contextlib
import io
import os
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path
from unittest import mock

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "tools")]

import golden_case  # noqa: E402
import run_cases  # noqa: E402
import update_goldens  # noqa: E402
from text_of_output import cells_of  # noqa: E402

PROGRAM = """#!/bin/sh
case $1 in
say) echo "$2" ;;
fail) echo "lockstep: $2" >&2; exit 3 ;;
copy) cat "$2" > "$3" ;;
remove) rm "$2" ;;
esac
"""


class GoldenCaseTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.cases = Path(folder.name) / "cases"
        self.program = Path(folder.name) / "program"
        self.program.write_text(PROGRAM)
        self.program.chmod(0o755)
        environment = mock.patch.dict(os.environ)
        environment.start()
        self.addCleanup(environment.stop)
        os.environ.pop("CI", None)

    def case(self, command, parts=None):
        for part, text in {"command": command + "\n", **(parts or {})}.items():
            path = self.cases / "a_case" / part
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    def called(self, main, *words):
        """The exit code and what was printed."""
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            try:
                code = main([str(self.program), *words], self.cases)
            except SystemExit as why:
                code = why.code
        return code, printed.getvalue()

    def passes(self):
        self.assertEqual(self.called(run_cases.main), (0, "1 of 1 cases are as expected\n"))

    def fails_with(self, sentence, *names):
        code, printed = self.called(run_cases.main, *names)
        self.assertEqual(code, 1, printed)
        self.assertIn(sentence, printed)


class Runner(GoldenCaseTest):
    def test_passes_where_all_is_as_expected(self):
        self.case("lockstep say hello\nlockstep copy in.txt out.txt",
                  {"input/in.txt": "x\n", "expected.txt": "hello\n", "expected/out.txt": "x\n"})
        self.passes()

    def test_a_wrong_expectation_fails_with_a_diff_and_the_command_to_update(self):
        self.case("lockstep say hello", {"expected.txt": "goodbye\n"})
        self.fails_with("--- a_case/expected.txt\n+++ a_case/expected.txt as it is now\n"
                        "@@ -1 +1 @@\n-goodbye\n+hello\n")
        self.fails_with(f"\n  tools/update_goldens.py {self.program} a_case --write\n")

    def test_a_wrong_line_end_fails(self):
        self.case("lockstep say hello", {"expected.txt": "hello"})
        self.fails_with("a_case/expected.txt: 'hello' is 'hello\\n' now\n")

    def test_nothing_is_an_expectation_too(self):
        self.case("true", {"expected.txt": ""})
        self.passes()

    def test_standard_error_and_exit_code_are_compared_apart(self):
        self.case("lockstep fail badly", {"expected.err": "lockstep: badly\n", "expected.exit": "3\n"})
        self.passes()
        self.case("lockstep fail well")
        self.fails_with("-lockstep: badly\n+lockstep: well\n")
        self.case("lockstep fail badly", {"expected.exit": "2\n"})
        self.fails_with("-2\n+3\n")

    def test_the_first_command_that_fails_ends_the_case(self):
        self.case("lockstep fail badly\nlockstep say hello",
                  {"expected.err": "lockstep: badly\n", "expected.exit": "3\n"})
        self.passes()

    def test_an_output_that_is_not_expected_fails(self):
        self.case("lockstep say hello\nlockstep copy in.txt out.txt",
                  {"input/in.txt": "x\n", "expected.txt": "hello\n"})
        self.fails_with("--- nothing expected\n+++ a_case/expected/out.txt as it is now\n@@ -0,0 +1 @@\n+x\n")

    def test_an_output_that_is_missing_fails(self):
        self.case("lockstep say hello", {"expected.txt": "hello\n", "expected/out.txt": "x\n"})
        self.fails_with("--- a_case/expected/out.txt\n+++ nothing there now\n")

    def test_an_input_that_changed_is_an_output(self):
        self.case("lockstep copy b.txt a.txt", {"input/a.txt": "a\n", "input/b.txt": "b\n", "expected.txt": ""})
        self.fails_with("+++ a_case/expected/a.txt as it is now\n@@ -0,0 +1 @@\n+b\n")
        self.assertEqual((self.cases / "a_case/input/a.txt").read_text(), "a\n")

    def test_an_input_that_went_away_fails(self):
        self.case("lockstep remove in.txt", {"input/in.txt": "x\n", "expected.txt": ""})
        self.fails_with("a_case: the command removed in.txt\n")

    def test_a_path_of_this_machine_fails(self):
        self.case("lockstep say $PWD", {"expected.txt": "/tmp\n"})
        self.fails_with("a_case: expected.txt would hold a path of this machine, ")

    def test_a_binary_output_that_nothing_can_show_fails(self):
        self.case("printf '\\377' > out.bin", {"expected.txt": ""})
        self.fails_with("a_case: the command wrote out.bin, which is binary; teach tests/cases/text_of_output.py")

    def test_a_script_makes_input_with_the_writers_of_other_tests(self):
        script = "import write_kineto, loop_trace\nopen('in.txt', 'w').write(write_kineto.FORMAT)\n"
        self.case("lockstep copy in.txt out.txt", {"make_input.py": script, "expected/out.txt": "kineto"})
        self.passes()
        self.case("lockstep copy in.txt out.txt", {"make_input.py": "import no_such_module\n"})
        self.fails_with("a_case: make_input.py ended with 1\n")


    def test_a_command_that_does_not_end_fails(self):
        self.case("exec sleep 60", {"expected.txt": ""})
        with mock.patch.object(golden_case, "SECONDS", 0.1):
            self.fails_with("a_case: the command did not end within 0.1 s\n")

    def test_a_program_that_is_missing_is_told(self):
        self.case("lockstep say hello", {"expected.txt": "hello\n"})
        self.program.unlink()
        self.fails_with(f"a_case: there is no program {self.program}\n")


class WhatIsNoCase(GoldenCaseTest):
    def test_a_folder_without_a_command(self):
        self.case("", {"expected.txt": "hello\n"})
        (self.cases / "a_case/command").unlink()
        for names in ([], ["a_*"], ["a_case"]):
            self.fails_with("a_case: has no file 'command' with what to run\n", *names)

    def test_a_case_without_expectations(self):
        self.case("lockstep say hello")
        self.fails_with("a_case: nothing is expected; write what the program prints now and read it:\n"
                        f"  tools/update_goldens.py {self.program} a_case --write\n")

    def test_a_misspelt_part(self):
        self.case("lockstep say hello", {"expectd.txt": "hello\n"})
        self.fails_with("a_case: 'expectd.txt' is no part of a case; those are command, input, ")

    def test_a_misspelt_name(self):
        self.case("lockstep say hello", {"expected.txt": "hello\n"})
        self.fails_with("a_csae: no such case; did you mean a_case?\n", "a_csae")

    def test_a_pattern_chooses_several_and_one_that_fits_none_is_told(self):
        self.case("lockstep say hello", {"expected.txt": "hello\n"})
        self.assertEqual(self.called(run_cases.main, "a_*"), (0, "1 of 1 cases are as expected\n"))
        self.fails_with("b_*: no such case", "a_*", "b_*")

    def test_no_case_at_all_is_no_pass(self):
        self.assertEqual(self.called(run_cases.main)[0], 1)


class Updater(GoldenCaseTest):
    def test_shows_the_difference_and_writes_nothing_unless_told(self):
        self.case("lockstep say hello", {"expected.txt": "goodbye\n"})
        code, printed = self.called(update_goldens.main)
        self.assertEqual(code, 1)
        self.assertIn("-goodbye\n+hello\n1 of 1 cases differ\n", printed)
        self.assertEqual((self.cases / "a_case/expected.txt").read_text(), "goodbye\n")

    def test_writes_what_there_is_and_removes_what_there_is_no_more(self):
        self.case("lockstep say hello\nlockstep copy in.txt out.txt",
                  {"input/in.txt": "x\n", "expected.err": "gone\n", "expected/old/gone.txt": "gone\n"})
        code, printed = self.called(update_goldens.main, "a_case", "--write")
        self.assertEqual(code, 0)
        self.assertTrue(printed.endswith("1 of 1 cases differ: written\n"), printed)
        found = sorted(str(p.relative_to(self.cases)) for p in self.cases.rglob("*") if p.is_file())
        self.assertEqual(found, ["a_case/command", "a_case/expected.txt", "a_case/expected/out.txt",
                                 "a_case/input/in.txt"])
        self.passes()

    def test_refuses_to_run_in_ci(self):
        self.case("lockstep say hello")
        os.environ["CI"] = "true"
        code, printed = self.called(update_goldens.main, "--write")
        self.assertEqual(code, "update_goldens.py: the environment has CI set; expectations change by hand alone")
        self.assertFalse((self.cases / "a_case/expected.txt").exists())

    def test_wants_a_program(self):
        done = subprocess.run([sys.executable, update_goldens.__file__], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("update_goldens.py PROGRAM [NAME...] [--write]", done.stderr)


class Workbooks(GoldenCaseTest):
    def test_cells_have_a_line_each(self):
        main = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
        path = self.program.with_name("book.xlsx")
        with zipfile.ZipFile(path, "w") as book:
            book.writestr("xl/sharedStrings.xml", f"<sst {main}><si><t>name</t></si></sst>")
            book.writestr("xl/workbook.xml", f'<workbook {main}><sheets><sheet name="One"/></sheets></workbook>')
            book.writestr("xl/worksheets/sheet1.xml",
                          f'<worksheet {main}><sheetData><row><c r="A1" t="s"><v>0</v></c><c r="B1"><v>7.5</v></c>'
                          "</row></sheetData></worksheet>")
        self.assertEqual(cells_of(path), "sheet One\nA1 name\nB1 7.5\n")


if __name__ == "__main__":
    unittest.main()

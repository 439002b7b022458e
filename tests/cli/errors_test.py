"""Every sentence for a command line or an input that cannot be used, and its exit code."""

import gzip
import json
import os
import resource
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from cli_test_case import PROGRAM, CliTestCase, kineto, main, small_events

NOBODY = 65534


class CommandLine(CliTestCase):
    def test_version_is_told(self):
        self.assertEqual(self.succeed("--version"), "lockstep 0.1.0\n")

    def test_help_lists_the_commands(self):
        for words in [["help"], ["--help"], ["-h"]]:
            text = self.succeed(*words)
            self.assertIn("info", text)
            self.assertIn("convert", text)

    def test_help_of_a_command_shows_options_and_an_example(self):
        for command, option in [("info", "--top N"), ("convert", "-o, --output OUTPUT"),
                                ("cycles", "--annotate OUT"), ("compare", "--xlsx FILE")]:
            text = self.succeed(command, "--help")
            self.assertEqual(text, self.succeed("help", command))
            self.assertIn(option, text)
            self.assertIn("Examples:", text)
            self.assertLess(max(map(len, text.splitlines())), 101)

    def test_command_is_required(self):
        self.fails_with(2, "a command is missing")

    def test_misspelt_command_is_guessed(self):
        self.assertEqual(self.fails_with(2, "", "inof"),
                         "lockstep: no command 'inof'; did you mean 'info'?\n")
        self.fails_with(2, "did you mean 'convert'?", "covert", "a.json")
        self.fails_with(2, "did you mean 'convert'?", "help", "conver")

    def test_unknown_command_points_to_help(self):
        self.fails_with(2, "no command 'frobnicate'; see 'lockstep help'", "frobnicate")

    def test_misspelt_option_is_guessed(self):
        self.assertEqual(self.fails_with(2, "", "info", "--jsno", "a.json"),
                         "lockstep: info has no option '--jsno'; did you mean '--json'?\n")
        self.fails_with(2, "did you mean '--top'?", "info", "--tpo=5", "a.json")
        self.fails_with(2, "did you mean '--version'?", "--verson")

    def test_unknown_option_points_to_help(self):
        self.fails_with(2, "see 'lockstep info --help'", "info", "--frobnicate", "a.json")
        self.fails_with(2, "info has no option '-x'; see", "info", "-x", "a.json")

    def test_missing_words_are_told(self):
        self.fails_with(2, "info needs a trace", "info")
        self.fails_with(2, "convert needs a trace", "convert", "-o", "a.json")
        self.fails_with(2, "cycles needs a trace", "cycles")
        self.fails_with(2, "convert needs -o OUTPUT", "convert", "a.json")
        self.fails_with(2, "--top needs a value", "info", "a.json", "--top")

    def test_option_that_is_given_again_is_told(self):
        self.assertEqual(self.fails_with(2, "", "info", "a.json", "--markdown", "a", "--markdown", "b"),
                         "lockstep: info: --markdown is given more than once. See 'lockstep info --help'\n")
        self.fails_with(2, "convert: --output is given more than once", "convert", "a.json", "-o", "a", "--output=b")

    def test_number_that_is_none_is_told(self):
        for word in ["many", "-1", "1.5", "99999999999"]:
            self.fails_with(2, f"'{word}' is not a number of kernels", "info", f"--top={word}", "a.json")

    def test_standard_input_is_given_once(self):
        self.fails_with(2, "- (standard input) can be given only once", "info", "-", "-", input=b"")

    def test_empty_name_is_told(self):
        self.fails_with(2, "the name of an input is empty", "info", "")
        self.fails_with(2, "the name of an input is empty", "info", "a.json", "")
        self.fails_with(2, "the name of an input is empty", "convert", "", "-o", "a.json")

    def test_two_forms_of_output_exclude_each_other(self):
        self.fails_with(2, "--json and --csv", "info", "--json", "--csv", "a.json")


class UnusableInput(CliTestCase):
    def refuse(self, sentence, path):
        """Both commands refuse; the name of the input is told."""
        message = self.fails_with(3, sentence, "info", path)
        self.assertIn(os.path.basename(path), message)
        out = self.folder / "out.pftrace"
        self.fails_with(3, sentence, "convert", path, "-o", out)
        self.assertFalse(out.exists())

    def test_missing_file(self):
        self.refuse("no such file", self.folder / "gone.json")

    def test_empty_file(self):
        self.refuse("is empty", self.write("empty.json", ""))

    def test_empty_pipe(self):
        self.fails_with(3, "standard input: is empty", "info", "-", input=b"")

    def test_empty_file_in_gzip(self):
        self.refuse("is empty", self.write("empty.json.gz", gzip.compress(b"")))

    def test_text_that_is_not_json(self):
        self.refuse("is not a trace in a known format", self.write("a.txt", "hello, world\n"))

    def test_bytes_that_are_nothing_known(self):
        self.refuse("is not a trace in a known format",
                    self.write("a.bin", bytes(range(128, 256)) * 10))

    def test_bytes_under_the_name_of_a_trace(self):
        self.refuse("is named like a trace and does not begin like one. It may be damaged at its "
                    "start, cut off, or a file of another program",
                    self.write("a.json", bytes(range(256))))

    def test_json_that_is_no_trace(self):
        self.refuse("is JSON but holds no trace events",
                    self.write("a.json", json.dumps({"name": "lockstep", "version": [1, 2]})))

    def test_execution_graph_with_the_name_of_a_trace(self):
        graph = {"schema": "1.0.1", "pid": 7, "time": "2022-09-28 15:32:10", "start_ts": 1,
                 "nodes": [{"name": "[pytorch|profiler|execution_graph|thread]", "id": 2, "rf_id": 0,
                            "parent": 1, "inputs": [], "outputs": []}]}
        self.refuse("execution graph", self.write("rank0.pt.trace.json", json.dumps(graph)))

    def test_directory_without_traces(self):
        self.write("notes.txt", "nothing here")
        self.fails_with(3, "holds no traces", "info", self.folder)

    def test_more_than_fits_in_memory(self):
        def limit_memory():
            resource.setrlimit(resource.RLIMIT_AS, (80 << 20, 80 << 20))

        if self.run_lockstep("--version", preexec_fn=limit_memory).returncode != 0:
            self.skipTest("this build needs more memory to start (a sanitizer)")
        events = ",".join(f'{{"ph":"X","name":"op{i}","pid":1,"tid":1,"ts":{i},"dur":1}}'
                          for i in range(1_000_000))
        trace = self.write("large.json", f'{{"traceEvents":[{events}]}}')
        self.fails_with(3, "there is not enough memory for this input", "info", trace,
                        preexec_fn=limit_memory)

    @unittest.skipIf(os.name != "posix", "needs permissions")
    def test_file_without_read_permission(self):
        trace = self.small_trace()
        trace.chmod(0)
        done = self.run_without_privileges("info", trace)
        self.assertEqual(done.returncode, 3)
        self.assertIn("no permission to read", done.stderr.decode())
        self.assertEqual(done.stdout, b"")

    def run_without_privileges(self, *arguments):
        if os.geteuid() != 0:
            return self.run_lockstep(*arguments)
        # root reads everything, so somebody else has to try, with a program that he can reach.
        self.folder.chmod(0o755)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        Path(folder.name).chmod(0o755)
        program = Path(folder.name) / "lockstep"
        shutil.copy(PROGRAM, program)
        try:
            return subprocess.run([program, *map(str, arguments)], capture_output=True, check=False,
                                  timeout=120, user=NOBODY, cwd="/")
        except OSError as error:
            self.skipTest(f"no program can be run as another user here: {error}")

    def closed_folder(self, name, files):
        """A folder below that of the test that nobody but root can list."""
        folder = self.folder / name
        folder.mkdir(parents=True)
        for file in files:
            self.write(f"{name}/{file}", kineto(small_events()))
        folder.chmod(0)
        self.addCleanup(folder.chmod, 0o755)
        return folder

    @unittest.skipIf(os.name != "posix", "needs permissions")
    def test_sub_folder_without_permission_is_named_and_is_data_loss(self):
        (self.folder / "run").mkdir()
        self.small_trace("run/open.json")
        closed = self.closed_folder("run/closed", ["rank1.json"])
        done = self.run_without_privileges("info", "--json", self.folder / "run")
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        lost = [d for d in json.loads(done.stdout)["diagnostics"] if d["kind"] == "unreadable_folder"]
        self.assertEqual([(d["severity"], d["count"]) for d in lost], [("data_loss", 1)])
        self.assertIn(f"{closed}: no permission to list this folder", lost[0]["text"])
        done = self.run_without_privileges("info", "--json", "--strict", self.folder / "run")
        self.assertEqual(done.returncode, 3)

    @unittest.skipIf(os.name != "posix", "needs permissions")
    def test_file_of_a_directory_without_permission_is_named_and_is_data_loss(self):
        (self.folder / "run").mkdir()
        self.small_trace("run/open.json")
        closed = self.small_trace("run/rank1.json")
        closed.chmod(0)
        done = self.run_without_privileges("info", "--json", "--strict", self.folder / "run")
        self.assertEqual(done.returncode, 3)
        lost = [d for d in json.loads(done.stdout)["diagnostics"] if d["kind"] == "unreadable_file"]
        self.assertIn(f"{closed}: no permission to read this file", lost[0]["text"])

    @unittest.skipIf(os.name != "posix", "needs permissions")
    def test_folder_that_cannot_be_seen_is_not_said_to_be_empty(self):
        closed = self.closed_folder("closed", ["rank0.json"])
        done = self.run_without_privileges("info", closed)
        self.assertEqual((done.returncode, done.stdout), (3, b""))
        self.assertEqual(done.stderr.decode(),
                         f"lockstep: {closed}: no permission to list this folder. Check its mode and owner\n")
        done = self.run_without_privileges("info", self.folder)
        self.assertEqual((done.returncode, done.stdout), (3, b""))
        self.assertIn(f"{self.folder}: holds no traces that can be read", done.stderr.decode())
        self.assertIn(f"{closed}: no permission to list this folder", done.stderr.decode())


if __name__ == "__main__":
    main()

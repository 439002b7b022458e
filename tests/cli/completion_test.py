"""What bash completes after `lockstep`, by running the completion that is installed."""
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

TREE = Path(__file__).resolve().parents[2]
SCRIPT = TREE / "completions" / "lockstep.bash"

# As bash calls it: the words typed so far, the last one at the cursor. '=' is a word of its own.
DRIVER = """
source "$0"
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
complete -p lockstep | grep -q -- '-F _lockstep' || exit 9
_lockstep
((${#COMPREPLY[@]})) && printf '%s\\n' "${COMPREPLY[@]}"
exit 0
"""


class Completion(unittest.TestCase):
    def completed(self, *words, folder=TREE):
        run = subprocess.run(["bash", "--norc", "-c", DRIVER, SCRIPT, "lockstep", *words],
                             capture_output=True, text=True, cwd=folder, timeout=60)
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        return run.stdout.split("\n")[:-1]

    def test_commands_are_completed(self):
        self.assertEqual(self.completed("c"), ["convert", "cycles", "compare"])
        self.assertEqual(self.completed("--"), ["--help", "--version"])
        self.assertIn("anomalies", self.completed("help", ""))

    def test_every_command_of_the_program_is_completed(self):
        listed = subprocess.run([os.environ["LOCKSTEP_PROGRAM"], "help"], capture_output=True, text=True,
                                check=True, timeout=60).stdout
        commands = [line.split()[0] for line in listed.split("Commands:\n")[1].split("\n\n")[0].splitlines()]
        self.assertGreaterEqual(len(commands), 6)
        for command in commands:
            self.assertIn(command, self.completed(command))

    def test_commands_of_a_family_are_completed(self):
        self.assertEqual(self.completed("kernel", ""), ["decode", "overhead", "--help"])
        self.assertEqual(self.completed("kernel", "d"), ["decode"])

    def test_options_are_those_of_the_command(self):
        self.assertEqual(self.completed("info", "--"), ["--help", "--json", "--csv", "--markdown", "--top", "--full-names", "--strict", "--quiet"])
        self.assertEqual(self.completed("kernel", "decode", "x.lkp", "--no"), ["--no-regions"])
        self.assertEqual(self.completed("kernel", "overhead", "--j"), ["--json"])
        self.assertEqual(self.completed("info", "--annot"), [])

    def test_words_of_a_value_are_completed(self):
        self.assertEqual(self.completed("cycles", "--method", ""), ["repetitions", "anchor"])
        self.assertEqual(self.completed("cycles", "--mode", "=", "pre"), ["prefill"])
        self.assertEqual(self.completed("cycles", "--mode", "="), ["auto", "prefill", "decode"])
        self.assertEqual(self.completed("convert", "--to", "p"), ["perfetto"])
        self.assertEqual(self.completed("anomalies", "--fail-on", ""), ["P0", "P1", "P2", "P3"])
        self.assertEqual(self.completed("kernel", "decode", "--format", "flashinfer-"), ["flashinfer-old"])

    def test_files_and_folders_are_completed(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "a trace.json").touch()
            (Path(folder) / "a folder").mkdir()
            self.assertEqual(sorted(self.completed("info", "a", folder=folder)), ["a folder", "a trace.json"])
            self.assertEqual(sorted(self.completed("convert", "-o", "a", folder=folder)), ["a folder", "a trace.json"])
            self.assertEqual(self.completed("cycles", "--csv", "a", folder=folder), ["a folder"])

    def test_a_value_that_only_the_user_knows_is_not_guessed(self):
        self.assertEqual(self.completed("info", "--top", ""), [])
        self.assertEqual(self.completed("anomalies", "--threshold", ""), [])


if __name__ == "__main__":
    unittest.main()

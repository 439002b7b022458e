"""What the tests of shortage share: inputs of every format, commands, and the one expectation.

A run that is short of something ends as if it were not (what failed was not needed), or with exit 3
and a sentence about memory or threads, and leaves neither an output nor a temporary file. (Outputs
that are whole, all of them, may stay where only the line about them could not be printed.) It never
ends by a signal, never with another code, never with another answer, and it ends.

    LOCKSTEP_PROGRAM        the program under test
    LOCKSTEP_TRACEGEN       the generator of traces
    LOCKSTEP_SHORTAGE_SHIM  the library that makes allocations and threads fail
    LOCKSTEP_SANITIZED      set where the program is built with a sanitizer
    LOCKSTEP_FAULTS         "all" for the long sweeps of `make faults`
"""

import gzip
import importlib
import os
import random
import shutil
import subprocess
import sys
import tempfile
import unittest
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
for folder in ("cli", "workload"):
    sys.path.insert(0, str(HERE.parent.parent / folder))

from workload import scripted  # noqa: E402

PROGRAM = os.environ.get("LOCKSTEP_PROGRAM", "")
TRACEGEN = os.environ.get("LOCKSTEP_TRACEGEN", "")
SHIM = os.environ.get("LOCKSTEP_SHORTAGE_SHIM", "")
IS_SANITIZED = bool(os.environ.get("LOCKSTEP_SANITIZED"))
IS_LONG = os.environ.get("LOCKSTEP_FAULTS") == "all"
TIMEOUT_S = 30


@dataclass(frozen=True)
class Command:
    """Words with names of inputs in braces; outputs are names in the folder where it runs."""

    name: str
    words: str
    outputs: tuple = ()
    stdin: str = ""


COMMANDS = [
    Command("info_json", "info {json}"),
    Command("info_gzip", "info --json {gz}"),
    Command("info_zstd", "info --json {zst}"),
    Command("info_standard_input", "info --json -", stdin="json"),
    Command("info_sqlite", "info {rocpd}"),
    Command("info_sqlite_standard_input", "info --csv -", stdin="rocpd"),
    Command("info_nsys", "info {nsys}"),
    Command("info_xspace", "info {xspace}"),
    Command("info_perfetto", "info {perfetto}"),
    Command("info_ascend", "info {ascend_text}"),
    Command("info_ascend_db", "info {ascend_db}"),
    Command("info_rocprofv1", "info {rocprofv1}"),
    Command("info_rocprofv3", "info {rocprofv3}"),
    Command("info_rpd", "info {rpd}"),
    Command("info_directory", "info {run}"),
    Command("cycles", "cycles {gz}"),
    Command("cycles_files", "cycles --json {gz} --csv out --xlsx out.xlsx --annotate out.pb.gz",
            ("out", "out.xlsx", "out.pb.gz")),
    Command("compare", "compare {gz} {other} --csv out.csv --xlsx out.xlsx", ("out.csv", "out.xlsx")),
    Command("compare_json", "compare --json {gz} {other}"),
    Command("anomalies", "anomalies --json {gz}"),
    Command("anomalies_files", "anomalies {gz} --markdown out.md --annotate out.pftrace",
            ("out.md", "out.pftrace")),
    Command("convert_chrome", "convert {perfetto} -o out.json", ("out.json",)),
    Command("convert_gzip", "convert {rocpd} -o out.json.gz", ("out.json.gz",)),
    Command("convert_zstd", "convert {gz} -o out.pftrace.zst", ("out.pftrace.zst",)),
    Command("convert_xspace", "convert {xspace} -o out.xplane.pb --kinds kernel", ("out.xplane.pb",)),
    Command("convert_to_xspace", "convert {json} -o out.xplane.pb", ("out.xplane.pb",)),
    Command("kernel_text", "kernel decode {lkp}"),
    Command("kernel_json", "kernel decode --json -", stdin="lkp"),
    Command("kernel_files", "kernel decode {lkp} --svg out.svg --perfetto out.pftrace -o out.txt",
            ("out.svg", "out.pftrace", "out.txt")),
]


def make_inputs(folder):
    """One file or folder of each format, by the name that commands use."""
    inputs = {"lkp": HERE.parents[2] / "examples" / "kernel_profile.lkp"}
    work = scripted(devices=2, steps=3)
    for name in ("ascend_db", "ascend_text", "nsys", "perfetto", "rocprofv1", "rocprofv3", "rpd",
                 "xspace"):
        place = folder / name
        place.mkdir()
        inputs[name] = importlib.import_module(f"write_{name}").write(work, place)
    inputs["rocpd"] = folder / "large.db"  # large enough for the thread of a table
    importlib.import_module("write_rocpd").write_large(inputs["rocpd"], 10_000)
    for name, seed in (("json", 1), ("other", 2)):
        inputs[name] = folder / f"{name}.json"
        subprocess.run([TRACEGEN, "--passes", "6", "--layers", "3", "--devices", "2", "--streams",
                        "3", "--seed", str(seed), "-o", inputs[name]], check=True)
    inputs["gz"] = folder / "trace.json.gz"
    inputs["gz"].write_bytes(gzip.compress(inputs["json"].read_bytes()))
    subprocess.run([PROGRAM, "convert", inputs["json"], "-o", folder / "trace.json.zst"],
                   check=True, stdout=subprocess.DEVNULL)
    inputs["zst"] = folder / "trace.json.zst"
    # In a directory a file that cannot be read is only noted; shortage is no fault of a file.
    inputs["run"] = folder / "run"
    inputs["run"].mkdir()
    for name in ("gz", "nsys", "perfetto"):
        shutil.copy(inputs[name], inputs["run"])
    return inputs


def files_under(folder):
    """What lies in a folder, by name, with its bytes."""
    return {str(path.relative_to(folder)): path.read_bytes()
            for path in sorted(folder.rglob("*")) if path.is_file()}


def points_up_to(last, wanted, seed):
    """At most so many numbers from 1 to `last`: dense at the start, then anywhere."""
    if last <= wanted:
        return list(range(1, last + 1))
    points = {1, last}
    step = 1.0
    while step < last and len(points) < wanted // 2:
        points.add(int(step))
        step = max(step + 1, step * 1.3)
    generator = random.Random(seed)
    while len(points) < wanted:
        points.add(generator.randint(1, last))
    return sorted(points)


class ShortageCase(unittest.TestCase):
    """Runs commands in a folder of their own, with another one for temporary files."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.root = Path(folder.name)
        cls.root.chmod(0o755)
        (cls.root / "inputs").mkdir()
        cls.inputs = make_inputs(cls.root / "inputs")
        cls.good = {}

    def setUp(self):
        self.failures_seen = []

    def run_command(self, command, environment=None, **options):
        """Its code, standard output and error, what it wrote and what it left in TMPDIR."""
        place, temporary = self.root / "place", self.root / "temporary"
        for folder in (place, temporary):
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            folder.chmod(0o777)
        words = [PROGRAM] + command.words.format(**self.inputs).split()
        stdin = open(self.inputs[command.stdin], "rb") if command.stdin else subprocess.DEVNULL
        try:
            done = subprocess.run(
                words, stdin=stdin, capture_output=True, check=False, cwd=place, timeout=TIMEOUT_S,
                env={**os.environ, "TMPDIR": str(temporary), **(environment or {})}, **options)
        except subprocess.TimeoutExpired as late:
            return "none, it hangs", b"", str(late), {}, []
        finally:
            if command.stdin:
                stdin.close()
        return (done.returncode, done.stdout, done.stderr.decode(errors="replace"),
                files_under(place), sorted(os.listdir(temporary)))

    def good_run(self, command):
        if command.name not in self.good:
            self.good[command.name] = self.run_command(command)
            code, _, error, written, _ = self.good[command.name]
            self.assertEqual((command.name, code), (command.name, 0), error)
            self.assertTrue(bool(written) == bool(command.outputs), command.name)
        return self.good[command.name]

    def complaint(self, command, run):
        """What is wrong with the end of a run that was short of something; nothing if all is well."""
        code, output, error, written, left = run
        if left and code in (0, 3):
            return f"temporary files are left: {left}"
        if code == 0:
            return "" if run == self.good_run(command) else "another answer, and exit 0"
        if code != 3:
            return f"exit {code}: {error[-300:]}"
        lines = error.splitlines()
        if not lines or not lines[-1].startswith("lockstep: "):
            return f"no sentence: {error[-300:]!r}"
        if "memory" not in lines[-1] and "thread" not in lines[-1]:
            return f"another sentence: {lines[-1]}"
        # Outputs get their names last and all together; what is left to do then is to tell of it.
        if written and written != self.good_run(command)[3]:
            return f"exit 3, and outputs are left: {sorted(written)}"
        return ""

    def check(self, command, what, run):
        complaint = self.complaint(command, run)
        if complaint:
            self.failures_seen.append(f"{command.name}, {what}: {complaint}")
        return run[0]

    def fail_if_any(self):
        """All of them at once: a sweep that stops at the first tells little."""
        if self.failures_seen:
            self.fail(f"{len(self.failures_seen)} runs ended badly:\n"
                      + "\n".join(self.failures_seen[:40]))

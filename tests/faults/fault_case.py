"""What the tests of faults share: inputs in every format, commands that write, and what must hold
after any of them was disturbed.

LOCKSTEP_FAULTS=all asks for the long form of a test. LOCKSTEP_FAULTY_CALLS names the library that
disturbs calls of the C library (faulty_calls.cpp); it is not there in builds with a sanitizer.
"""

import gzip
import importlib
import os
import resource
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "cli"), str(HERE.parent / "workload")]

import workload  # noqa: E402
from cli_test_case import PROGRAM, CliTestCase, main  # noqa: E402, F401
from kernel_file import pipeline, three_launches  # noqa: E402, F401
from loop_trace import loop_trace  # noqa: E402

ALL = os.environ.get("LOCKSTEP_FAULTS") == "all"
FAULTY_CALLS = os.environ.get("LOCKSTEP_FAULTY_CALLS", "")
NOBODY = 65534
OLD = b"what was there before\n"
FORMATS = ["kineto", "nsys", "perfetto", "rocpd", "rocprofv1", "rocprofv3", "rpd", "xspace",
           "ascend_db", "ascend_text"]

# Some signals would leave core files.
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def spread(items, most):
    """At most so many of them, the first and the last among them; all in the long form."""
    items = list(items)
    if ALL or len(items) <= most:
        return items
    return [items[i * (len(items) - 1) // (most - 1)] for i in range(most)]


def files_below(folder):
    return {str(path.relative_to(folder)): path.read_bytes()
            for path in sorted(Path(folder).rglob("*")) if path.is_file()}


class Writer:
    """A command that writes, and what it writes. Words that begin with @ are outputs."""

    def __init__(self, name, *words, outputs=None, **options):
        self.name, self.words, self.options = name, [str(word) for word in words], options
        self.outputs = outputs or [word[1:] for word in self.words if word.startswith("@")]

    def command(self, folder):
        return [str(Path(folder) / word[1:]) if word.startswith("@") else word
                for word in self.words]


class FaultTestCase(CliTestCase):
    def setUp(self):
        super().setUp()
        self.inputs, self.out, self.tmp = (self.folder / name for name in ("in", "out", "tmp"))
        for folder in (self.inputs, self.out, self.tmp):
            folder.mkdir()
        self.environment = {**os.environ, "TMPDIR": str(self.tmp),
                            "LOCKSTEP_LIBCUDA": os.environ.get("LOCKSTEP_FAKE_CUDA", "")}

    def run_lockstep(self, *arguments, fault=None, **options):
        """`fault` is what LOCKSTEP_FAULT says (faulty_calls.cpp)."""
        environment = dict(options.pop("env", self.environment))
        if fault is not None:
            if not FAULTY_CALLS:
                self.skipTest("calls of a program with a sanitizer cannot be disturbed")
            environment |= {"LD_PRELOAD": FAULTY_CALLS, "LOCKSTEP_FAULT": fault}
        return super().run_lockstep(*arguments, env=environment, **options)

    def count_calls(self, calls, *arguments, **options):
        """How many of these calls a run makes that nothing disturbs."""
        counted = self.folder / "count"
        done = self.run_lockstep(*arguments, fault=f"{calls} 0 before none",
                                 env={**self.environment, "LOCKSTEP_FAULT_COUNT": str(counted)},
                                 **options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return int(counted.read_text())

    def trace(self, format_name, **variant):
        """A scripted workload in this format; a file or a folder."""
        folder = self.inputs / format_name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        writer = importlib.import_module(f"write_{format_name}")
        return writer.write(workload.scripted(), folder, **variant)

    def loops(self, name="loops.json", **options):
        return self.write(f"in/{name}", loop_trace(**options))

    def packed_database(self):
        """Is copied to the folder for temporary files before it is read."""
        database = self.trace("nsys")
        return self.write("in/packed.sqlite.gz", gzip.compress(database.read_bytes(), 1))

    def writers(self):
        """Every sort of output of every command."""
        trace, other = self.loops(), self.loops("slow.json", duration_us=12)
        xspace, profile = self.trace("xspace"), self.write("in/kernel.lkp", pipeline())
        packed = self.packed_database()
        return [
            *(Writer(f"convert to {name}", "convert", trace, "-o", f"@{name}")
              for name in ("out.json", "out.json.gz", "out.json.zst", "out.pftrace",
                           "out.xplane.pb")),
            Writer("rewriting of XSpace", "convert", xspace, "-o", "@out.xplane.pb"),
            Writer("XSpace from a pipe", "convert", "-", "-o", "@out.xplane.pb",
                   input=xspace.read_bytes()),
            Writer("convert of a packed database", "convert", packed, "-o", "@out.pftrace"),
            Writer("anomalies", "anomalies", trace, "--markdown", "@out.md", "--annotate",
                   "@out.pftrace.gz"),
            Writer("info", "info", trace, "--markdown", "@out.md"),
            Writer("cycles", "cycles", trace, "--xlsx", "@out.xlsx", "--markdown", "@out.md",
                   "--annotate", "@out.pftrace"),
            Writer("cycles into a folder", "cycles", trace, "--csv", "@tables",
                   outputs=["tables"]),
            Writer("compare", "compare", trace, other, "--csv", "@out.csv", "--xlsx", "@out.xlsx",
                   "--markdown", "@out.md"),
            Writer("kernel decode", "kernel", "decode", profile, "--perfetto", "@out.pftrace",
                   "--svg", "@out.svg", "--markdown", "@out.md", "--json", "-o", "@out.json"),
            Writer("kernel overhead", "kernel", "overhead", "--markdown", "@out.md", "--json", "-o",
                   "@cost.json"),
        ]

    def wanted_outputs(self, writer):
        """What it writes where nothing disturbs it: bytes by names of files."""
        wanted = self.folder / "wanted"
        wanted.mkdir()
        done = self.run_lockstep(*writer.command(wanted), **writer.options)
        self.assertEqual(done.returncode, 0, done.stderr)
        files = files_below(wanted)
        shutil.rmtree(wanted)
        return files

    def put_old_outputs(self, names):
        """Instead of all that lies in the folder for outputs."""
        shutil.rmtree(self.out)
        for name in names:
            path = self.out / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(OLD)

    def check_outputs(self, wanted, is_done):
        """Each is the old one or the whole new one, and nothing else is left."""
        found = files_below(self.out)
        self.assertEqual(sorted(found), sorted(wanted), "files are left or missing")
        for name, content in found.items():
            self.assertIn(content, [wanted[name]] if is_done else [OLD, wanted[name]], name)
        self.check_nothing_temporary()

    def check_nothing_temporary(self):
        self.assertEqual(sorted(os.listdir(self.tmp)), [], "temporary files are left")

    def as_nobody(self, *arguments, **options):
        """Runs a copy of the program as a user without rights; skips where that is not allowed."""
        if os.geteuid() != 0:
            return self.run_lockstep(*arguments, **options)
        self.folder.chmod(0o755)
        program = self.folder / "lockstep"
        if not program.exists():
            shutil.copy(PROGRAM, program)
        options.setdefault("env", self.environment)
        options.setdefault("cwd", "/")
        try:
            return subprocess.run([program, *map(str, arguments)], capture_output=True,
                                  timeout=120, check=False, user=NOBODY, group=NOBODY,
                                  extra_groups=[], **options)
        except PermissionError as error:
            self.skipTest(f"no program can be run as another user here: {error}")

    def check_sentence(self, done, code, sentence):
        """One sentence and this code, never a signal."""
        message = done.stderr.decode(errors="replace")
        self.assertEqual(done.returncode, code, message)
        self.assertTrue(message.startswith("lockstep: "), message)
        self.assertIn(sentence, message)

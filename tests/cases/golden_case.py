"""A golden case: a folder with a command, its input, and what it prints and writes.

    command         what a user types, run by `sh -e` in a fresh folder
    input/          files that lie there
    make_input.py   or a script that writes them there; it may import from tests/workload and tests/cli
    expected.txt    standard output; missing where it is empty and something else is expected
    expected.err    standard error; missing where it is empty
    expected.exit   the exit code; missing where it is 0
    expected/       files that the command wrote, as text

What is expected and what was found are both a mapping from those names to text.
"""

import difflib
import fnmatch
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from text_of_output import NoText, text_of

CASES = Path(__file__).resolve().parent
PARTS = ["command", "input", "make_input.py", "expected.txt", "expected.err", "expected.exit", "expected"]
SECONDS = 300


class CaseError(Exception):
    """A case that is no case, or a run that cannot be compared."""


class GoldenCase:
    def __init__(self, folder):
        self.folder = Path(folder)
        self.name = self.folder.name
        if not self.folder.is_dir():
            raise CaseError(f"{self.name}: no such case{self._alike()}")
        if not (self.folder / "command").is_file():
            raise CaseError(f"{self.name}: has no file 'command' with what to run")
        for path in sorted(self.folder.iterdir()):
            if path.name not in PARTS:
                raise CaseError(f"{self.name}: '{path.name}' is no part of a case; those are {', '.join(PARTS)}")

    def _alike(self):
        names = difflib.get_close_matches(self.name, names_of_cases(self.folder.parent), 3, 0.5)
        return f"; did you mean {' or '.join(names)}?" if names else ""

    def expected(self):
        paths = [self.folder / name for name in PARTS if name.startswith("expected.")]
        paths += sorted((self.folder / "expected").rglob("*"))
        return {str(path.relative_to(self.folder)): readable(path.read_bytes())
                for path in paths if path.is_file()}

    def found(self, program):
        """What a run in a fresh folder gives."""
        if not os.access(program, os.X_OK):
            raise CaseError(f"{self.name}: there is no program {program}")
        with tempfile.TemporaryDirectory() as place:
            place = Path(place).resolve()
            work, tools = place / "work", place / "bin"
            tools.mkdir()
            (tools / "lockstep").symlink_to(Path(program).resolve())
            self._put_input(work)
            before = contents(work)
            done = self._run(work, environment(program, tools))
            found = {"expected.txt": readable(done.stdout), "expected.err": readable(done.stderr)}
            found = {name: text for name, text in found.items() if text}
            if done.returncode != 0:
                found["expected.exit"] = f"{done.returncode}\n"
            found.update(self._written(work, before, tools / "lockstep"))
            found = found or {"expected.txt": ""}
        for name, text in found.items():
            if str(place) in text:
                raise CaseError(f"{self.name}: {name} would hold a path of this machine, {place}:\n{text}")
        return found

    def _run(self, work, variables):
        try:
            return subprocess.run(["sh", "-e", self.folder / "command"], cwd=work, env=variables, capture_output=True,
                                  stdin=subprocess.DEVNULL, timeout=SECONDS, check=False)
        except subprocess.TimeoutExpired as why:
            raise CaseError(f"{self.name}: the command did not end within {SECONDS} s") from why

    def _put_input(self, work):
        if (self.folder / "input").is_dir():
            subprocess.run(["cp", "-r", self.folder / "input", work], check=True)
        else:
            work.mkdir()
        script = self.folder / "make_input.py"
        if not script.is_file():
            return
        modules = os.pathsep.join(str(CASES.parent / name) for name in ("workload", "cli"))
        done = subprocess.run([sys.executable, script], cwd=work, capture_output=True, text=True, check=False,
                              env={**os.environ, "PYTHONPATH": modules, "PYTHONDONTWRITEBYTECODE": "1"})
        if done.returncode != 0:
            raise CaseError(f"{self.name}: make_input.py ended with {done.returncode}\n{done.stderr}")

    def _written(self, work, before, lockstep):
        after = contents(work)
        for name in before:
            if name not in after:
                raise CaseError(f"{self.name}: the command removed {name}")
        written = {}
        for name in (name for name in after if after[name] != before.get(name)):
            try:
                shown_as, text = text_of(work / name, lockstep)
            except NoText as why:
                raise CaseError(f"{self.name}: the command wrote {name}, {why}") from why
            written[f"expected/{name}{shown_as}"] = text
        return written


def readable(data):
    return data.decode("utf-8", "backslashreplace")


def contents(folder):
    return {str(path.relative_to(folder)): path.read_bytes()
            for path in sorted(folder.rglob("*")) if path.is_file()}


def environment(program, tools):
    """That of the caller, less what output depends on. The device is the tests' own, so that every machine has it."""
    kept = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    fake = Path(program).resolve().parent / "tests/session/driver/libcuda.so.1"
    return {**kept, "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}", "LC_ALL": "C", "TZ": "UTC",
            "LOCKSTEP_LIBCUDA": os.environ.get("LOCKSTEP_FAKE_CUDA", str(fake))}


def names_of_cases(folder=CASES):
    """Every folder is a case; one without a command is told of when it is run."""
    folders = Path(folder).iterdir() if Path(folder).is_dir() else []
    return sorted(path.name for path in folders if path.is_dir() and path.name != "__pycache__")


def chosen_cases(patterns, folder=CASES):
    """All of them where there is no pattern; a pattern that fits none stays, to be told of."""
    names = names_of_cases(folder)
    if not patterns:
        return names
    return [name for pattern in patterns for name in fnmatch.filter(names, pattern) or [pattern]]


def difference(name, expected, found):
    """A unified diff over all parts; empty where they agree."""
    lines = []
    for part in sorted(expected.keys() | found.keys()):
        old, new = expected.get(part), found.get(part)
        if old == new:
            continue
        here = list(difflib.unified_diff(
            (old or "").splitlines(), (new or "").splitlines(),
            "nothing expected" if old is None else f"{name}/{part}",
            "nothing there now" if new is None else f"{name}/{part} as it is now", lineterm=""))
        # What has no lines, or the same ones with other ends.
        lines += here or [f"{name}/{part}: {old!r} is {new!r} now"]
    return "\n".join(lines)

#!/usr/bin/env python3
"""Damages traces of all formats in many ways and checks that lockstep loses nothing in silence.

    mutation_test.py PROGRAM [--mutants N] [--seed N] [--only SUBJECT] [--mutant I] [--jobs N] [--keep FOLDER]
                             [--generator LOCKSTEP_TRACEGEN]

Every mutant is read by `lockstep info --strict`, a share of them by the other commands. The rules:

* exit codes are 0 and 3: no signal, no time-out, never 4, and 2 only where an option names what the file lacks;
* a mutant in which lockstep finds fewer events, arrows or counters than in the file itself exits with 3, unless Python's
  own readers, which share nothing with lockstep, take it without complaint and miss as many: then nobody can tell that
  anything was lost, and it is counted as undetectable;
* so does a mutant in which Python's readers find more than lockstep, in proportion to the file itself.

Of files that are whole, lockstep and Python's readers find exactly the same; of databases Python counts all rows.

The same seed gives the same mutants. A failure is named SUBJECT/I: `--only SUBJECT --mutant I --keep FOLDER` makes it again.
Files of LOCKSTEP_CORPUS are mutated too where that is set.
"""

import argparse
import concurrent.futures
import json
import os
import random
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import counting  # noqa: E402
import subjects  # noqa: E402
from mutators import MUTATORS, zeroed_page  # noqa: E402

TIME_LIMIT = 120  # seconds; a mutant takes some milliseconds
EVERY = 8  # one mutant of so many is given to another command, each in its turn
# Two events that became one whole event may be joined in another way than the independent reader joins them.
SLACK = {"records": 0, "arrows": 2, "counters": 0}


@dataclass
class Tally:
    """What became of the mutants of one file."""
    mutants: int = 0
    exits: Counter = field(default_factory=Counter)
    dropped: int = 0
    undetectable: int = 0
    silent: list = field(default_factory=list)
    failures: list = field(default_factory=list)

    def add(self, other):
        self.mutants += other.mutants
        self.exits += other.exits
        self.dropped += other.dropped
        self.undetectable += other.undetectable
        self.silent += other.silent
        self.failures += other.failures


def run(program, *arguments):
    """Exit code and what was printed; a negative code is a signal, "time" a run that did not end."""
    try:
        done = subprocess.run([program, *map(str, arguments)], capture_output=True, check=False, timeout=TIME_LIMIT,
                              stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        return "time", b""
    return done.returncode, done.stdout


def first_command(subject, path):
    if subject.figure == "seen":
        return "kernel", "decode", "--json", "--strict", "--no-regions", path
    return "info", "--json", "--strict", path


def other_commands(subject, path, folder):
    if subject.figure == "seen":
        return [("kernel", "decode", path), ("kernel", "decode", "--json", path),
                ("kernel", "decode", "--perfetto", folder / "o.pftrace", "--svg", folder / "o.svg", path),
                ("kernel", "decode", "--compare", path, path)]
    return [("cycles", "--json", path), ("anomalies", "--json", path), ("anomalies", path), ("info", path),
            ("convert", path, "-o", folder / "o.json"), ("convert", path, "-o", folder / "o.pftrace"),
            ("convert", path, "-o", folder / "o.xplane.pb"), ("compare", "--json", path, path),
            ("cycles", "--xlsx", folder / "o.xlsx", "--annotate", folder / "a.pftrace", path)]


def figures_in(subject, output):
    """What lockstep says that it found, by the names of counting; None where it found no trace at all."""
    try:
        document = json.loads(output)
    except ValueError:
        return None
    if subject.figure == "seen":
        return {"records": sum(lane["seen"] for lane in document["lanes"])}
    return {"records": document[subject.figure], "arrows": document["flows"],
            "counters": document["by_kind"].get("counter", 0)}


def independent_count(subject, data):
    """The same as Python counts it; None where it has no reader or complains."""
    try:
        return None if subject.count is None else subject.count(data)
    except counting.Complaint:
        return None


@dataclass
class Original:
    figures: dict
    count: object  # of the independent reader


def measure_original(program, subject):
    with tempfile.TemporaryDirectory() as folder:
        code, output = run(program, *first_command(subject, subject.place(subject.data, Path(folder))))
    figures = figures_in(subject, output)
    if code != 0 or not figures or not figures["records"]:
        raise SystemExit(f"{subject.name}: the file itself gives exit {code} and {figures}")
    count = independent_count(subject, subject.data)
    if subject.count is not None and count is None:
        raise SystemExit(f"{subject.name}: the independent reader complains about the file itself")
    if subject.sort != subjects.DATABASE:
        different = [name for name in figures if name in count and figures[name] != count[name]]
        if different:
            raise SystemExit(f"{subject.name}: the independent reader finds {count} in the file itself, lockstep {figures}")
    return Original(figures, count)


def mutant_of(subject, seed, number):
    source = random.Random(f"{seed}/{subject.name}/{number}")
    mutator = MUTATORS[number % len(MUTATORS)]
    data = mutator(subject.data, source)
    if data is None or data == subject.data:  # it has no such byte
        mutator = zeroed_page
        data = mutator(subject.data, source)
    return mutator, data


def losses(subject, original, data, figures):
    """"none", "undetectable" or "silent": what an exit code of 0 means for a mutant in which lockstep found this."""
    missing = {name: original.figures[name] - found for name, found in figures.items()}
    count = independent_count(subject, data)
    is_missing = any(lost > 0 for lost in missing.values())
    if count is None:
        return "silent" if is_missing else "none"
    if any(missing[name] > original.count[name] - found + SLACK[name] for name, found in count.items() if name in missing):
        return "silent"
    return "undetectable" if is_missing else "none"


def has_fewer(original, figures):
    return figures is None or any(figures[name] < original.figures[name] for name in figures)


def exits_allowed(subject, data):
    """A recording that lost the mark at its front is asked for with --format, whose lack is a matter of the command line."""
    lost_its_mark = subject.figure == "seen" and data[:8] != subject.data[:8]
    return (0, 2, 3) if lost_its_mark else (0, 3)


def check_mutant(program, subject, original, seed, number, keep):
    tally = Tally(mutants=1)
    mutator, data = mutant_of(subject, seed, number)
    name = f"{subject.name}/{number} ({mutator.__name__})"
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        path = subject.place(data, folder / "in")
        code, output = run(program, *first_command(subject, path))
        tally.exits[code] += 1
        figures = figures_in(subject, output)
        if code not in exits_allowed(subject, data):
            tally.failures.append(f"{name}: exit {code}")
        tally.dropped += has_fewer(original, figures)
        if code == 0 and figures is not None:
            verdict = losses(subject, original, data, figures)
            tally.undetectable += verdict == "undetectable"
            if verdict == "silent":
                tally.silent.append(f"{name}: {original.figures} became {figures}")
        if code == 0 and figures is None:
            tally.failures.append(f"{name}: exit 0 without an answer")
        if number % EVERY == 0:
            commands = other_commands(subject, path, folder)
            command = commands[number // EVERY % len(commands)]
            code, _ = run(program, *command)
            if code not in exits_allowed(subject, data):
                tally.failures.append(f"{name}: exit {code} of {' '.join(map(str, command[:2]))}")
    if keep and (tally.failures or tally.silent):
        (keep / f"{subject.name}-{number}").mkdir(parents=True, exist_ok=True)
        subject.place(data, keep / f"{subject.name}-{number}")
    return tally


SUBJECTS = {}  # by name; filled before the processes start, which inherit it


def check_some(program, name, original, seed, numbers, keep):
    tally = Tally()
    for number in numbers:
        tally.add(check_mutant(program, SUBJECTS[name], original, seed, number, keep))
    return name, tally


def print_table(tallies):
    head = ("file", "mutants", "exit 0", "exit 2", "exit 3", "other", "dropped", "silently", "undetectable")
    rows = [head]
    total = Tally()
    for name, tally in tallies.items():
        rows.append(row_of(name, tally))
        total.add(tally)
    rows.append(row_of(f"all {len(tallies)}", total))
    widths = [max(len(row[i]) for row in rows) for i in range(len(head))]
    for row in rows:
        print(row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:])))
    for line in (*total.silent, *total.failures):
        print(line)
    return not total.silent and not total.failures


def row_of(name, tally):
    other = sum(count for code, count in tally.exits.items() if code not in (0, 2, 3))
    return (name, *map(str, (tally.mutants, tally.exits[0], tally.exits[2], tally.exits[3], other, tally.dropped,
                             len(tally.silent), tally.undetectable)))


def parsed():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--mutants", type=int, default=10_000, help="in all (default 10000)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", help="the file of this name")
    parser.add_argument("--mutant", type=int, help="this mutant of it alone")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--keep", type=Path, help="a folder for mutants that fail")
    parser.add_argument("--generator", default="", help="lockstep-tracegen, for one more file")
    return parser.parse_args()


def main():
    options = parsed()
    with tempfile.TemporaryDirectory() as folder:
        made = subjects.all_subjects(Path(folder), options.generator, os.environ.get("LOCKSTEP_CORPUS"))
    for name, lacks in (("LOCKSTEP_CORPUS is not set", not os.environ.get("LOCKSTEP_CORPUS")),
                        ("no generator was given", not options.generator)):
        if lacks:
            print(f"skipped: files to mutate, because {name}")
    SUBJECTS.update({subject.name: subject for subject in made if options.only in (None, subject.name)})
    if not SUBJECTS:
        raise SystemExit(f"no file {options.only}; there are {', '.join(subject.name for subject in made)}")
    originals = {name: measure_original(options.program, subject) for name, subject in SUBJECTS.items()}
    each = (options.mutants + len(SUBJECTS) - 1) // len(SUBJECTS)
    numbers = range(each) if options.mutant is None else [options.mutant]
    tallies = {name: Tally() for name in SUBJECTS}
    with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
        waiting = [pool.submit(check_some, options.program, name, originals[name], options.seed, numbers[i:i + 50],
                               options.keep) for name in SUBJECTS for i in range(0, len(numbers), 50)]
        for one in concurrent.futures.as_completed(waiting):
            name, tally = one.result()
            tallies[name].add(tally)
    for tally in tallies.values():
        tally.silent.sort()
        tally.failures.sort()
    return 0 if print_table(tallies) else 1


if __name__ == "__main__":
    sys.exit(main())

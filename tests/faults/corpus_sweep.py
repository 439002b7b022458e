"""Runs every command with all its outputs over folders of real traces, and prints a table.

    corpus_sweep.py PROGRAM FOLDER... [--markdown FILE] [--part I/N] [--minutes M]

For programs that were built with a sanitizer: a report, a signal, an exit code other than 0 and 3
or a time-out fails. make faults runs it. --part takes every N-th input from the I-th on, so that a
slow program can be run in parts; after --minutes no further input is begun, and what is left is
said, with the --part that goes on.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SECONDS = 900  # for one command, with a sanitizer
OURS = "runtime error:", "Sanitizer", "something went wrong inside lockstep"


def commands(trace, out):
    """Of a trace or a folder of them: words of the command line by what the table calls them."""
    perfetto, xspace, chrome = out / "t.pftrace", out / "t.xplane.pb", out / "t.json.gz"
    return {
        "info": ["info", trace],
        "info --json": ["info", "--json", trace],
        "info --csv": ["info", "--csv", trace],
        "cycles": ["cycles", trace, "--all", "--csv", out / "csv", "--xlsx", out / "c.xlsx",
                   "--annotate", out / "c.pftrace"],
        "cycles --json": ["cycles", "--json", trace],
        "cycles anchor": ["cycles", "--method", "anchor", trace],
        "compare": ["compare", trace, trace, "--csv", out / "m.csv",
                    "--xlsx", out / "m.xlsx"],
        "anomalies": ["anomalies", trace, "--bubbles", "all", "--markdown", out / "a.md",
                      "--annotate", out / "a.pftrace"],
        "anomalies --json": ["anomalies", "--json", trace],
        "convert, Perfetto": ["convert", trace, "-o", perfetto],
        "convert, XSpace": ["convert", trace, "-o", xspace],
        "convert, Chrome": ["convert", trace, "-o", chrome],
        "convert, zstd": ["convert", trace, "-o", out / "t.json.zst"],
        "info of Perfetto": ["info", "--json", perfetto],
        "info of XSpace": ["info", "--json", xspace],
        "info of Chrome": ["info", "--json", chrome],
    }


def kernel_commands(recording, out):
    return {
        "kernel decode": ["kernel", "decode", recording, "--svg", out / "k.svg", "--perfetto",
                          out / "k.pftrace"],
        "kernel decode --json": ["kernel", "decode", "--json", recording, "--compare", recording],
    }


def folder_commands(folder, out):
    """Of all traces of a folder as ranks of one run."""
    return {f"{name}, a folder": words for name, words in commands(folder, out).items()
            if name in ("info", "info --json", "cycles", "anomalies", "convert, Perfetto")}


def inputs_of(folder):
    """Files alone, the folders that only together are a trace, and folders of several traces."""
    bundles = [path for path in sorted(folder.rglob("*_ascend_pt")) if path.is_dir()]
    for path in bundles:
        yield path
    for path in sorted(folder.rglob("*")):
        is_part = any(bundle in path.parents for bundle in bundles)
        if path.is_file() and not is_part and path.suffix not in (".md", ".py"):
            yield path
    for path in sorted(folder.rglob("*")):
        is_part = any(bundle == path or bundle in path.parents for bundle in bundles)
        if path.is_dir() and not is_part and sum(child.is_file() for child in path.iterdir()) > 1:
            yield path


def commands_for(path, out):
    if path.suffix == ".lkp":
        return kernel_commands(path, out)
    is_bundle = path.name.endswith("_ascend_pt")
    return folder_commands(path, out) if path.is_dir() and not is_bundle else commands(path, out)


def run(program, words):
    """What is wrong with a run, or nothing; and its exit code."""
    environment = {**os.environ, "ASAN_OPTIONS": "detect_leaks=1", "TSAN_OPTIONS": "halt_on_error=1",
                   "UBSAN_OPTIONS": "print_stacktrace=1"}
    try:
        done = subprocess.run([program, *map(str, words)], capture_output=True, timeout=SECONDS,
                              stdin=subprocess.DEVNULL, env=environment, check=False)
    except subprocess.TimeoutExpired:
        return "time-out", None
    said = done.stderr.decode(errors="replace")
    if done.returncode not in (0, 3) or any(word in said for word in OURS):
        return f"exit {done.returncode}: {said[-4000:]}", done.returncode
    return "", done.returncode


def table_of(rows):
    lines = ["| command | runs | answered (exit 0) | refused (exit 3) | faults | seconds |",
             "|---|--:|--:|--:|--:|--:|"]
    total = [sum(column) for column in zip(*rows.values())]
    for name, (runs, answered, refused, faults, seconds) in (*rows.items(), ("all", total)):
        lines.append(f"| {name} | {runs} | {answered} | {refused} | {faults} | {seconds:.0f} |")
    return "\n".join(lines) + "\n"


def sweep(program, inputs, begin, most_seconds):
    """Rows by command, and how many of the inputs were reached."""
    rows = {}
    for number, path in enumerate(inputs):
        if time.monotonic() - begin > most_seconds:
            return rows, number
        with tempfile.TemporaryDirectory() as out:
            for name, words in commands_for(path, Path(out)).items():
                start = time.monotonic()
                wrong, code = run(program, words)
                row = rows.setdefault(name, [0, 0, 0, 0, 0.0])
                seen = (1, code == 0, code == 3, bool(wrong), time.monotonic() - start)
                rows[name] = [old + new for old, new in zip(row, seen)]
                if wrong:
                    print(f"{path.name}: {name}: {wrong}", file=sys.stderr, flush=True)
    return rows, len(inputs)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--markdown", type=Path)
    parser.add_argument("--part", default="0/1")
    parser.add_argument("--minutes", type=float, default=float("inf"))
    options = parser.parse_args()
    first, step = map(int, options.part.split("/"))
    inputs = [path for folder in options.folders for path in inputs_of(folder)][first::step]
    if not inputs:
        sys.exit("no traces found")
    begin = time.monotonic()
    rows, reached = sweep(options.program, inputs, begin, 60 * options.minutes)
    print(table_of(rows))
    print(f"{sum(row[0] for row in rows.values())} runs over {reached} of {len(inputs)} inputs in "
          f"{time.monotonic() - begin:.0f} s")
    for left in range(reached, len(inputs)):
        print(f"skipped: {inputs[left].name}, for want of time (--part {first + left * step}/1000000)")
    if options.markdown:
        options.markdown.write_text(table_of(rows))
    sys.exit(any(row[3] for row in rows.values()))


if __name__ == "__main__":
    main()

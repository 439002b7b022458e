"""Runs every command with all its outputs over a folder of real traces, and prints a table.

    corpus_sweep.py PROGRAM FOLDER [--markdown FILE]

For programs that were built with a sanitizer: a report, a signal, an exit code other than 0 and 3
or a time-out fails. make faults runs it.
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


def inputs_of(folder):
    """Files alone, and the folders that only together are a trace."""
    bundles = [path for path in sorted(folder.rglob("*_ascend_pt")) if path.is_dir()]
    for path in bundles:
        yield path
    for path in sorted(folder.rglob("*")):
        is_part = any(bundle in path.parents for bundle in bundles)
        if path.is_file() and not is_part and path.suffix not in (".md", ".py"):
            yield path


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


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--markdown", type=Path)
    options = parser.parse_args()
    table = {}  # runs, exits 3, failures by command
    begin = time.monotonic()
    for trace in inputs_of(options.folder):
        with tempfile.TemporaryDirectory() as out:
            is_recording = trace.suffix == ".lkp"
            todo = (kernel_commands if is_recording else commands)(trace, Path(out))
            for name, words in todo.items():
                wrong, code = run(options.program, words)
                row = table.setdefault(name, [0, 0, 0])
                row[0] += 1
                row[1] += code == 3
                row[2] += bool(wrong)
                if wrong:
                    print(f"{trace.name}: {name}: {wrong}", file=sys.stderr)
    lines = ["| command | runs | refused (exit 3) | faults |", "|---|--:|--:|--:|"]
    lines += [f"| {name} | {runs} | {refused} | {faults} |"
              for name, (runs, refused, faults) in table.items()]
    print("\n".join(lines))
    print(f"{sum(row[0] for row in table.values())} runs in {time.monotonic() - begin:.0f} s")
    if options.markdown:
        options.markdown.write_text("\n".join(lines) + "\n")
    if not table:
        sys.exit("no traces found")
    sys.exit(any(row[2] for row in table.values()))


if __name__ == "__main__":
    main()

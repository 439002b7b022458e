#!/usr/bin/env python3
"""Damages every byte of small JSON documents and compares what is read with Python's json.

    structure_test.py READ_EACH PROGRAM [--part I/N] [--only DOCUMENT]

Every byte that holds a document together is left out, doubled, and replaced by each of the others; every other byte is
left out and replaced by a quote, a comma and a brace. READ_EACH reads them all; of one in many it is checked that PROGRAM
ends as READ_EACH says. With --strict

* what Python's json refuses ends with 3. Readers that take text as it stands may read what only lacks a comma between
  members, or has a number or an escape that JSON has not, where they find as much as Python does once it is put right;
* what gives fewer events than the whole document ends with 3;
* what Python's json finds the same in, but for names, ends with 0.
"""

import argparse
import itertools
import os
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from documents import counting, documents  # noqa: E402
from lenient import put_right  # noqa: E402

MARKS = b'{}[]:,"\\ x'
FEW_MARKS = b'"},'
BATCH = 1000  # read by one process
EVERY = 250  # one of so many is given to the program itself
NAMES = {"name", "Name", "traceName", "kernel_name", "CMD", "Version", "kernelName"}


def variants(data):
    """Descriptions and bytes."""
    for at, byte in enumerate(data):
        before, behind = data[:at], data[at + 1:]
        yield f"without byte {at}", before + behind
        if byte in MARKS:
            yield f"byte {at} twice", before + bytes([byte, byte]) + behind
        for mark in MARKS if byte in MARKS else FEW_MARKS:
            if mark != byte:
                yield f"byte {at} is {chr(mark)!r}", before + bytes([mark]) + behind


def counted(document, data):
    try:
        return document.count(data)
    except counting.Complaint:
        return None


def but_for_names(value, key=""):
    if isinstance(value, dict):
        return {name: but_for_names(member, name) for name, member in value.items()}
    if isinstance(value, list):
        return [but_for_names(item, key) for item in value]
    return "" if key in NAMES and isinstance(value, str) else value


class Reading:
    """Of many variants of one document by one process."""

    def __init__(self, program, document, folder):
        self.program, self.document, self.folder = program, document, folder
        self.data = document.text.encode()
        ((code, self.figures),) = self.read([self.data])
        self.count = document.count(self.data)
        self.meaning = but_for_names(counting.json_of(self.data))
        if code != 0 or any(self.figures[name] != number for name, number in self.count.items() if name in self.figures):
            raise SystemExit(f"{document.name}: exit {code}, {self.figures}, Python finds {self.count}")

    def path(self, number):
        return self.folder / str(number) / self.document.file_name

    def read(self, variants):
        """Codes and figures."""
        for number, data in enumerate(variants):
            self.path(number).parent.mkdir(exist_ok=True)
            self.path(number).write_bytes(data)
        asked = "".join(f"{self.document.sort} {self.path(number)}\n" for number in range(len(variants)))
        done = subprocess.run([self.program], input=asked, capture_output=True, text=True, check=False, timeout=300)
        answers = done.stdout.splitlines()
        if done.returncode != 0 or len(answers) != len(variants):
            raise SystemExit(f"{self.document.name}: the reader ended with {done.returncode} after {len(answers)} of "
                             f"{len(variants)}: {variants[min(len(answers), len(variants) - 1)]!r}\n{done.stderr[-4000:]}")
        return [self.answered(*map(int, answer.split())) for answer in answers]

    def answered(self, code, records, arrows):
        return code, {"records": records, "arrows": arrows} if self.document.sort == "trace" else {"records": records}

    def complaint(self, code, figures, data):
        """What is wrong with this answer, or nothing."""
        if code == 0 and figures["records"] < self.figures["records"]:
            return f"{self.figures} became {figures}, exit 0"
        count = counted(self.document, data)
        if count is not None:
            is_same = count == self.count and but_for_names(counting.json_of(data)) == self.meaning
            return f"means the same, exit {code}" if is_same and code != 0 else self.swallowed(code, figures, count)
        if code != 0:
            return ""
        if not self.document.is_lenient:
            return "Python refuses it, exit 0"
        count = counted(self.document, put_right(data))
        return "Python refuses it, exit 0" if count is None else self.swallowed(code, figures, count)

    def swallowed(self, code, figures, count):
        is_less = any(self.figures[name] - figures[name] > self.count[name] - found
                      for name, found in count.items() if name in figures)
        return f"{figures} where Python finds {count}, exit 0" if is_less and code == 0 else ""


def exit_code(program, sort, path):
    command = ["kernel", "decode", "--json"] if sort == "kernel" else ["info", "--json"]
    return subprocess.run([program, *command, "--strict", str(path)], capture_output=True, check=False, timeout=120,
                          stdin=subprocess.DEVNULL).returncode


def check(options, document, folder):
    """Numbers of what was seen, and the complaints."""
    reading = Reading(options.read_each, document, folder)
    part, parts = map(int, options.part.split("/"))
    wanted = list(itertools.islice(variants(reading.data), part, None, parts))
    tally, complaints = Counter(), []
    for begin in range(0, len(wanted), BATCH):
        some = wanted[begin:begin + BATCH]
        for number, (code, figures) in enumerate(reading.read([data for _, data in some])):
            what, data = some[number]
            wrong = reading.complaint(code, figures, data)
            if number % EVERY == 0:
                # The program looks at more than the reader, and may find more to complain of.
                found = exit_code(options.program, document.sort, reading.path(number))
                tally["by the program"] += 1
                # An in-kernel profile that does not say what it is wants --format.
                allowed = (code, 3) if document.sort == "trace" or code == 0 else (3, 2)
                wrong = wrong or (f"the program ends with {found}, not {code}" if found not in allowed else "")
            tally[f"exit {code}"] += 1
            if wrong:
                at = int(next(word for word in what.split() if word.isdigit()))
                complaints.append(f"{document.name}, {what}: {wrong}: {data[max(0, at - 30):at + 30]!r}")
    return tally, complaints


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("read_each")
    parser.add_argument("program")
    parser.add_argument("--part", default="0/1", help="every N-th variant only, from the I-th on")
    parser.add_argument("--only", help="this document")
    options = parser.parse_args()
    complaints = []
    # In memory where that can be had: a disk makes it ten times as long.
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=memory) as folder:
        for document in documents():
            if options.only in (None, document.name):
                tally, wrong = check(options, document, Path(folder))
                complaints += wrong
                print(f"{document.name:20} {sum(tally[f'exit {code}'] for code in (0, 3)):6} documents,",
                      ", ".join(f"{name} {count}" for name, count in sorted(tally.items())))
    print("\n".join(complaints[:50]))
    print(f"{len(complaints)} complaints")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())

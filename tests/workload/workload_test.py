#!/usr/bin/env python3
"""Writes one scripted workload in every format, reads it back and compares what lockstep understood.

    workload_test.py MODEL_DUMP DOCS_FOLDER

Each writer says which attributes its format can carry; all of them, and only they, are compared with
the truth, and every two formats with each other. docs/formats/README.md shows the same table.
"""

import importlib
import json
import os
import subprocess
import sys
import tempfile
import unittest
from dataclasses import replace
from itertools import combinations
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from facts import Model, Truth  # noqa: E402
from workload import ATTRIBUTES, scripted  # noqa: E402

WRITERS = [importlib.import_module(p.stem) for p in sorted(HERE.glob("write_*.py"))]
MODEL_DUMP = None
DOCS = None
TABLE_BEGIN, TABLE_END = "<!-- carries: begin -->\n", "<!-- carries: end -->\n"


def dump(path):
    run = subprocess.run([MODEL_DUMP, str(path)], capture_output=True, text=True, check=False)
    if run.returncode != 0:
        raise AssertionError(f"{path}: {run.stderr}")
    return json.loads(run.stdout)


def read_back(writer, work, folder, **variant):
    path = writer.write(work, Path(folder), **variant)
    return Model(dump(path), work, "epoch" in writer.CARRIES)


def within(writer, work):
    """The workload without what the format has no record for: some write sets as kernels of the runtime."""
    if "sets" in writer.CARRIES:
        return work
    return replace(work, device_events=[e for e in work.device_events if e.kind != "memset"])


def carries_table():
    """Which format carries what, as Markdown."""
    lines = ["| attribute | " + " | ".join(w.FORMAT for w in WRITERS) + " |",
             "|---|" + "---|" * len(WRITERS)]
    for attribute, meaning in ATTRIBUTES.items():
        cells = ["yes" if attribute in w.CARRIES else "" for w in WRITERS]
        lines.append(f"| {meaning} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


class WorkloadTest(unittest.TestCase):
    maxDiff = 2000

    def compare(self, writer, work, **variant):
        work = within(writer, work)
        truth = Truth(work)
        # A variant may leave out more than its format does.
        carries = writer.CARRIES - set(variant.pop("without", ()))
        with tempfile.TemporaryDirectory() as folder:
            model = read_back(writer, work, folder, **variant)
        for attribute in ATTRIBUTES:
            if attribute not in carries or (attribute == "picoseconds"):
                continue
            with self.subTest(format=writer.FORMAT, attribute=attribute, **variant):
                self.assertEqual(getattr(model, attribute)(), getattr(truth, attribute)())

    def test_every_format_gives_the_truth(self):
        for writer in WRITERS:
            for work in (scripted(), scripted(devices=1, steps=1)):
                self.compare(writer, work)

    def test_every_variant_gives_the_truth(self):
        for writer in WRITERS:
            for name, variant in writer.VARIANTS.items():
                with self.subTest(variant=name):
                    self.compare(writer, scripted(), **variant)

    def test_picoseconds_come_back(self):
        work = scripted(picoseconds=True)
        for writer in WRITERS:
            if "picoseconds" not in writer.CARRIES:
                continue
            with self.subTest(format=writer.FORMAT), tempfile.TemporaryDirectory() as folder:
                model = read_back(writer, work, folder)
                self.assertEqual(model.picoseconds(), Truth(work).picoseconds())

    def test_every_two_formats_agree(self):
        work = scripted()
        with tempfile.TemporaryDirectory() as folder:
            models = {}
            for writer in WRITERS:
                place = Path(folder) / writer.FORMAT
                place.mkdir()
                models[writer.FORMAT] = (writer, read_back(writer, work, place))
        for (a, model_a), (b, model_b) in combinations(models.values(), 2):
            if "sets" not in a.CARRIES & b.CARRIES:
                model_a, model_b = model_a.without("memset"), model_b.without("memset")
            for attribute in sorted(a.CARRIES & b.CARRIES):
                with self.subTest(a=a.FORMAT, b=b.FORMAT, attribute=attribute):
                    self.assertEqual(getattr(model_a, attribute)(), getattr(model_b, attribute)())

    def test_the_page_shows_what_formats_carry(self):
        text = (DOCS / "formats" / "README.md").read_text()
        shown = text.split(TABLE_BEGIN)[1].split(TABLE_END)[0]
        self.assertEqual(shown, carries_table())

    def test_writers_write_what_profilers_write(self):
        corpus = os.environ.get("LOCKSTEP_CORPUS")
        if not corpus:
            self.skipTest("LOCKSTEP_CORPUS is not set")
        for writer in WRITERS:
            check = getattr(writer, "check_against_corpus", None)
            if check is None:  # a format of which there is no real file
                continue
            with self.subTest(format=writer.FORMAT):
                check(Path(corpus).resolve())


if __name__ == "__main__":
    if sys.argv[1:] == ["--table"]:
        print(carries_table(), end="")
        sys.exit()
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    MODEL_DUMP, DOCS = sys.argv[1], Path(sys.argv[2])
    unittest.main(argv=[sys.argv[0]])

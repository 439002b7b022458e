#!/usr/bin/env python3
"""`lockstep kernel overhead` from outside, over a driver that only pretends to have a device."""

import json
import os
import subprocess
from pathlib import Path

import kernel_file
import schema_check
from cli_test_case import PROGRAM, CliTestCase, main

SCHEMA = Path(__file__).parents[2] / "docs/reference/kernel-overhead.schema.json"
DRIVER = "LOCKSTEP_LIBCUDA"  # names another driver than the machine's


def with_driver(path):
    return {**os.environ, DRIVER: str(path), "COLUMNS": "100"}


class Overhead(CliTestCase):
    def setUp(self):
        super().setUp()
        self.fake = with_driver(os.environ["LOCKSTEP_FAKE_CUDA"])

    def test_is_a_table_of_variants_and_warps(self):
        text = self.succeed("kernel", "overhead", env=self.fake)
        self.assertTrue(text.startswith("Fake H200 (sm_90), driver 13.0\n"))
        self.assertIn("1 warp  4 warps  8 warps  16 warps  32 warps", text)
        for variant in ("shared", "global", "shared_regions", "cuda_profiler"):
            self.assertRegex(text, rf"\n  {variant} ")
        self.assertIn("Cycles of init and finalize together", text)

    def test_is_a_document(self):
        document = json.loads(self.succeed("kernel", "overhead", "--json", env=self.fake))
        self.assertEqual(list(schema_check.faults(document, json.loads(SCHEMA.read_text()))), [])
        self.assertEqual(next(iter(document)), "schema")
        warps = [row["warps"] for row in document["markers"] if row["variant"] == "shared"]
        self.assertEqual(warps, [1, 4, 8, 16, 32])

    def test_can_be_taken_off_what_is_decoded(self):
        cost = self.folder / "cost.json"
        self.assertEqual(self.succeed("kernel", "overhead", "--json", "-o", cost, env=self.fake), "")
        path = self.write("a.lkp", kernel_file.pipeline())
        found = json.loads(self.succeed("kernel", "decode", "--json", path, "--overhead", cost))
        self.assertEqual(found["time"]["overhead_cycles"], 15)

    def test_goes_to_standard_output_under_any_name(self):
        for form in ([], ["--json"]):
            printed = self.succeed("kernel", "overhead", *form, env=self.fake)
            for name in (["-o", "-"], ["-o", "/dev/stdout"], ["--output=/dev/stdout"], ["-o", "/dev/fd/1"]):
                with self.subTest((form, name)):
                    self.assertEqual(self.succeed("kernel", "overhead", *form, *name, env=self.fake), printed)

    def test_goes_to_the_file_that_standard_output_is(self):
        out = self.folder / "cost.txt"
        with out.open("wb") as stream:
            done = subprocess.run([PROGRAM, "kernel", "overhead", "-o", out], env=self.fake, stdout=stream,
                                  stderr=subprocess.PIPE, timeout=120, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.assertEqual(out.read_text("utf-8"), self.succeed("kernel", "overhead", env=self.fake))

    def test_needs_a_driver(self):
        nowhere = with_driver(self.folder / "libcuda.so.1")
        out = self.folder / "cost.json"
        self.fails_with(3, "driver", "kernel", "overhead", "-o", out, env=nowhere)
        self.assertEqual(self.names_in_folder(), [])

    def test_says_what_is_too_much(self):
        self.fails_with(2, "'x' is one argument too many", "kernel", "overhead", "x")
        self.fails_with(2, "the name after -o is empty", "kernel", "overhead", "-o", "")


if __name__ == "__main__":
    main()

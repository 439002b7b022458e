#!/usr/bin/env python3
"""`lockstep kernel decode` from outside: what it finds in damaged profiles, and what it refuses."""

import json
import struct
import subprocess
from pathlib import Path

import schema_check
from cli_test_case import PROGRAM, main
from kernel_case import KernelTestCase
from kernel_file import LOAD, MMA, Lane, launch_entry, lkp, pipeline, pipeline_lanes, tvm_buffer

SCHEMA = Path(__file__).parents[2] / "docs/reference/kernel-decode.schema.json"


class Findings(KernelTestCase):
    def test_are_kinds_with_a_count_a_place_and_a_sentence(self):
        lanes = pipeline_lanes()
        lanes[0].dropped = 5
        lanes[1].records.pop(0)  # the begin of the first wait
        lanes[2].sm_end = 99
        document, warning = self.decode_with_findings(
            self.write("odd.lkp", lkp(lanes, [launch_entry(0)])))
        found = {one["kind"]: one for one in document["findings"]}
        self.assertEqual(found["dropped"]["count"], 5)
        self.assertIn("migrated", found)
        self.assertTrue(any("unmatched" in kind for kind in found), found.keys())
        self.assertIn("lockstep: data loss: 5 x ", warning)
        self.assertEqual(document["lanes"][0]["dropped"], 5)
        self.assertEqual(document["lanes"][1]["regions"][0]["status"], "unmatched_end")

    def test_are_in_the_text_once(self):
        lanes = pipeline_lanes()
        lanes[0].dropped = 5
        path = self.write("odd.lkp", lkp(lanes, [launch_entry(0)]))
        text = self.succeed("kernel", "decode", path)
        self.assertIn("5 records of 1 lane did not fit and are missing below.", text)
        self.assertRegex(text, r"\n  data loss +5  ")

    def test_end_the_program_with_3_when_strict(self):
        lanes = pipeline_lanes()
        lanes[0].dropped = 5
        done = self.run_lockstep("kernel", "decode", "--strict",
                                 self.write("odd.lkp", lkp(lanes, [launch_entry(0)])))
        self.assertEqual(done.returncode, 3)
        self.assertIn("--strict was given", done.stderr.decode())
        self.assertEqual(
            self.run_lockstep("kernel", "decode", "--strict", self.pipeline()).returncode, 0)

    def test_of_a_lane_that_recorded_nothing(self):
        lanes = [Lane(0, 0, 1, 100), Lane(0, 1, 1, 100)]
        lanes[1].region(MMA, 50)
        document, _ = self.decode_with_findings(
            self.write("x.lkp", lkp(lanes, [launch_entry(0, blocks=1, lanes=2)])))
        self.assertEqual([len(lane["regions"]) for lane in document["lanes"]], [0, 1])


class Damage(KernelTestCase):
    def ends_well(self, content, *options):
        """No crash, no hang: a document, or one sentence."""
        done = self.run_lockstep("kernel", "decode", "--json", *options,
                                 self.write("damaged", content))
        self.assertIn(done.returncode, (0, 2, 3), done.stderr)
        if done.returncode == 0:
            document = json.loads(done.stdout)
            self.assertEqual(list(schema_check.faults(document, json.loads(SCHEMA.read_text()))), [])
            return document
        self.assertEqual(done.stderr.count(b"\n"), 1, done.stderr)
        return None

    def test_a_file_that_was_cut_is_read_up_to_the_cut(self):
        whole = pipeline()
        for length in range(0, len(whole), 97):
            self.ends_well(whole[:length])
        document, warning = self.decode_with_findings(self.write("cut.lkp", whole[:-200]))
        self.assertIn("truncated", [one["kind"] for one in document["findings"]])
        self.assertIn("data loss", warning)

    def test_a_file_that_lies_about_its_sections(self):
        whole = bytearray(pipeline())
        for at in range(64, 64 + 24 * 5, 4):
            for value in (0, 0xFFFFFFFF, 0x7FFFFFF0):
                lying = bytearray(whole)
                struct.pack_into("<I", lying, at, value)
                self.ends_well(bytes(lying))

    def test_headers_that_no_buffer_can_hold(self):
        body = tvm_buffer()[8:]
        for header in (0, 0xFFFFFFFF, 0xFFFFFFFF << 32 | 0xFFFFFFFF, 1, 1 << 32):
            self.ends_well(struct.pack("<Q", header) + body, "--format", "tvm")

    def test_bytes_of_something_else(self):
        for name in ("tvm", "flashinfer", "flashinfer-old", "proton", "mosaic", "ikp", "iket"):
            self.ends_well(bytes(range(256)) * 9, "--format", name)
            self.ends_well(b"\0" * 100, "--format", name)


class Usage(KernelTestCase):
    def test_says_what_is_missing_or_too_much(self):
        path = self.pipeline()
        decode = ("kernel", "decode")
        self.fails_with(2, "kernel decode needs a file", *decode)
        self.fails_with(2, "the name of an input is empty", *decode, "")
        self.fails_with(2, f"'{path}' is one argument too many", *decode, path, path)
        self.fails_with(2, "standard input) can be given only once", *decode, "-", "--compare", "-")
        self.fails_with(2, "no in-kernel format 'tmv'; did you mean 'tvm'?", *decode, path,
                        "--format", "tmv")
        self.fails_with(2, "Leave --format out", *decode, path, "--format", "tvm")
        self.fails_with(2, "kernel decode has no option '--jsn'; did you mean '--json'?", *decode,
                        path, "--jsn")
        self.fails_with(2, "'x' is not a whole number", *decode, path, "--top", "x")
        self.fails_with(2, "--perfetto needs a value", *decode, path, "--perfetto")
        self.fails_with(2, "the name after --svg is empty", *decode, path, "--svg", "")

    def test_says_which_input_cannot_be_used(self):
        decode = ("kernel", "decode")
        self.fails_with(3, "gone.lkp", *decode, self.folder / "gone.lkp")
        self.fails_with(3, "is empty", *decode, self.write("empty", b""))
        self.fails_with(3, "is JSON", *decode, self.write("x.json", "{}"))
        self.fails_with(3, "gone.lkp", *decode, self.pipeline(), "--compare",
                        self.folder / "gone.lkp")
        self.fails_with(3, "standard input: is empty", *decode, "-", input=b"")

    def test_the_family_tells_its_commands(self):
        done = self.run_lockstep("kernel")
        self.assertEqual(done.returncode, 2)
        for command in ("kernel decode ", "kernel overhead "):
            self.assertIn(command, done.stdout.decode())
        self.assertEqual(self.succeed("kernel", "--help").encode(), done.stdout)
        self.assertEqual(self.succeed("help", "kernel").encode(), done.stdout)
        self.fails_with(2, "kernel has no command 'decod'; did you mean 'decode'?", "kernel",
                        "decod")
        self.fails_with(2, "kernel has no command 'x'; see 'lockstep kernel --help'", "kernel", "x")

    def test_help_is_the_same_from_all_sides(self):
        text = self.succeed("kernel", "decode", "--help")
        self.assertTrue(text.startswith("Usage: lockstep kernel decode FILE [options]\n"))
        for words in (("kernel", "help", "decode"), ("help", "kernel", "decode")):
            self.assertEqual(self.succeed(*words), text)
        for option in ("--format", "--names", "--groups", "--blocks", "--meta", "--json",
                       "--no-regions", "--perfetto", "--svg", "--compare", "--top", "--launch",
                       "--overhead", "--output"):
            self.assertIn(option, text)

    def test_a_closed_pipe_ends_it_quietly(self):
        lanes = pipeline_lanes()
        for lane in lanes:
            for _ in range(20_000):
                lane.region(LOAD, 10)
        path = self.write("long.lkp", lkp(lanes, [launch_entry(0)]))
        done = subprocess.run(f"'{PROGRAM}' kernel decode --json '{path}' | head -c 100",
                              shell=True, capture_output=True, check=False, timeout=120)
        self.assertEqual((len(done.stdout), done.stderr), (100, b""))


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""`lockstep kernel decode` from outside: what it prints and writes."""

import gzip
import json
import xml.etree.ElementTree as xml

import kernel_file
from cli_test_case import main
from kernel_case import KernelTestCase
from kernel_file import npy, pipeline, tvm_buffer

NAMES = "load,compute,store"


class Document(KernelTestCase):
    def test_is_as_the_contract_has_it(self):
        found = self.decode(self.pipeline())
        self.assertEqual(next(iter(found)), "schema")
        self.assertEqual((found["format"], found["device"]), ("lkp", "made-up GPU"))
        self.assertEqual(found["time"]["source"], "cycles+anchors")
        self.assertEqual(found["time"]["tick_ns"], 0.5)
        (launch,) = found["launches"]
        self.assertEqual((launch["kernel"], launch["grid"], launch["block"], launch["groups"]),
                         ("pipeline", [2, 1, 1], [64, 1, 1], 2))
        self.assertEqual((launch["lanes_expected"], launch["lanes_seen"]), (4, 4))
        self.assertEqual([(lane["block"], lane["group"], lane["sm"]) for lane in found["lanes"]],
                         [(0, 0, 10), (0, 1, 10), (1, 0, 11), (1, 1, 11)])

    def test_regions_are_the_same_whether_they_are_kept_or_read_again(self):
        """Perfetto's file needs them all at once, the document one lane after the other."""
        profile = self.pipeline()
        for options in [(), ("--overhead", "20")]:
            again = self.succeed("kernel", "decode", "--json", profile, *options)
            kept = self.succeed("kernel", "decode", "--json", profile, *options,
                                "--perfetto", self.folder / "out.pftrace")
            self.assertEqual(again, kept)
            self.assertGreater(len(json.loads(again)["lanes"][0]["regions"]), 0)

    def test_regions_have_their_cycles_payload_and_depth(self):
        producer, consumer = self.decode(self.pipeline())["lanes"][:2]
        first = producer["regions"][0]
        self.assertEqual((first["name"], first["event"], first["duration_cycles"], first["payload"],
                          first["depth"], first["status"]), ("load", 0, 300, 0, 0, "ok"))
        self.assertAlmostEqual(first["duration_ns"], 150, delta=1)
        nested = [region for region in consumer["regions"] if region["name"] == "mma"]
        self.assertEqual({region["depth"] for region in nested}, {1})
        starts = [region["start_ns"] for region in consumer["regions"]]
        self.assertEqual(starts, sorted(starts))
        self.assertEqual([one["name"] for one in consumer["instants"]], ["store"])

    def test_lanes_of_different_multiprocessors_share_one_axis(self):
        """Their cycle counters do not: they are 1,000,003 cycles apart."""
        lanes = self.decode(self.pipeline())["lanes"]
        first = [lane["regions"][0]["start_ns"] for lane in lanes]
        band = max(lane["regions"][0]["uncertainty_ns"] for lane in lanes)
        self.assertAlmostEqual(first[2] - first[0], 20, delta=2 * band)

    def test_statistics_are_over_lanes(self):
        events = {event["name"]: event for event in self.decode(self.pipeline())["events"]}
        self.assertEqual(set(events), {"load", "wait", "mma", "store", "tile"})
        mma = events["mma"]
        self.assertEqual((mma["count"], mma["lanes"]), (8, 2))
        self.assertAlmostEqual(mma["min_ns"], 180, delta=1)
        self.assertAlmostEqual(mma["max_ns"], 225, delta=1)
        self.assertGreater(mma["lane_share"], 0.5)

    def test_the_slow_block_is_critical(self):
        found = self.decode(self.pipeline())
        (critical,) = found["critical"]
        self.assertEqual((critical["block"], critical["group"], critical["sm"]), (1, 1, 11))
        self.assertGreater(critical["slack_ns"], 100)
        self.assertGreater(found["imbalance"]["blocks"]["ratio"], 1.05)

    def test_producer_and_consumer_overlap(self):
        (overlap,) = self.decode(self.pipeline())["overlap"]
        self.assertEqual((overlap["first_group"], overlap["second_group"]), (0, 1))
        self.assertGreater(overlap["ratio"], 0.8)

    def test_asynchronous_work_is_paired_across_lanes(self):
        pairs = self.decode(self.pipeline())["async"]
        self.assertEqual(sorted(pair["token"] for pair in pairs), list(range(8)))
        for pair in pairs:
            self.assertEqual((pair["begin"]["group"], pair["end"]["group"]), (0, 1))
            self.assertEqual(pair["begin"]["block"], pair["end"]["block"])
            self.assertGreater(pair["duration_ns"], 0)

    def test_can_be_without_regions(self):
        path = self.pipeline()
        whole, short = self.decode(path), self.decode(path, "--no-regions")
        for lane in short["lanes"]:
            self.assertNotIn("regions", lane)
            self.assertNotIn("instants", lane)
        for key in ("events", "critical", "imbalance", "overlap", "gaps", "launches"):
            self.assertEqual(whole[key], short[key])

    def test_has_no_regions_either_beside_perfetto(self):
        out = self.folder / "a.pftrace"
        found = self.decode(self.pipeline(), "--no-regions", "--perfetto", out)
        self.assertNotIn("regions", found["lanes"][0])
        self.assertTrue(out.exists())

    def test_is_the_same_every_time(self):
        path = self.pipeline()
        self.assertEqual(self.succeed("kernel", "decode", "--json", path),
                         self.succeed("kernel", "decode", "--json", path))

    def test_names_can_be_given(self):
        events = self.decode(self.pipeline(), "--names", "a,b,,d")["events"]
        self.assertEqual({event["name"] for event in events},
                         {"a", "b", "event 2", "d", "event 5"})

    def test_gaps_are_as_many_as_asked(self):
        path = self.pipeline()
        self.assertEqual(len(self.decode(path, "--top", "2")["gaps"]), 2)
        self.assertGreater(len(self.decode(path, "--top", "0")["gaps"]), 5)

    def test_of_one_launch(self):
        path = self.write("three.lkp", kernel_file.three_launches())
        self.assertEqual([launch["id"] for launch in self.decode(path)["launches"]], [0, 1, 2])
        found = self.decode(path, "--launch", "1")
        self.assertEqual([launch["id"] for launch in found["launches"]], [1])
        self.assertEqual({lane["launch"] for lane in found["lanes"]}, {1})
        self.fails_with(2, "no launch has the id 7", "kernel", "decode", path, "--launch", "7")


class Formats(KernelTestCase):
    def test_a_buffer_needs_its_format(self):
        for name, content in (("t.npy", npy(tvm_buffer())), ("t.bin", tvm_buffer())):
            self.fails_with(2, "it looks like tvm. Say --format tvm if it is", "kernel", "decode",
                            self.write(name, content))

    def test_tvm_buffers_are_read_raw_and_as_arrays(self):
        for name, content in (("t.npy", npy(tvm_buffer())), ("t.bin", tvm_buffer())):
            found = self.decode(self.write(name, content), "--format", "tvm", "--names", NAMES)
            self.assertEqual(found["time"]["source"], "globaltimer")
            self.assertEqual(len(found["lanes"]), 2)
            for lane in found["lanes"]:
                self.assertEqual([(region["name"], region["duration_ns"], region["duration_cycles"])
                                  for region in lane["regions"]],
                                 [("load", 96, None), ("compute", 8704, None), ("store", 64, None)])

    def test_a_missing_header_is_replaced(self):
        path = self.write("t.bin", tvm_buffer(blocks=2, groups=3, has_header=False))
        document, warning = self.decode_with_findings(path, "--format", "tvm")
        self.assertIn("header_missing", [one["kind"] for one in document["findings"]])
        self.assertIn("lockstep: error: ", warning)
        found = self.decode(path, "--format", "tvm", "--groups", "3", "--blocks", "2")
        self.assertEqual([(lane["block"], lane["group"]) for lane in found["lanes"]],
                         [(block, group) for block in range(2) for group in range(3)])

    def test_a_file_can_come_through_a_pipe(self):
        found = self.decode("-", input=pipeline())
        self.assertEqual((found["input"], len(found["lanes"])), ("-", 4))
        text = self.succeed("kernel", "decode", "-", input=pipeline())
        self.assertTrue(text.startswith("standard input  lkp"))

    def test_compressed_files_are_read(self):
        path = self.write("a.lkp.gz", gzip.compress(pipeline()))
        self.assertEqual(len(self.decode(path)["lanes"]), 4)


class Text(KernelTestCase):
    def test_tells_the_whole_story_on_one_screen(self):
        text = self.succeed("kernel", "decode", self.pipeline())
        for part in ("Time is cycles of 0.500 ns, tied to the device's timer by 16 anchors",
                     "\nLaunches\n", "\nEvents, over all lanes\n", "\nCritical lanes\n",
                     "block 1 group 1 on SM 11 ends last",
                     "\nImbalance of the time inside regions, summed over lanes\n",
                     "\nOverlap of groups in the same blocks", "\nTimeline; * ends last\n",
                     "m mma", "\nFindings\n"):
            self.assertIn(part, text)
        self.assertLessEqual(text.count("\n"), 60)

    def test_draws_the_timeline_as_wide_as_the_terminal(self):
        for width in (80, 132):
            text = self.succeed("kernel", "decode", self.pipeline(),
                                env={"COLUMNS": str(width), "PATH": "/usr/bin"})
            rows = [line for line in text.splitlines() if "│" in line]
            self.assertEqual({len(row) for row in rows}, {width})
            self.assertEqual(len(rows), 4)
            self.assertRegex(rows[0], r"^   block 0 SM 10 group 0 │·*l+w+l+w+l+w+l+w+·* *│$")

    def test_goes_to_a_file_with_o(self):
        out = self.folder / "report.txt"
        self.assertEqual(self.succeed("kernel", "decode", self.pipeline(), "-o", out), "")
        self.assertIn("Timeline", out.read_text("utf-8"))

    def test_says_what_changed_since_another_profile(self):
        now = self.pipeline("now.lkp", slow=1.5, blocks=2)
        before = self.pipeline("before.lkp")
        text = self.succeed("kernel", "decode", now, "--compare", before)
        self.assertIn(f"Against {before}", text)
        changes = {one["name"]: one
                   for one in self.decode(now, "--compare", before)["compare"]["events"]}
        self.assertAlmostEqual(changes["mma"]["p50"]["ratio"], 1.5, 2)
        self.assertGreater(changes["load"]["total"]["delta_ns"], 0)


class Outputs(KernelTestCase):
    def test_perfetto_has_a_track_a_lane(self):
        out = self.folder / "a.pftrace"
        text = self.succeed("kernel", "decode", self.pipeline(), "--perfetto", out)
        self.assertTrue(text.endswith(f"\nwrote {out}\n"))
        found = self.info(out)
        self.assertEqual(found["format"], "perfetto")
        self.assertEqual(found["flows"], 8)

    def test_the_picture_is_svg_without_scripts(self):
        out = self.folder / "a.svg"
        self.succeed("kernel", "decode", self.pipeline(), "--svg", out)
        root = xml.fromstring(out.read_text("utf-8"))
        self.assertEqual(root.tag, "{http://www.w3.org/2000/svg}svg")
        self.assertNotIn("<script", out.read_text("utf-8"))
        titles = [one.text for one in root.iter("{http://www.w3.org/2000/svg}title")]
        self.assertEqual(sum(title.startswith("mma: ") for title in titles), 8)

    def test_are_refused_where_they_would_replace_something(self):
        path = self.pipeline()
        decode = ("kernel", "decode", path)
        for option in ("--perfetto", "--svg", "-o"):
            self.fails_with(2, f"Choose another name with {option}", *decode, option, path)
        self.fails_with(2, "--perfetto cannot go to standard output", *decode, "--perfetto", "-")
        self.fails_with(2, "-o cannot go to standard output", *decode, "-o", "/dev/stdout")
        self.fails_with(2, "--perfetto and --svg name the same file", *decode, "--perfetto",
                        self.folder / "x", "--svg", self.folder / "x")
        self.fails_with(2, "--svg and -o name the same file", *decode, "-o", self.folder / "x",
                        "--svg", self.folder / "x")
        self.fails_with(3, "cannot be written", *decode, "--svg", self.folder / "no" / "x.svg")
        self.assertEqual(self.names_in_folder(), ["a.lkp"])

    def test_leave_nothing_behind_when_the_input_is_unusable(self):
        path = self.write("bad.lkp", b"LKP1\r\n\x1a\n")
        self.fails_with(3, "bad.lkp", "kernel", "decode", path, "--svg", self.folder / "x.svg")
        self.assertEqual(self.names_in_folder(), ["bad.lkp"])


class Overhead(KernelTestCase):
    def test_is_taken_off_regions(self):
        path = self.pipeline()
        plain, less = self.decode(path), self.decode(path, "--overhead", "20")
        self.assertEqual(less["time"]["overhead_cycles"], 20)
        first, shorter = (found["lanes"][0]["regions"][0] for found in (plain, less))
        self.assertLess(shorter["duration_ns"], first["duration_ns"])
        self.assertIn("20 cycles a marker were taken off", self.succeed(
            "kernel", "decode", path, "--overhead", "20"))

    def test_can_be_read_from_a_file(self):
        cost = self.write("cost.json", json.dumps({
            "schema": "lockstep.kernel-overhead/1",
            "markers": [{"variant": "shared", "warps": 2, "cycles": 16.5}]}))
        found = self.decode(self.pipeline(), "--overhead", cost)
        self.assertEqual(found["time"]["overhead_cycles"], 16.5)
        self.fails_with(2, "is an input", "kernel", "decode", self.pipeline(), "--overhead", cost,
                        "-o", cost)

    def test_must_make_sense(self):
        decode = ("kernel", "decode", self.pipeline(), "--overhead")
        self.fails_with(2, "--overhead cannot be '-3'", *decode[:-1], "--overhead=-3")
        self.fails_with(3, "gone.json: no such file", *decode, self.folder / "gone.json")
        self.fails_with(3, "tells no cost of a marker", *decode, self.write("x.json", "{}"))


if __name__ == "__main__":
    main()

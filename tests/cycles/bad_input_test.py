"""`lockstep cycles` on traces that hold too little, too much or nonsense: a sensible answer or a sentence."""
import gzip
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "cli"))
from cli_test_case import CliTestCase, complete, kineto, main  # noqa: E402

import loop_oracle  # noqa: E402
from trace_edit import LAYER, LAYERS, PASS, made_up  # noqa: E402

STREAMS = 600
FACES = [("--json",), (), ("--all",), ("--method", "anchor"), ("--symbol", "role")]


def kernels(places, stream=7):
    """Kernels from (name, start, duration)."""
    return [complete("kernel", name, 0, stream, start, duration, device=0, stream=stream,
                     correlation=i + 1) for i, (name, start, duration) in enumerate(places)]


class BadInputTestCase(CliTestCase):
    def streams(self, content, name="bad.json"):
        """What every face says without a fault; the JSON as checked by the oracle."""
        path = self.write(name, content)
        for face in FACES:
            self.succeed("cycles", path, *face)
        document = json.loads(self.succeed("cycles", path, "--json"))
        self.assertEqual(loop_oracle.faults(document, path), [])
        return document["streams"]

    def loops(self, places):
        (stream,) = self.streams(kineto(kernels(places)))
        return [(loop["start"], loop["complete"], loop["period"]) for loop in stream["loops"]]


class TooLittle(BadInputTestCase):
    def test_no_device_events(self):
        path = self.write("host.json", kineto([complete("cpu_op", "aten::mm", 1, 1, 10, 5)]))
        self.fails_with(3, "holds no kernels", "cycles", path)

    def test_copies_are_no_kernels(self):
        copies = [complete("gpu_memcpy", "Memcpy HtoD", 0, 7, 10 * i, 5, device=0, stream=7)
                  for i in range(1, 9)]
        self.fails_with(3, "holds no kernels", "cycles", self.write("copies.json", kineto(copies)))

    def test_no_events(self):
        for text in ('{"traceEvents": []}', "[]"):
            with self.subTest(text=text):
                done = self.run_lockstep("cycles", self.write("none.json", text))
                self.assertEqual(done.returncode, 3)
                self.assertRegex(done.stderr.decode(), r"^lockstep: [^\n]+\n$")

    def test_one_two_and_three_kernels(self):
        for count in (1, 2, 3):
            with self.subTest(count=count):
                self.assertEqual(self.loops([("gemm", 10 * i + 10, 5) for i in range(count)]), [])
                self.assertEqual(
                    self.loops([(f"k{i}", 10 * i + 10, 5) for i in range(count)]), [])


class Monotonous(BadInputTestCase):
    def test_one_name_only(self):
        self.assertEqual(self.loops([("same", 10 * i + 10, 5) for i in range(1000)]),
                         [(0, 1000, 1)])

    def test_every_name_once(self):
        self.assertEqual(self.loops([(f"k{i}", 10 * i + 10, 5) for i in range(1000)]), [])

    def test_empty_names(self):
        self.assertEqual(self.loops([("", 10 * i + 10, 5) for i in range(100)]), [(0, 100, 1)])


class OddTimes(BadInputTestCase):
    def test_zero_durations(self):
        names = 10 * PASS
        loops = self.loops([(name, 10 + i, 0) for i, name in enumerate(names)])
        self.assertIn((0, 10, len(PASS)), loops)

    def test_all_at_one_time(self):
        # Then the order is that of the names: one loop a name at most.
        loops = self.loops([(name, 10, 0) for name in 10 * PASS])
        self.assertTrue(all(period == 1 for _, _, period in loops), loops)

    def test_kernels_that_overlap(self):
        names = 10 * PASS
        loops = self.loops([(name, 10 + 10 * i, 25) for i, name in enumerate(names)])
        self.assertIn((0, 10, len(PASS)), loops)
        self.assertIn((3, LAYERS, len(LAYER)), loops)

    def test_a_kernel_as_long_as_all_others(self):
        names = 6 * PASS
        places = [(name, 10 + 10 * i, 5) for i, name in enumerate(names)]
        places[0] = (names[0], 10, 10 * len(names))
        self.assertIn((0, 6, len(PASS)), self.loops(places))

    def test_negative_durations_and_times(self):
        done = self.run_lockstep("cycles", self.write("odd.json", kineto(kernels(
            [("a", 10, -5), ("b", -20, 5), ("a", 30, 5), ("b", 40, 5)]))))
        self.assertIn(done.returncode, (0, 3))
        self.assertNotIn("internal", done.stderr.decode())


class TooMany(BadInputTestCase):
    def test_hundreds_of_streams(self):
        events = [event for stream in range(STREAMS) for event in
                  kernels([(name, 10 + 10 * i, 5) for i, name in enumerate(3 * LAYER)], stream)]
        streams = self.streams(kineto(events))
        self.assertEqual([s["stream"] for s in streams], [str(i) for i in range(STREAMS)])
        for stream in streams:
            self.assertEqual([(loop["complete"], loop["period"]) for loop in stream["loops"]],
                             [(3, len(LAYER))])


class CutOff(BadInputTestCase):
    """Files that end before they should, as when the profiler was killed."""

    def setUp(self):
        super().setUp()
        self.text = json.dumps(made_up(8 * PASS), indent=1).encode()

    def assert_part_is_told(self, path):
        done = self.run_lockstep("cycles", "--json", path)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("lockstep: data loss: ", done.stderr.decode())
        (stream,) = json.loads(done.stdout)["streams"]
        loop = next(loop for loop in stream["loops"] if loop["period"] == len(PASS))
        self.assertEqual(loop["complete"], stream["kernels"] // len(PASS))
        self.assertLess(stream["kernels"], 8 * len(PASS))
        self.assertEqual(self.run_lockstep("cycles", "--strict", path).returncode, 3)

    def test_cut_json(self):
        for share in (0.4, 0.5, 0.61, 0.77, 0.9):
            with self.subTest(share=share):
                self.assert_part_is_told(
                    self.write("cut.json", self.text[:int(share * len(self.text))]))

    def test_cut_gzip(self):
        packed = gzip.compress(self.text, mtime=0)
        for share in (0.5, 0.7, 0.9):
            with self.subTest(share=share):
                self.assert_part_is_told(
                    self.write("cut.json.gz", packed[:int(share * len(packed))]))

    def test_cut_before_the_first_kernel(self):
        done = self.run_lockstep("cycles", self.write("cut.json", self.text[:200]))
        self.assertEqual(done.returncode, 3)
        self.assertRegex(done.stderr.decode(), r"lockstep: [^\n]+\n$")

    def test_no_trace_at_all(self):
        for content in (b"", b"{", b"\x00" * 100, b"hello", b"\x1f\x8b\x08"):
            with self.subTest(content=content):
                done = self.run_lockstep("cycles", self.write("no.json", content))
                self.assertEqual(done.returncode, 3)
                self.assertRegex(done.stderr.decode(), r"^lockstep: [^\n]+\n$")


if __name__ == "__main__":
    main()

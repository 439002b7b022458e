"""`lockstep anomalies` on one made-up trace in several guises: the answer is the same."""
import json
import random
import re
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "cli"))
from cli_test_case import CliTestCase  # noqa: E402

from planted_test import planted  # noqa: E402
from planted_trace import CAUSES, SCOPES  # noqa: E402

SEEDS = range(12)
TIMES = ("start_ns", "end_ns", "start_us", "end_us")
TIME_IN_TEXT = re.compile(r"from -?[0-9.]+ [a-z]+ on\b")
# These tell how to record more, in the words of the profiler that wrote the file.
OF_THE_FORMAT = ("evidence_gaps", "recommendations")


def from_first_step(value, zero_ns):
    """`value` with times from the first step on: formats count from different events."""
    if isinstance(value, list):
        return [from_first_step(item, zero_ns) for item in value]
    if isinstance(value, str):
        return TIME_IN_TEXT.sub("from then on", value)
    if not isinstance(value, dict):
        return value
    counted = {}
    for key, item in value.items():
        if key.endswith(TIMES) and item is not None:
            item = (round(item * 1000) if key.endswith("_us") else item) - zero_ns
        counted[key] = from_first_step(item, zero_ns)
    return counted


class Metamorphic(CliTestCase):
    def answer(self, path):
        found = json.loads(self.succeed("anomalies", path, "--json", "--bubbles", "all"))
        found = found["anomaly_discovery"]
        for device in found["devices"]:
            del device["input"]
        return from_first_step(found, found["steps"][0]["start_ns"])

    def test_the_order_of_events_in_the_file_does_not_matter(self):
        for seed in SEEDS:
            trace = planted(seed, SCOPES, CAUSES)
            answer = self.answer(self.write("a.json", trace.text()))
            random.Random(seed).shuffle(trace.events)
            with self.subTest(seed=seed):
                self.assertEqual(self.answer(self.write("b.json", trace.text())), answer)

    def test_the_format_does_not_matter(self):
        for seed in SEEDS:
            path = self.write("a.json", planted(seed, SCOPES, CAUSES).text())
            answer = self.answer(path)
            for name in ("a.pftrace", "a.xplane.pb"):
                output = self.folder / f"{seed}.{name}"
                self.succeed("convert", path, "-o", output)
                other = self.answer(output)
                for key in OF_THE_FORMAT:
                    other[key] = answer[key]
                with self.subTest(seed=seed, name=name):
                    self.assertEqual(other, answer)


if __name__ == "__main__":
    unittest.main()

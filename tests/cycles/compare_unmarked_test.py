"""A trace against itself without its marks and annotations: the same, and nothing without a partner.

Inputs are the examples, a single prefill cut from one of them, and the traces of known models.
"""
import gzip
import json
import os

from metamorphic_case import EXAMPLES, FIXTURES, MetamorphicTestCase  # first: it finds the others
from cli_test_case import main

ANNOTATIONS = ("user_annotation", "gpu_user_annotation")
PREFILL = "prefill"


def read(path):
    with gzip.open(path) as file:
        return json.load(file)


def only_prefill(document):
    """The kernels that run inside the annotation of the prefill on the device, and what is on the host then."""
    events = document["traceEvents"]
    (window,) = [e for e in events if e.get("cat") == "gpu_user_annotation" and e["name"] == PREFILL]
    end = window["ts"] + window["dur"]
    return dict(document, traceEvents=[e for e in events if e.get("ph") == "M" or e.get("ts", end + 1) <= end])


class AgainstItselfWithoutMarks(MetamorphicTestCase):
    def check(self, document):
        marked = self.write("marked.json", json.dumps(document))
        events = document["traceEvents"]
        unmarked = [event for event in events if event.get("cat") not in ANNOTATIONS]
        only_kernels = [event for event in events if event.get("cat") == "kernel"]
        for left in (unmarked, only_kernels):
            bare = self.write("bare.json", json.dumps(dict(document, traceEvents=left)))
            for a, b in ((marked, bare), (bare, marked)):
                compared = json.loads(self.succeed("compare", "--json", a, b))
                self.assertEqual([pair["delta_ns"] for pair in compared["pairs"]], [0] * len(compared["pairs"]))
                self.assertEqual((compared["total_delta_ns"], compared["unmatched_ns_a"], compared["unmatched_ns_b"]),
                                 (0, 0, 0))

    def test_examples_and_known_models(self):
        for path in EXAMPLES + FIXTURES:
            with self.subTest(path=os.path.basename(path)):
                self.check(read(path))

    def test_single_prefill(self):
        for path in EXAMPLES:
            with self.subTest(path=os.path.basename(path)):
                self.check(only_prefill(read(path)))


if __name__ == "__main__":
    main()

"""Without its marks and annotations a trace has the same loops and layers, and phases that are told more weakly but
never otherwise.

Inputs are the examples, the traces of known models and, with LOCKSTEP_CORPUS, all Kineto traces there.
"""
import gzip
import json
import os

from metamorphic_case import EXAMPLES, FIXTURES, MetamorphicTestCase, all_of_corpus, shape  # first: it finds the others
from cli_test_case import main

ANNOTATIONS = ("user_annotation", "gpu_user_annotation")
KERNELS = ("kernel", "Kernel", "mtia_ccp_events")
STRENGTHS = [None, "possible", "probable", "fact"]
# What may be told of kernels that an annotation told more of.
WEAKER = {"training": {"forward", "backward", "optimizer"}}
# Annotations alone tell where these loops begin: iterations and kernels of the loop that stays, from another kernel
# on.
BORDERS_BY_ANNOTATION = {"param_linear_kineto.json.gz": (39, 220), "hta_trace_diff_test.json.gz": (6, 1510),
                         "deepseek_v3_train_h800.json.gz": (4, 227)}


def told_of_kernels(stream):
    """Phase and strength for each kernel of a stream."""
    told = []
    for span in stream["phases"]:
        strength = max((STRENGTHS.index(one["strength"]) for one in span["evidence"]), default=0)
        told += (span["end"] - span["start"]) * [(span["phase"], strength)]
    return told


def contradictions(before, after):
    """Kernels of which something else is told, or the same more surely; the first of each kind."""
    found = {}
    pairs = zip(told_of_kernels(before), told_of_kernels(after), strict=True)
    for i, ((phase, strength), (new_phase, new_strength)) in enumerate(pairs):
        may_be = {phase, "unknown"} | WEAKER.get(phase, set())
        if new_phase not in may_be or new_strength > strength:
            found.setdefault((phase, STRENGTHS[strength], new_phase, STRENGTHS[new_strength]), i)
    return found


def layers(document):
    """Layers of all passes that are told, in order."""
    return [(stream["stream"], one["start"], family["layers"]) for stream in document["streams"]
            for family in stream["families"] if family["layers"] for a_class in family["classes"]
            for one in a_class["passes"]]


def roles(document):
    return [loop["role"] for stream in document["streams"] for loop in stream["loops"]]


class WithoutMarks(MetamorphicTestCase):
    def check(self, name, before, after):
        self.assertEqual([stream["kernels"] for stream in after["streams"]],
                         [stream["kernels"] for stream in before["streams"]])
        for one, other in zip(before["streams"], after["streams"]):
            self.assertEqual(contradictions(one, other), {}, f"stream {one['stream']}")
        if name in BORDERS_BY_ANNOTATION:
            stream = max(after["streams"], key=lambda one: one["kernels"])
            self.assertIn(BORDERS_BY_ANNOTATION[name],
                          [(loop["complete"], loop["period"]) for loop in stream["loops"] if loop["depth"] == 0])
            return
        self.assertEqual(shape(after), shape(before))
        self.assertEqual(layers(after), layers(before))
        for role, new_role in zip(roles(before), roles(after)):
            self.assertIn(new_role, {role, "unknown"})

    def check_file(self, path):
        before = json.loads(self.succeed("cycles", "--json", path))
        with gzip.open(path) as file:
            document = json.load(file)
        events = document["traceEvents"]
        unmarked = [event for event in events if event.get("cat") not in ANNOTATIONS]
        only_kernels = [event for event in events if event.get("cat") in KERNELS]
        for left in [unmarked] * (len(unmarked) < len(events)) + [only_kernels]:
            with self.subTest(path=os.path.basename(path), events=len(left)):
                self.check(os.path.basename(path), before,
                           self.cycles(json.dumps(dict(document, traceEvents=left))))

    def test_examples(self):
        for path in EXAMPLES:
            self.check_file(path)

    def test_known_models(self):
        for path in FIXTURES:
            self.check_file(path)

    def test_corpus(self):
        for path in all_of_corpus("h200/[!l]*.json.gz", "h200/llama_r*.json.gz", "kineto/*.json.gz", "pairs/*.json.gz",
                           "ranks/*.json.gz"):
            if "cpu_only" not in path:
                self.check_file(path)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Checks the roles and phases that `lockstep cycles` finds in the corpus against what is known of it.

Usage: phases_test.py LOCKSTEP. The corpus is found by LOCKSTEP_CORPUS; without it the test says so
and is skipped (exit 77).
"""
import gzip
import json
import os
import subprocess
import sys
import tempfile
import unittest

SKIPPED = 77
PROGRAM = None
FOLDER = None
ANNOTATIONS = {"user_annotation", "gpu_user_annotation"}


def busiest_stream(path):
    done = subprocess.run([PROGRAM, "cycles", "--quiet", "--json", path], capture_output=True,
                          check=True, text=True)
    return max(json.loads(done.stdout)["streams"], key=lambda stream: stream["kernels"])


def spans(stream):
    return [(s["phase"], s["start"], s["end"], s["passes"], s["layers"]) for s in stream["phases"]]


def loops(stream, role):
    """What loops of a role are: iterations, kernels of the body, phase."""
    return [(loop["complete"], loop["period"], loop["phase"]) for loop in stream["loops"]
            if loop["role"] == role]


def strengths(stream):
    return [span["evidence"][0]["strength"] if span["evidence"] else None
            for span in stream["phases"]]


def of(name):
    return busiest_stream(os.path.join(FOLDER, name))


def without_annotations(name):
    with gzip.open(os.path.join(FOLDER, name)) as file:
        trace = json.load(file)
    trace["traceEvents"] = [event for event in trace["traceEvents"]
                            if event.get("cat") not in ANNOTATIONS]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "trace.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(trace, file)
        return busiest_stream(path)


class Inference(unittest.TestCase):
    EAGER = [("prefill", 0, 664, 1, 16), ("decode", 664, 17344, 24, 16)]
    COMPILED = [("prefill", 0, 263, 1, 16), ("decode", 263, 7703, 24, 16)]

    def test_a_prefill_that_is_no_loop_and_decode_passes(self):
        stream = of("h200/llama_eager.json.gz")
        self.assertEqual(spans(stream), self.EAGER)
        self.assertEqual(strengths(stream), ["fact", "fact"])
        self.assertEqual(loops(stream, "pass"), [(24, 695, "decode")])
        self.assertEqual(loops(stream, "layer"), [(16, 40, "prefill"), (16, 42, "decode")])

    def test_compiled_layers(self):
        stream = of("h200/llama_compiled.json.gz")
        self.assertEqual(spans(stream), self.COMPILED)
        self.assertEqual(loops(stream, "pass"), [(24, 310, "decode")])
        self.assertEqual(loops(stream, "layer"), [(16, 16, "prefill"), (16, 19, "decode")])

    def test_without_annotations_the_same_phases_are_weaker(self):
        for name, expected in (("h200/llama_eager.json.gz", self.EAGER),
                               ("h200/llama_compiled.json.gz", self.COMPILED)):
            stream = without_annotations(name)
            self.assertEqual(spans(stream), expected)
            self.assertEqual(strengths(stream), ["probable", "probable"])

    def test_serving_engines_annotate_in_their_own_forms(self):
        self.assertEqual(spans(of("kineto/tl_sglang_Qwen3-8B_decode.json.gz")),
                         [("decode", 0, 553, 1, 36)])
        self.assertEqual(spans(of("kineto/tl_vllm_piecewise_graph_execution.json.gz")),
                         [("mixed", 0, 413, 1, 24)])

    def test_single_passes_are_layers_of_an_unknown_phase(self):
        self.assertEqual(loops(of("pairs/bert_small_h100.json.gz"), "layer"), [(4, 12, "unknown")])
        self.assertEqual(loops(of("ranks/megatron_kineto_0.json.gz"), "layer"),
                         [(40, 14, "unknown")])

    def test_a_window_that_opens_inside_an_earlier_pass_holds_two(self):
        for name, period in (("h100", 42), ("mi300", 43)):
            stream = of(f"pairs/qwen1.5_0.5b_{name}.json.gz")
            self.assertEqual(loops(stream, "layer"),
                             [(10, period, "unknown"), (24, period, "unknown")])
            self.assertEqual([span["passes"] for span in stream["phases"]], [1, 1])
            self.assertEqual(stream["phases"][1]["layers"], 24)


class Training(unittest.TestCase):
    def test_steps_hold_forward_and_backward_layers(self):
        stream = of("h200/gpt2_train_stalls.json.gz")
        self.assertEqual(spans(stream), [("training", 0, 11340, 10, 12)])
        self.assertEqual(loops(stream, "step"), [(10, 1134, "training")])
        self.assertEqual(loops(stream, "layer"), [(12, 34, "forward"), (12, 53, "backward")])

    def test_without_annotations_steps_stay_steps(self):
        stream = without_annotations("h200/gpt2_train_stalls.json.gz")
        self.assertEqual(loops(stream, "step"), [(10, 1134, "training")])
        self.assertEqual(loops(stream, "layer"), [(12, 34, "forward"), (12, 53, "backward")])

    def test_models_without_attention_have_steps_too(self):
        for name, count, period, phase in (
                ("kineto/hta_ns_resolution_rank0.json.gz", 5, 870, "training"),
                ("pairs/hta_trace_diff_control.json.gz", 6, 1383, "training"),
                ("h200/jax_train.xplane.pb.gz", 12, 217, "unknown")):
            self.assertEqual(loops(of(name), "step"), [(count, period, phase)], name)

    def test_one_step_of_micro_batches(self):
        stream = of("ascend/llm_step_rank0")
        self.assertEqual(loops(stream, "pass"), [(2, 441, "forward"), (2, 512, "backward")])
        self.assertEqual(loops(stream, "layer"), [(14, 31, "forward"), (14, 36, "backward")])
        phases = [(phase, layers) for phase, _, _, passes, layers in spans(stream) if passes]
        self.assertEqual(phases, [("forward", 14), ("backward", 14)])
        self.assertEqual(spans(stream)[-1][0], "optimizer")

    def test_rocprof_knows_no_launches(self):
        stream = of("rocm/tl_rocprofv3_908_results.json.gz")
        self.assertEqual(loops(stream, "step"), [(50, 746, "training")])
        self.assertEqual(stream["phases"][0]["layers"], 8)


if __name__ == "__main__":
    corpus = os.environ.get("LOCKSTEP_CORPUS")
    if not corpus:
        print("LOCKSTEP_CORPUS is not set")
        sys.exit(SKIPPED)
    PROGRAM, FOLDER = sys.argv[1], os.path.realpath(corpus)
    unittest.main(argv=[sys.argv[0]])

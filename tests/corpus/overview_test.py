#!/usr/bin/env python3
"""One line an input of the corpus: its kernels, loops, layers, phases and the first finding on its idle time.

Holds the answers of the corpus' README that no other test asks for; HELD_BY names for each input the tests that hold
the rest. Usage: overview_test.py LOCKSTEP. The corpus is found by LOCKSTEP_CORPUS; without it the test says so and is
skipped (exit 77).
"""
import json
import os
import subprocess
import sys
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

SKIPPED = 77
PROGRAM = None
CORPUS = Path(os.environ.get("LOCKSTEP_CORPUS", ""))
HERE = Path(__file__).resolve().parent
# A loop is shown that covers so much of its stream, or of the iteration around it.
SHOWN_SHARE = 0.1

# What there is nothing to say of, and why: words of the sentence with which it is refused.
REFUSED = {"h200/proton_intra_triton36.json.gz": "'lockstep kernel decode' reads it",
           "kineto/hta_cpu_only_rank34.json.gz": "holds no kernels",
           "xspace/xprof_tpu_inference_2_utf8_mangled.xplane.pb": "a text tool has destroyed"}
# The README has no row for these: Triton's own files, no traces.
NO_TRACES = {"h200/triton"}

KERNELS = {
    "ascend/db_level1_rank1_ascend_pt": 191, "ascend/llm_step_rank0": 2463, "ascend/old2023_rank0": 21,
    "ascend/text_level1_rank0_ascend_pt": 191, "ascend/text_level1_rank1_ascend_pt": 191,
    "ascend/trace_view_msprof_analyze.json.gz": 274,
    "h200/gpt2_train_stalls.json.gz": 11340, "h200/jax_train.xplane.pb.gz": 2604, "h200/llama_compiled.json.gz": 7703,
    "h200/llama_eager.json.gz": 17344, "h200/llama_reduce_overhead.json.gz": 3720,
    "h200/proton_cupti.chrome_trace": 120, "h200/qwen3moe_shapes.json.gz": 4858, "h200/transformer_train_unmarked.json.gz": 11700,
    "kineto/deepseek_v3_train_h800.json.gz": 963, "kineto/hta_cuda_event_sync_multi_stream.json.gz": 3,
    "kineto/hta_mi250_minitoy_rocm6_2.json.gz": 14, "kineto/hta_mtia_inference_rank0.json.gz": 97,
    "kineto/hta_ns_resolution_rank0.json.gz": 4350, "kineto/hta_triton_example.json.gz": 1,
    "kineto/old2021_gpu_metrics.json.gz": 30, "kineto/param_linear_kineto.json.gz": 8716,
    "kineto/tl_mi210_gpu_only.json.gz": 562, "kineto/tl_sglang_Qwen3-8B_decode.json.gz": 555,
    "kineto/tl_vllm_decode_full_graph_execution.json.gz": 425, "kineto/tl_vllm_piecewise_graph_execution.json.gz": 413,
    "nsys/nsysai_h100_2gpu_1s.sqlite": 3442, "nsys/pipit_saxpy_mpi_cuda.sqlite": 5,
    "pairs/bert_small_h100.json.gz": 60, "pairs/bert_small_mi300.json.gz": 60,
    "pairs/hta_trace_diff_control.json.gz": 8568, "pairs/hta_trace_diff_test.json.gz": 9876,
    "pairs/qwen1.5_0.5b_h100.json.gz": 1465, "pairs/qwen1.5_0.5b_mi300.json.gz": 1516,
    "ranks/hta_sampled_rank0.json.gz": 1154, "ranks/hta_sampled_rank1.json.gz": 1104,
    **{f"ranks/megatron_kineto_{rank}.json.gz": 690 for rank in range(4)},
    "rocm/batched_gemm_28_results.db": 151, "rocm/rocprofv1_hip_trace_results.json": 1, "rocm/rpd_matmul_large.rpd": 29,
    "rocm/tl_rocprofv3_908_results.json.gz": 43915,
    "xspace/tl_jax08_attention_mi300.xplane.pb": 105, "xspace/xprof_gpu_multiworker_179.xplane.pb": 1330,
}

# Beginning of an input's name -> the other tests here that hold answers on it, which name it. No command tells what
# the README says of clocks between ranks (megatron) and of pairs of collectives (hta_sampled).
HELD_BY = {
    "h200/llama_eager": "cycles phases anomalies exactness",
    "h200/llama_compiled": "cycles phases anomalies exactness",
    "h200/gpt2_train_stalls": "cycles phases anomalies exactness",
    "h200/jax_train": "cycles phases xspace",
    "h200/qwen3moe_shapes": "cycles",
    "h200/llama_reduce_overhead": "cycles",
    "h200/transformer_train_unmarked": "cycles",
    "h200/proton_intra_triton36": "proton",
    "h200/proton_cupti": "proton",
    "kineto/hta_ns_resolution": "cycles phases exactness",
    "kineto/tl_sglang_Qwen3-8B_decode": "cycles phases anomalies exactness",
    "kineto/tl_vllm_piecewise_graph_execution": "cycles phases exactness",
    "kineto/tl_vllm_decode_full_graph_execution": "cycles",
    "kineto/deepseek_v3_train_h800": "cycles roles",
    "kineto/param_linear_kineto": "cycles",
    "kineto/hta_mtia_inference_rank0": "readers",
    "kineto/tl_mi210_gpu_only": "exactness",
    "kineto/hta_cpu_only_rank34": "exactness",
    "kineto/hta_mi250_minitoy_rocm6_2": "exactness",
    "kineto/hta_cuda_event_sync_multi_stream": "exactness",
    "kineto/hta_triton_example": "exactness",
    "kineto/old2021_gpu_metrics": "exactness",
    "pairs/hta_trace_diff": "cycles exactness",
    "pairs/qwen1.5_0.5b": "cycles phases exactness",
    "pairs/bert_small": "cycles phases exactness",
    "ranks/megatron_kineto": "cycles exactness",
    "ranks/hta_sampled": "exactness",
    "nsys/": "sqlite",
    "rocm/": "rocm",
    "xspace/tl_jax08_attention_mi300": "xspace",
    "xspace/xprof_gpu_multiworker_179": "xspace",
    "ascend/text_level1_rank": "ascend anomalies",
    "ascend/db_level1_rank1_ascend_pt": "sqlite anomalies",
    "ascend/llm_step_rank0": "cycles phases ascend",
    "ascend/trace_view_msprof_analyze": "readers",
    "ascend/old2023_rank0": "ascend",
}


def inputs():
    """Names of all files and folders of the corpus that are one trace."""
    names = sorted(str(path.relative_to(CORPUS)) for folder in CORPUS.iterdir() if folder.is_dir()
                   for path in folder.iterdir())
    return [name for name in names if name not in NO_TRACES]


def asked(command, name, *options):
    """The document that a command prints of an input; the sentence with which it is refused."""
    done = subprocess.run([PROGRAM, command, "--json", "--quiet", str(CORPUS / name), *options], capture_output=True,
                          text=True, check=False)
    if done.returncode == 0:
        return json.loads(done.stdout)
    return done.stderr if done.returncode == 3 else f"exit {done.returncode}: {done.stderr}"


def both(name):
    """What cycles and anomalies say of an input, each a document or a sentence."""
    return asked("cycles", name), asked("anomalies", name)


def busiest(cycles):
    return max(cycles["streams"], key=lambda stream: stream["kernels"])


def size_of(loop):
    return f"{loop['complete']} x {loop['period']}"


def loop_words(stream, loop):
    """'24 x 695 {16 x 42}'"""
    inner = [size_of(one) for one in stream["loops"]
             if one["parent"] == loop["id"] and one["depth"] == 1 and loop["start"] <= one["start"] < loop["end"] and
             one["complete"] * one["period"] >= SHOWN_SHARE * loop["period"]]
    return size_of(loop) + (f" {{{', '.join(inner)}}}" if inner else "")


def words_on(cycles, anomalies):
    stream = busiest(cycles)
    loops = [loop_words(stream, loop) for loop in stream["loops"] if loop["depth"] == 0 and
             loop["end"] - loop["start"] >= SHOWN_SHARE * stream["kernels"]]
    layers = sorted({family["layers"] for family in stream["families"] if family["layers"]})
    phases = [f"{phase['phase']} {phase['passes']}" for phase in stream["phases"]]
    findings = anomalies["anomaly_discovery"]["findings"]
    verdict = f"{findings[0]['priority']} {findings[0]['kind']}" if findings else "nothing found"
    return (f"kernels {sum(one['kernels'] for one in cycles['streams'])}; streams {len(cycles['streams'])}; "
            f"loops {', '.join(loops) or 'none'}; layers {', '.join(map(str, layers)) or 'unknown'}; "
            f"phases {', '.join(phases)}; verdict {verdict}")


def faults_of(name, cycles, anomalies):
    if name in REFUSED:
        return [f"not refused as it should be: {str(one)[:200]}" for one in (cycles, anomalies)
                if REFUSED[name] not in one]
    refused = [one for one in (cycles, anomalies) if isinstance(one, str)]
    if refused:
        return refused
    kernels = sum(stream["kernels"] for stream in cycles["streams"])
    wanted = KERNELS.get(name, kernels)
    return [] if kernels == wanted else [f"{kernels} kernels, the README has {wanted}"]


class Overview(unittest.TestCase):
    def test_a_line_an_input(self):
        names = inputs()
        self.assertGreater(len(names), 40)
        self.assertEqual((set(KERNELS) | set(REFUSED)) - set(names), set())
        failed = []
        with ThreadPoolExecutor(2) as pool:
            for name, (cycles, anomalies) in zip(names, pool.map(both, names)):
                faults = faults_of(name, cycles, anomalies)
                words = "refused" if isinstance(cycles, str) else words_on(cycles, anomalies) if not faults else ""
                print("FAIL" if faults else "ok  ", name, "", words, *faults)
                failed += [name] if faults else []
        self.assertEqual(failed, [])

    def test_tests_hold_what_they_are_said_to(self):
        for start, tests in HELD_BY.items():
            there = [name for name in inputs() if name.startswith(start)]
            self.assertTrue(there, start)
            for test in tests.split():
                text = (HERE / f"{test}_test.py").read_text(encoding="utf-8")
                word = start.split("/")[1] or start.split("/")[0]
                self.assertTrue(word in text, f"{test}_test.py does not name {word}")
        for name in inputs():
            if name not in REFUSED and not name.startswith(tuple(HELD_BY)):
                print(f"no test holds answers on {name}")


class Answers(unittest.TestCase):
    """Rows of the README in words that no other test has."""

    def test_exact_layers_of_llama_compiled_are_two_each(self):
        loops = busiest(asked("cycles", "h200/llama_compiled.json.gz", "--symbol", "name"))["loops"]
        pairs = [loop for loop in loops if loop["depth"] == 1]
        self.assertEqual([size_of(loop) for loop in pairs], ["4 x 38", "3 x 38"])
        self.assertEqual((pairs[0]["exceptions"], pairs[1]["repetitions"]), (1, 3.13))

    def test_stalls_of_llama_eager(self):
        steps = asked("anomalies", "h200/llama_eager.json.gz")["anomaly_discovery"]["steps"]
        stalls = {step["name"]: step["largest_internal_bubble_ms"] for step in steps}
        late = [stalls.pop(f"decode {number}") for number in range(5, 25)]
        self.assertEqual((round(min(late), 1), round(max(late), 1)), (38.9, 58.5))
        self.assertLess(max(stalls.values()), 1)

    def test_gpt2_is_launch_bound_where_nothing_was_planted(self):
        found = asked("anomalies", "h200/gpt2_train_stalls.json.gz")["anomaly_discovery"]
        planted = {"ProfilerStep#4", "ProfilerStep#6", "ProfilerStep#8"}
        ratios = [step["underfeed_ratio"] for step in found["steps"] if step["name"] not in planted]
        self.assertEqual(len(ratios), 7)
        self.assertTrue(0.68 <= min(ratios) and max(ratios) <= 0.75, ratios)
        copies = [one["evidence"] for one in found["findings"] if one["step_id"] == "5"]
        self.assertIn("Its longest copy is Memcpy HtoD (Pageable -> Device), 33.323 ms.", copies[0])

    def test_steps_that_nobody_marked_have_three_parts(self):
        stream = busiest(asked("cycles", "h200/transformer_train_unmarked.json.gz"))
        sizes = [one["end"] - one["start"] for one in stream["loops"][0]["iterations"]]
        self.assertEqual(sizes, [1107] + 11 * [963])
        parts = {part["phase"]: part["kernels"] for part in stream["phases"][0]["parts"]}
        self.assertEqual((parts["optimizer"], sum(parts.values())), (576, 963))

    def test_the_host_slept_before_step_7(self):
        found = asked("anomalies", "h200/transformer_train_unmarked.json.gz", "--bubbles", "all")["anomaly_discovery"]
        between = [gap for gap in found["bubble_windows"] if gap["scope"] == "inter_step"]
        longest = max(between, key=lambda gap: gap["duration_ns"])
        self.assertEqual(longest["step_id"], "6")
        self.assertGreater(longest["duration_ns"], 50_000_000)

    def test_chunks_of_deepseek(self):
        cycles = asked("cycles", "kineto/deepseek_v3_train_h800.json.gz")
        self.assertEqual(len(cycles["streams"]), 3)
        self.assertEqual([one["start"] for one in busiest(cycles)["loops"][0]["iterations"]], [0, 227, 453, 680])

    def test_scopes_of_proton(self):
        loops = busiest(asked("cycles", "h200/proton_cupti.chrome_trace"))["loops"]
        self.assertEqual([size_of(loop) for loop in loops], ["30 x 4"])

    def test_all_reduces_of_megatron(self):
        for rank in range(4):
            found = asked("info", f"ranks/megatron_kineto_{rank}.json.gz", "--top", "0")
            self.assertEqual([(one["op"], one["count"]) for one in found["collectives"]], [("all_reduce", 84)])
            counts = sorted(one["count"] for one in found["top_kernels"] if "AllReduce" in one["name"])
            self.assertEqual(counts, [3, 81])


if __name__ == "__main__":
    if not CORPUS.name:
        print("skipped: LOCKSTEP_CORPUS is not set")
        sys.exit(SKIPPED)
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main()

#!/usr/bin/env python3
"""Answers of the corpus that hang on its readers: device slices of Ascend's timelines and MTIA's lanes,
ranks of merged files against the ranks read apart, and what a conversion to Chrome JSON must keep.

Usage: readers_test.py LOCKSTEP. The corpus is found by LOCKSTEP_CORPUS; without it the test says so and is
skipped (exit 77).
"""
import gzip
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SKIPPED = 77
ARGUMENTS = sys.argv[1:]
CORPUS = Path(os.environ.get("LOCKSTEP_CORPUS", ""))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cli"))

import merged_ranks  # noqa: E402

GROUPS = [[f"ranks/megatron_kineto_{rank}.json.gz" for rank in range(4)],
          [f"ranks/hta_sampled_rank{rank}.json.gz" for rank in range(2)]]
# Formats that know more than Chrome JSON has a place for.
CONVERTED = ["ascend/db_level1_rank1_ascend_pt", "ascend/llm_step_rank0", "ascend/old2023_rank0",
             "ascend/text_level1_rank0_ascend_pt", "ascend/trace_view_msprof_analyze.json.gz",
             "nsys/nsysai_h100_2gpu_1s.sqlite", "nsys/pipit_saxpy_mpi_cuda.sqlite", "rocm/batched_gemm_28_results.db",
             "rocm/rpd_matmul_large.rpd", "rocm/rocprofv1_hip_trace_results.json", "h200/jax_train.xplane.pb.gz",
             "xspace/xprof_gpu_multiworker_179.xplane.pb"]


def info(*paths):
    done = subprocess.run([ARGUMENTS[0], "info", "--json", "--top", "1000000", *map(str, paths)], capture_output=True,
                          check=True)
    return json.loads(done.stdout)


def kinds(document):
    return [finding["kind"] for finding in document["diagnostics"]]


def steps_since_zero(document):
    """Times of steps in the clock of the trace, so that they do not hang on where a document counts from."""
    zero = int(document["origin_ns"] or 0)
    return [(step["name"], step["start_ns"] + zero, step["end_ns"] + zero) for step in document["steps"]]


def rank_figures(document):
    return [{"rank": rank["rank"], "devices": [(device["kernels"], device["busy_ns"], device["communication_busy_ns"])
                                               for device in rank["devices"]]} for rank in document["ranks"]]


class KnownAnswers(unittest.TestCase):
    def test_a_timeline_of_ascend_alone(self):
        found = info(CORPUS / "ascend/trace_view_msprof_analyze.json.gz")
        by_kind = found["by_kind"]
        self.assertEqual((by_kind["kernel"], by_kind["ai_cpu"], by_kind["memcpy"]), (272, 2, 2))
        self.assertEqual((found["kernels"], found["device_busy_ns"]), (274, 1_790_440))
        (device,) = found["ranks"][0]["devices"]
        # What Overlap Analysis says of it is no stream.
        self.assertEqual((device["id"], [stream["id"] for stream in device["streams"]]), ("0", ["3"]))

    def test_mtia(self):
        found = info(CORPUS / "kineto/hta_mtia_inference_rank0.json.gz")
        by_kind = found["by_kind"]
        self.assertEqual((by_kind["kernel"], by_kind["memcpy"]), (97, 877))
        self.assertEqual((by_kind["event_wait"], by_kind["event_record"]), (48, 291))
        self.assertEqual(found["device_busy_ns"], 421_661_824)
        self.assertEqual({kernel["name"] for kernel in found["top_kernels"]}, {"remote", "merge", "pe_exe"})

    def test_one_entry_of_properties_names_the_device(self):
        for path, name in (("kineto/tl_sglang_Qwen3-8B_decode.json.gz", "AMD Instinct MI300X"),
                           ("pairs/qwen1.5_0.5b_mi300.json.gz", "AMD Instinct MI300X VF"),
                           ("kineto/tl_vllm_piecewise_graph_execution.json.gz", "")):
            found = info(CORPUS / path)
            self.assertEqual([device["name"] for device in found["ranks"][0]["devices"]], [name], path)


class Merged(unittest.TestCase):
    def read_merged(self, merged):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "merged.json"
            path.write_text(json.dumps(merged))
            return info(path)

    def test_every_scheme_gives_what_the_ranks_give_apart(self):
        for files in GROUPS:
            apart = info(*(CORPUS / name for name in files))
            traces = [json.loads(gzip.decompress((CORPUS / name).read_bytes())) for name in files]
            for name, scheme in merged_ranks.TOLD_APART.items():
                with self.subTest(name, files=files):
                    found = self.read_merged(scheme(traces))
                    self.assertEqual(rank_figures(found), rank_figures(apart))
                    self.assertEqual(found["flows"], apart["flows"])
                    self.assertEqual(steps_since_zero(found), steps_since_zero(apart))
                    self.assertEqual(found["top_kernels"], apart["top_kernels"])
                    self.assertNotIn("merged_ranks", kinds(found))

    def test_labels_of_several_parallelisms_part_without_numbers(self):
        traces = [json.loads(gzip.decompress((CORPUS / name).read_bytes())) for name in GROUPS[0]]
        found = self.read_merged(merged_ranks.merge(traces, merged_ranks.brackets))
        self.assertEqual([rank["rank"] for rank in found["ranks"]], [None] * 4)

    def test_what_cannot_be_told_apart_is_one_rank_and_said(self):
        for files in GROUPS:
            traces = [json.loads(gzip.decompress((CORPUS / name).read_bytes())) for name in files]
            found = self.read_merged(merged_ranks.merge(traces, lambda event, rank: None))
            self.assertEqual(len(found["ranks"]), 1)
            self.assertIn("merged_ranks", kinds(found))

    def test_files_that_nobody_merged_are_one_rank(self):
        for path in sorted(CORPUS.glob("kineto/*.gz")) + sorted(CORPUS.glob("pairs/*.gz")):
            found = info(path)
            self.assertEqual(len(found["ranks"]), 1, path)
            self.assertNotIn("merged_ranks", kinds(found), path)


class Conversions(unittest.TestCase):
    def test_steps_flows_and_clock_are_kept(self):
        for name in CONVERTED:
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                out = Path(folder) / "out.json"
                subprocess.run([ARGUMENTS[0], "convert", str(CORPUS / name), "-o", str(out)], check=True,
                               capture_output=True)
                before, after = info(CORPUS / name), info(out)
                for key in ("clock", "origin_ns", "flows", "kernels", "device_busy_ns"):
                    self.assertEqual(after[key], before[key], key)
                self.assertEqual(steps_since_zero(after), steps_since_zero(before))


if __name__ == "__main__":
    if not os.environ.get("LOCKSTEP_CORPUS"):
        print("LOCKSTEP_CORPUS is not set: skipped")
        sys.exit(SKIPPED)
    unittest.main(argv=sys.argv[:1])

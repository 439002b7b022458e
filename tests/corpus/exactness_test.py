#!/usr/bin/env python3
"""Compares `lockstep info --json` with the slow oracle on every Kineto file of the corpus, to the
nanosecond, and checks that a conversion to Chrome JSON and back changes nothing.

Usage: exactness_test.py LOCKSTEP. The corpus is found by LOCKSTEP_CORPUS; without it the test says
so and is skipped (exit 77).
"""
import glob
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(__file__))
import oracle  # noqa: E402
from known_gaps import without_gaps  # noqa: E402

SKIPPED = 77
MAY_DIFFER = ("inputs", "compression", "size_bytes", "inflated_bytes", "diagnostics")

# From the README of the corpus: name -> (kernels, busy ns).
KNOWN = {
    "llama_eager": (17344, 39836832), "llama_compiled": (7703, 29157291),
    "gpt2_train_stalls": (11340, 215852742), "hta_ns_resolution_rank0": (4350, 472454441),
    "tl_mi210_gpu_only": (562, 5343422), "tl_sglang_Qwen3-8B_decode": (555, 9772926),
    "tl_vllm_piecewise_graph_execution": (413, 156085793), "qwen1.5_0.5b_h100": (1465, 45647300),
    "qwen1.5_0.5b_mi300": (1516, 43062802), "megatron_kineto_0": (690, 372727000),
    "hta_trace_diff_control": (8568, None), "hta_trace_diff_test": (9876, None),
    "hta_sampled_rank0": (1154, None), "hta_sampled_rank1": (1104, None),
    "hta_cpu_only_rank34": (0, 0), "hta_mi250_minitoy_rocm6_2": (14, None),
    "hta_cuda_event_sync_multi_stream": (3, None), "hta_triton_example": (1, None),
    "old2021_gpu_metrics": (30, None), "bert_small_h100": (60, None),
    "bert_small_mi300": (60, None),
}


def info(program, path):
    result = subprocess.run([program, "info", "--json", "--top", "1000000", path],
                            capture_output=True, check=True)
    return json.loads(result.stdout)


def differences(path, got):
    """What info and the oracle (and the README of the corpus) disagree about."""
    want = oracle.describe(path)
    found = []

    def check(what, mine, theirs):
        if mine != theirs:
            found.append(f"{what}: info says {mine!r}, the oracle {theirs!r}")

    for key in ("origin_ns", "events", "host_events", "kernels", "span_ns", "device_span_ns",
                "device_busy_ns", "steps"):
        check(key, got[key], want[key])
    check("sum of by_kind", sum(got["by_kind"].values()), want["events"])
    check("annotations", {a["name"]: a["count"] for a in got["annotations"]}, want["annotations"])
    devices = {d["id"]: d for rank in got["ranks"] for d in rank["devices"]}
    check("devices", {i: {"kernels": d["kernels"], "busy_ns": d["busy_ns"]}
                      for i, d in devices.items() if d["busy_ns"] or d["kernels"]},
          {i: d for i, d in want["devices"].items() if d["busy_ns"] or d["kernels"]})
    streams = {f"{i} {s['id']}": {"kernels": s["kernels"], "busy_ns": s["busy_ns"]}
               for i, d in devices.items() for s in d["streams"] if s["busy_ns"] or s["kernels"]}
    check("streams", streams,
          {k: s for k, s in want["streams"].items() if s["busy_ns"] or s["kernels"]})
    totals = sorted((k["total_ns"] for k in got["top_kernels"]), reverse=True)
    check("kernel totals", totals, want["kernel_totals_ns"])
    known = KNOWN.get(os.path.basename(path).removesuffix(".json.gz"))
    if known:
        check("kernels (README)", got["kernels"], known[0])
        if known[1] is not None:
            check("busy (README)", got["device_busy_ns"], known[1])
    return found


def without_names(document, original):
    """The document without what comes from the names of files: a rank that the name of the original
    gave is written into the header of the copy."""
    ranks = [dict(rank, input=None, rank_from=None,
                  rank=None if before["rank_from"] == "name" else rank["rank"])
             for rank, before in zip(document["ranks"], original["ranks"])]
    return dict(document, ranks=ranks)


def round_trip(program, path, before, folder):
    """What changes when the trace is written as Chrome JSON and read again."""
    out = os.path.join(folder, "copy.json.gz")
    subprocess.run([program, "convert", path, "-o", out], capture_output=True, check=True)
    after = without_names(info(program, out), before)
    before = without_names(before, before)
    return [f"round trip changes {key}: {before[key]!r:.200} -> {after[key]!r:.200}"
            for key in before if key not in MAY_DIFFER and before[key] != after[key]]


def main():
    program = sys.argv[1]
    corpus = os.environ.get("LOCKSTEP_CORPUS")
    if not corpus:
        print("skipped: LOCKSTEP_CORPUS is not set")
        return SKIPPED
    paths = without_gaps(sorted(p for folder in ("h200", "kineto", "pairs", "ranks")
                                for p in glob.glob(os.path.join(corpus, folder, "*.json.gz"))))
    if not paths:
        print(f"no Kineto files under {corpus}")
        return 1
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for path in paths:
            got = info(program, path)
            found = differences(path, got) + round_trip(program, path, got, folder)
            print(("FAIL " if found else "ok   ") + os.path.basename(path))
            for line in found:
                print("     " + line[:600])
            failed += bool(found)
    print(f"{len(paths) - failed} of {len(paths)} files agree")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

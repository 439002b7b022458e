#!/usr/bin/env python3
"""Every known answer on loops and phases in the corpus, by the default method with no option set; and
every claim of `lockstep cycles --json` on its Kineto files against the raw trace.

Usage: cycles_test.py LOCKSTEP. The corpus is found by LOCKSTEP_CORPUS; without it the test says so
and is skipped (exit 77).
"""
import glob
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cycles"))
import loop_oracle  # noqa: E402

SKIPPED = 77


def loop(complete, period, inside=(), **facts):
    """A loop that must be found; `facts` are keys of its entry, `inside` the loops that it holds."""
    return {"complete": complete, "period": period, "inside": inside, **facts}


def megatron(rank):
    return {f"ranks/megatron_kineto_{rank}.json.gz": {
        "7": [loop(40, 14, start=23, exact=True, anchors_per_body=1)],
        "24": [loop(81, 1, start=0)]}}


# File -> stream -> loops at the top. Regimes are (first, last) iterations, from 0.
LOOPS = {
    "h200/llama_eager.json.gz": {"7": [
        loop(16, 40, start=14, repetitions=16.2, anchors_per_body=1, role="layer",
             phase="prefill"),
        loop(24, 695, start=664, run_start=663, run_end=17344, slack=1, repetitions=24.0,
             border_evidence="annotation", regimes=[(0, 3), (4, 23)], role="pass", phase="decode",
             inside=[loop(16, 42, start=677, repetitions=16.19, instances=24, anchors_per_body=1,
                          role="layer")])]},
    "h200/llama_compiled.json.gz": {"7": [
        loop(16, 16, start=5, symbol="role", exact=False, anchors_per_body=1, role="layer",
             phase="prefill"),
        loop(24, 310, start=263, run_start=262, run_end=7703, slack=1, repetitions=24.0,
             regimes=[(0, 3), (4, 23)], role="pass", phase="decode", inside=[
                 loop(16, 19, exact=False, exceptions=19, instances=24, anchors_per_body=1,
                      role="layer")])]},
    "h200/gpt2_train_stalls.json.gz": {"7": [
        loop(10, 1134, start=0, repetitions=10.0, role="step", inside=[
            loop(12, 34, repetitions=12.09, instances=10, anchors_per_body=1, role="layer",
                 phase="forward"),
            loop(12, 53, repetitions=12.0, instances=10, anchors_per_body=1, role="layer",
                 phase="backward")])]},
    "h200/jax_train.xplane.pb.gz": {"14": [
        loop(12, 217, start=0, exact=True, role="step")]},
    "h200/qwen3moe_shapes.json.gz": {"7": [
        loop(8, 83, anchors_per_body=1, role="layer", phase="prefill"),
        loop(6, 695, start=688, role="pass", phase="decode", inside=[
            loop(8, 84, instances=6, anchors_per_body=1, role="layer")])]},
    "h200/llama_reduce_overhead.json.gz": {"7": [
        loop(20, 186, start=0, exact=True, anchors_per_body=12, phase="unknown")]},
    "h200/transformer_train_unmarked.json.gz": {"7": [
        loop(12, 963, start=0, end=11700, role="step", phase="training", anchors_per_body=6, inside=[
            loop(6, 17, instances=12, role="layer", phase="forward"),
            loop(6, 47, instances=12, role="layer", phase="backward")])]},
    "kineto/deepseek_v3_train_h800.json.gz": {"7": [
        loop(4, 227, start=0, end=907, border_evidence="annotation")]},
    "kineto/param_linear_kineto.json.gz": {"7": [
        loop(39, 220, start=136, end=8716, role="step", phase="training", border_evidence="annotation")]},
    "kineto/tl_vllm_decode_full_graph_execution.json.gz": {"0": [
        loop(12, 35, anchors_per_body=2, role="layer", phase="decode")]},
    "kineto/hta_ns_resolution_rank0.json.gz": {"7": [
        loop(5, 870, start=0, exact=True, inside=[loop(5, 34, repetitions=5.24, instances=5)])]},
    "kineto/tl_sglang_Qwen3-8B_decode.json.gz": {"3": [
        loop(36, 15, repetitions=36.0, anchors_per_body=1)]},
    "kineto/tl_vllm_piecewise_graph_execution.json.gz": {"0": [
        loop(24, 17, exact=False, anchors_per_body=1)]},
    "pairs/qwen1.5_0.5b_h100.json.gz": {"7": [
        loop(10, 42, start=0, repetitions=10.38), loop(24, 42, repetitions=24.19)]},
    "pairs/qwen1.5_0.5b_mi300.json.gz": {"0": [
        loop(10, 43, start=0, repetitions=10.77), loop(24, 43, repetitions=24.19)]},
    "pairs/bert_small_h100.json.gz": {"7": [loop(4, 12, exact=True)]},
    "pairs/bert_small_mi300.json.gz": {"0": [loop(4, 12, exact=True)]},
    "pairs/hta_trace_diff_control.json.gz": {"7": [loop(6, 1383, start=0, exact=True)]},
    "pairs/hta_trace_diff_test.json.gz": {"7": [
        loop(6, 1510, start=542, repetitions=6.36, exact=True)]},
    **megatron(0), **megatron(1), **megatron(2), **megatron(3),
    "ascend/llm_step_rank0": {"2": [
        loop(2, 441, exact=True, phase="forward", inside=[
            loop(14, 31, instances=2, anchors_per_body=1, role="layer")]),
        loop(2, 512, exact=True, phase="backward", inside=[
            loop(14, 36, instances=2, anchors_per_body=1, role="layer")])]},
}

# File -> stream -> phases that must be among those found: name, start, end, passes, layers.
PHASES = {
    "h200/llama_eager.json.gz": {"7": [
        ("prefill", 0, 664, 1, 16), ("decode", 664, 17344, 24, 16)]},
    "h200/llama_compiled.json.gz": {"7": [
        ("prefill", 0, 263, 1, 16), ("decode", 263, 7703, 24, 16)]},
    "h200/qwen3moe_shapes.json.gz": {"7": [("prefill", 0, 688, 1, 8), ("decode", 688, 4858, 6, 8)]},
    "h200/llama_reduce_overhead.json.gz": {"7": [("unknown", 0, 3720, 20, 12)]},
    "h200/transformer_train_unmarked.json.gz": {"7": [("training", 0, 11700, 12, 6)]},
    "kineto/param_linear_kineto.json.gz": {"7": [
        ("training", 0, 136, 0, None), ("training", 136, 8716, 39, None)]},
    "kineto/tl_vllm_decode_full_graph_execution.json.gz": {"0": [("decode", 0, 425, 1, 24)]},
    "kineto/tl_sglang_Qwen3-8B_decode.json.gz": {"3": [("decode", 0, 553, 1, 36)]},
    "kineto/tl_vllm_piecewise_graph_execution.json.gz": {"0": [("mixed", 0, 413, 1, 24)]},
    "ascend/llm_step_rank0": {"2": [
        ("forward", 1, 883, 2, 14), ("backward", 883, 1907, 2, 14)]},
}

# A loop beside those above that is longer than this many kernels was not asked for.
LONGEST_EXTRA = 64
# The window of the capture opens inside a pass or a step: what is left of it is loops of its own.
HAVE_EXTRA = {"pairs/hta_trace_diff_test.json.gz", "ascend/llm_step_rank0",
              "kineto/param_linear_kineto.json.gz"}


def cycles(program, path):
    result = subprocess.run([program, "cycles", "--json", path], capture_output=True, check=False)
    if result.returncode == 3 and b"holds no kernels" in result.stderr:
        return None
    result.check_returncode()
    return json.loads(result.stdout)


def value_of(entry, key):
    if key == "regimes":
        return [(regime["first"], regime["last"]) for regime in entry["regimes"]]
    return entry[key]


def missing_loops(wanted, loops, parent=None):
    """What of the wanted loops is not among those that lie directly in `parent`."""
    inside = [one for one in loops if one["depth"] == (parent["depth"] + 1 if parent else 0) and
              (parent is None or (one["parent"] == parent["id"] and
                                  parent["start"] <= one["start"] < parent["end"]))]
    found = []
    for want in wanted:
        name = f"{want['complete']} x {want['period']}"
        facts = {key: value for key, value in want.items() if key != "inside"}
        alike = [one for one in inside if one["complete"] == want["complete"] and
                 one["period"] == want["period"]]
        if not alike:
            there = [f"{one['complete']} x {one['period']}" for one in inside]
            found.append(f"no {name}; there are {', '.join(there) or 'none'}")
            continue
        wrong = [{key: value_of(one, key) for key in facts if value_of(one, key) != facts[key]}
                 for one in alike]
        if all(wrong):
            found.append(f"{name} differs: {wrong[0]}, wanted {facts}")
        found += missing_loops(want["inside"], loops, alike[0])
    return found


def loop_differences(name, document):
    found = []
    for stream, wanted in LOOPS[name].items():
        loops = next(s["loops"] for s in document["streams"] if s["stream"] == stream)
        found += [f"stream {stream}: {fault}" for fault in missing_loops(wanted, loops)]
        known = {(want["complete"], want["period"]) for want in wanted}
        extra = [one for one in loops if one["depth"] == 0 and
                 one["end"] - one["start"] > LONGEST_EXTRA and
                 (one["complete"], one["period"]) not in known]
        if extra and name not in HAVE_EXTRA:
            found.append(f"stream {stream}: nobody asked for "
                         f"{extra[0]['complete']} x {extra[0]['period']}")
    return found


def phase_differences(name, document):
    found = []
    for stream, wanted in PHASES[name].items():
        phases = next(s["phases"] for s in document["streams"] if s["stream"] == stream)
        there = [(one["phase"], one["start"], one["end"], one["passes"], one["layers"])
                 for one in phases]
        found += [f"stream {stream}: no phase {want}; there are {there}" for want in wanted
                  if want not in there]
        found += [f"stream {stream}: phase {one['phase']} has no evidence" for one in phases
                  if one["phase"] != "unknown" and not one["evidence"]]
    return found


def main():
    program = sys.argv[1]
    corpus = os.environ.get("LOCKSTEP_CORPUS")
    if not corpus:
        print("skipped: LOCKSTEP_CORPUS is not set")
        return SKIPPED
    kineto = [os.path.relpath(path, corpus) for folder in ("h200", "kineto", "pairs", "ranks")
              for path in glob.glob(os.path.join(corpus, folder, "*.json.gz"))]
    if not kineto:
        print(f"no Kineto files under {corpus}")
        return 1
    names = sorted({*kineto, *LOOPS, *PHASES})
    failed = 0
    for name in names:
        path = os.path.join(corpus, name)
        document = cycles(program, path)
        found = []
        if document and name in kineto:
            found += loop_oracle.faults(document, path)
        if name in LOOPS:
            found += loop_differences(name, document)
        if name in PHASES:
            found += phase_differences(name, document)
        print(("FAIL " if found else "ok   ") + name)
        for line in found:
            print("     " + line[:600])
        failed += bool(found)
    print(f"{len(names) - failed} of {len(names)} inputs agree")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Lists the kernels of the corpus whose names say nothing to lockstep (role "other"), by their share of kernel time.

Only names that are known not to tell may be among them: a name that was understood once and is not any more
fails here, and so does an entry of that list that nothing needs any more.

Usage: roles_test.py LOCKSTEP. The corpus is found by LOCKSTEP_CORPUS; without it the test says so and
is skipped (exit 77).
"""
import json
import os
import re
import subprocess
import sys
import unittest

SKIPPED = 77
PROGRAM = None
FOLDER = None

# What may be "other", and why.
UNTOLD = {
    # Sorting and choosing serve routing, sampling, embeddings and losses alike.
    r"(radix|bitonic)sort": "sorts",
    r"DeviceRadixSort|radix_sort|merge_sort|block_merge|_Sort$|SortAiCore": "sorts",
    r"partition_kernel|^aclnnNonzero|NonZero$": "chooses",
    r"searchsorted": "looks up",
    # Bookkeeping of engines and libraries on a few numbers.
    r"philox::unpack": "unpacks a seed",
    r"resolve_future_token_ids|clamp_position": "sglang, before a pass",
    r"kv_indices": "pages of a cache",
    r"bounds_check_indices|linearize_index|_offsets_range|compute_cuda_kernel|to_dense_representation": "indices of embeddings",
    r"cuda::(expand_to_fused_with_scales|get_fused_mapping|aux_fi|unique_group_indices)": "DeepSeek, not published",
    # Names that no one can read.
    r"^triton__[0-9de]+$": "a signature only",
    r"^fusion(_\d+)?$": "a number only",
    r"^(merge|pe_exe|remote)$": "MTIA, one name for all work",
}


def inputs():
    for folder in sorted(os.listdir(FOLDER)):
        path = f"{FOLDER}/{folder}"
        if os.path.isdir(path):
            yield from (f"{path}/{name}" for name in sorted(os.listdir(path)) if name != "triton")


def kernels_of(path):
    done = subprocess.run([PROGRAM, "info", "--json", "--top", "0", path], capture_output=True, text=True)
    return json.loads(done.stdout)["top_kernels"] if done.returncode == 0 else []


class Roles(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.kernels = {os.path.relpath(path, FOLDER): kernels_of(path) for path in inputs()}

    def test_only_names_that_tell_nothing_are_other(self):
        unused = set(UNTOLD)
        unknown = []
        rows = []
        for path, kernels in self.kernels.items():
            total = sum(kernel["total_ns"] for kernel in kernels) or 1
            for kernel in kernels:
                if kernel["role"] != "other":
                    continue
                rows.append((kernel["total_ns"] / total, kernel["total_ns"], path, kernel["name"]))
                reasons = {why for why in UNTOLD if re.search(why, kernel["name"], re.IGNORECASE)}
                unused -= reasons
                if not reasons:
                    unknown.append(f"{path}: {kernel['name']}")
        for share, time, path, name in sorted(rows, reverse=True):
            print(f"{share:8.2%} {time:13,d} ns  {path}  {name[:100]}")
        self.assertTrue(rows)
        self.assertEqual(unknown, [])
        self.assertEqual(unused, set())

    def test_deep_ep_communicates(self):
        kernels = self.kernels["kineto/deepseek_v3_train_h800.json.gz"]
        roles = {kernel["role"] for kernel in kernels if "::internode::" in kernel["name"]}
        self.assertEqual(roles, {"communication"})
        roles = {kernel["role"] for kernel in kernels if "get_dispatch_layout" in kernel["name"]}
        self.assertEqual(roles, {"moe_routing"})


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    FOLDER = os.environ.get("LOCKSTEP_CORPUS")
    if not FOLDER or not os.path.isdir(FOLDER):
        print("LOCKSTEP_CORPUS is not set: skipped")
        sys.exit(SKIPPED)
    unittest.main()

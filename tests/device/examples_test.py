#!/usr/bin/env python3
"""The examples compile for sm_90 without a warning or a spill, and markers cost no occupancy.

With --report the registers and the blocks on a multiprocessor are printed. Running them needs a
device.
"""

import re
import sys
import tempfile
import unittest
from pathlib import Path

from compilers import EXAMPLES, INCLUDE, Report, execute, find_nvcc, in_parallel, needs_nvcc

# Threads of a block.
KERNELS = {
    "load_compute_store": 128,
    "two_warp_groups": 256,
    "uneven_groups": 128,
    "tiled_gemm": 256,
    "producer_consumer": 160,
}
POLICIES = ("DisabledPolicy", "DefaultPolicy")
# Of a multiprocessor of sm_90; registers are given to warps in units of 256.
REGISTERS, THREADS = 65536, 2048


def blocks_that_fit(registers, threads):
    """By registers and threads; what shared memory allows is known where the example runs."""
    of_a_warp = (registers * 32 + 255) // 256 * 256
    return min(REGISTERS // (of_a_warp * (threads // 32)), THREADS // threads)


def promised_blocks(name):
    """Blocks a multiprocessor in the example's __launch_bounds__; 0 without them."""
    bounds = re.search(r"__launch_bounds__\(\w+, (\d+)\)", (EXAMPLES / f"{name}.cu").read_text())
    return int(bounds[1]) if bounds else 0


def compile_example(name):
    """What ptxas said of a kernel's two instances, and every warning."""
    with tempfile.TemporaryDirectory() as folder:
        said = execute([find_nvcc(), "-c", "-std=c++17", "-O3", "-arch=sm_90", "-Xptxas", "-v",
                        "-Xcompiler", "-Wall,-Wextra", f"-I{INCLUDE}", EXAMPLES / f"{name}.cu",
                        "-o", Path(folder) / "example.o"])
    kernels = {}
    for mangled, report in Report.split(said).items():
        for policy in POLICIES:
            if re.match(rf"_Z{len(name)}{name}I", mangled) and policy in mangled:
                kernels[policy] = report
    return kernels, [line for line in said.splitlines() if "warning" in line.lower()]


@needs_nvcc
class Examples(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.compiled = dict(zip(KERNELS, in_parallel(compile_example, [(n,) for n in KERNELS])))

    def test_each_compiles_in_silence_with_and_without_markers(self):
        for name, (kernels, warnings) in self.compiled.items():
            self.assertEqual(warnings, [], name)
            self.assertEqual(set(kernels), set(POLICIES), name)

    def test_nothing_spills(self):
        for name, (kernels, _) in self.compiled.items():
            for policy, kernel in kernels.items():
                with self.subTest(name=name, policy=policy):
                    self.assertEqual((kernel.spill_stores, kernel.stack_bytes), (0, 0))

    def test_markers_cost_no_block_where_bounds_fix_their_number(self):
        bounded = {name for name in KERNELS if promised_blocks(name)}
        self.assertEqual(bounded, {"tiled_gemm", "producer_consumer"})
        for name in bounded:
            for policy, kernel in self.compiled[name][0].items():
                with self.subTest(name=name, policy=policy):
                    self.assertGreaterEqual(blocks_that_fit(kernel.registers, KERNELS[name]),
                                            promised_blocks(name))

    def test_every_example_is_in_the_makefile(self):
        names = re.search(r"^NAMES\s*=(.*)$", (EXAMPLES / "Makefile").read_text(), re.MULTILINE)
        self.assertEqual(set(names[1].split()), {file.stem for file in EXAMPLES.glob("*.cu")})
        self.assertEqual(set(names[1].split()), set(KERNELS))


def report():
    print("| example | registers without markers | with | blocks a multiprocessor |")
    print("|---|---|---|---|")
    for name, threads in KERNELS.items():
        kernels, _ = compile_example(name)
        bare, marked = (kernels[policy].registers for policy in POLICIES)
        print(f"| {name} | {bare} | {marked} | {blocks_that_fit(bare, threads)}, "
              f"{blocks_that_fit(marked, threads)} |")


if __name__ == "__main__":
    if sys.argv[1:] == ["--report"]:
        report()
    else:
        unittest.main()

#!/usr/bin/env python3
"""What a marker costs in instructions and registers, and what it must never hold, without a device.

Instructions come from the growth of the code between 64 and 192 markers in straight-line code, less
that of the same kernel without markers. With --report every number is printed.
"""

import sys
import unittest

from compilers import ARCHITECTURES, in_parallel, needs_nvcc, nvcc

FEW, MANY = 64, 192
ANCHORED_COUNTS = (4, 12)  # a marker that may take an anchor is long
SCHEDULING = 0.1  # instructions a marker: ptxas sets or moves a constant now and then
PLACES = ("shared", "global")
POLICIES = ("default", "unchecked", "ring", "region", "elected", "strict", "anchored", "disabled")
FORMS = [(place, policy) for place in PLACES for policy in POLICIES
         if (place, policy) != ("global", "elected")]  # its cursor is in shared memory

# At most so many instructions a marker, by policy, place and architecture.
INSTRUCTION_LIMITS = {
    ("unchecked", "shared"): (3, 3, 3),
    ("unchecked", "global"): (3, 3, 3),
    ("default", "shared"): (5, 4, 4),
    ("default", "global"): (6, 5, 5),
}
# At most so many registers held over those of the kernel without markers.
REGISTER_LIMITS = {
    ("default", "shared"): 6,
    ("default", "global"): 8,
    ("ring", "shared"): 10,
    ("ring", "global"): 10,
}
# Barriers, fences and reconvergence, and what makes lanes of a warp wait for each other.
NEVER_IN_A_MARKER = ("BAR", "MEMBAR", "BSSY", "BSYNC", "WARPSYNC", "ERRBAR", "CCTL", "VOTE", "SHFL",
                     "MATCH", "BRA")
VALUES = range(46, 60)  # in register_room.cu


def growth(kernels, name):
    """Instructions by which a kernel grows with each marker."""
    counts = ANCHORED_COUNTS if name.endswith("anchored") else (FEW, MANY)
    few, many = (kernels[f"line{count}_{name}"].code.length for count in counts)
    return (many - few) / (counts[1] - counts[0])


def instructions_a_marker(kernels, place, policy):
    return growth(kernels, f"{place}_{policy}") - growth(kernels, "bare")


def values_that_fit(rooms, name):
    """How many values a kernel keeps beside its markers before it spills."""
    for count in VALUES:
        if rooms[f"values{count}_{name}"].spill_stores:
            return count - 1
    return VALUES[-1]


def registers_held(rooms, place, policy):
    return values_that_fit(rooms, "bare") - values_that_fit(rooms, f"{place}_{policy}")


@needs_nvcc
class MarkerCost(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        jobs = [(source, architecture) for source in ("register_room.cu", "marker_cost.cu")
                for architecture in ARCHITECTURES]
        compiled = dict(zip(jobs, in_parallel(nvcc, jobs)))
        cls.compiled = list(compiled.values())
        cls.lines = {a: compiled["marker_cost.cu", a].kernels for a in ARCHITECTURES}
        cls.rooms = {a: compiled["register_room.cu", a].kernels for a in ARCHITECTURES}

    def test_a_marker_takes_few_instructions(self):
        for (policy, place), limits in INSTRUCTION_LIMITS.items():
            for architecture, limit in zip(ARCHITECTURES, limits):
                with self.subTest(policy=policy, place=place, architecture=architecture):
                    self.assertLessEqual(
                        instructions_a_marker(self.lines[architecture], place, policy),
                        limit + SCHEDULING)

    def test_markers_hold_few_registers(self):
        for (policy, place), limit in REGISTER_LIMITS.items():
            for architecture in ARCHITECTURES:
                with self.subTest(policy=policy, place=place, architecture=architecture):
                    self.assertLessEqual(
                        registers_held(self.rooms[architecture], place, policy), limit)

    def test_the_room_ends_inside_what_was_tried(self):
        for architecture in ARCHITECTURES:
            for form in ("bare", "shared_default", "global_default", "shared_ring", "global_ring"):
                with self.subTest(architecture=architecture, form=form):
                    self.assertIn(values_that_fit(self.rooms[architecture], form), VALUES[:-1])

    def test_no_call_is_a_barrier_of_the_block(self):
        for architecture in ARCHITECTURES:
            for name, kernel in self.lines[architecture].items():
                with self.subTest(architecture=architecture, kernel=name):
                    self.assertEqual(kernel.code.operations["BAR"], 0)

    def test_a_marker_neither_waits_nor_branches(self):
        for architecture in ARCHITECTURES:
            kernels = self.lines[architecture]
            for place in PLACES:
                for policy in ("default", "unchecked", "ring", "region"):
                    few, many = (kernels[f"line{count}_{place}_{policy}"].code.operations
                                 for count in (FEW, MANY))
                    for operation in NEVER_IN_A_MARKER:
                        with self.subTest(architecture=architecture, place=place, policy=policy):
                            self.assertEqual(many[operation], few[operation], operation)

    def test_every_marker_reads_the_clock_and_stores_under_a_predicate(self):
        def count(kernel, store):
            instructions = kernel.code.instructions
            return (sum(i.reads_clock for i in instructions),
                    sum(i.operation == store and i.is_predicated for i in instructions))

        for architecture in ARCHITECTURES:
            kernels = self.lines[architecture]
            for place, store in (("shared", "STS"), ("global", "STG")):
                for policy in ("default", "unchecked", "ring"):
                    few, many = (count(kernels[f"line{markers}_{place}_{policy}"], store)
                                 for markers in (FEW, MANY))
                    with self.subTest(architecture=architecture, place=place, policy=policy):
                        self.assertEqual(many[0] - few[0], MANY - FEW, "readings")
                        self.assertEqual(many[1] - few[1], MANY - FEW, "stores")

    def test_a_strict_marker_fences(self):
        for architecture in ARCHITECTURES:
            for place in PLACES:
                few, many = (self.lines[architecture][f"line{count}_{place}_strict"].code.operations
                             for count in (FEW, MANY))
                self.assertGreaterEqual(many["MEMBAR"] - few["MEMBAR"], MANY - FEW, architecture)

    def test_disabled_markers_leave_the_kernel_as_it_was(self):
        for architecture in ARCHITECTURES:
            kernels = self.lines[architecture]
            for body in (f"line{FEW}", f"line{MANY}"):
                bare = kernels[f"{body}_bare"]
                for place in PLACES:
                    disabled = kernels[f"{body}_{place}_disabled"]
                    with self.subTest(architecture=architecture, body=body, place=place):
                        self.assertEqual(disabled.code.text, bare.code.text)
                        self.assertEqual(disabled.registers, bare.registers)
                        self.assertEqual(disabled.shared_bytes, bare.shared_bytes)

    def test_nothing_spills_and_nobody_warns(self):
        for compiled in self.compiled:
            self.assertEqual(compiled.warnings, [])
        for architecture in ARCHITECTURES:
            for name, kernel in self.lines[architecture].items():
                self.assertEqual(kernel.spill_stores + kernel.spill_loads, 0, name)


def report():
    """Every number as a Markdown table."""
    print("| place | policy | instructions a marker | registers held | registers of the kernel |")
    print("|---|---|---|---|---|")
    for place, policy in FORMS:
        instructions, held, registers = [], [], []
        for architecture in ARCHITECTURES:
            lines = nvcc("marker_cost.cu", architecture).kernels
            rooms = nvcc("register_room.cu", architecture).kernels
            instructions.append(f"{instructions_a_marker(lines, place, policy):.2f}")
            known = f"values{VALUES[0]}_{place}_{policy}" in rooms
            held.append(f"{registers_held(rooms, place, policy):+d}" if known else "-")
            count = ANCHORED_COUNTS[0] if policy == "anchored" else FEW
            registers.append(str(lines[f"line{count}_{place}_{policy}"].registers))
        print(f"| {place} | {policy} | {' / '.join(instructions)} | {' / '.join(held)} | "
              f"{' / '.join(registers)} |")


if __name__ == "__main__":
    if sys.argv[1:] == ["--report"]:
        report()
    else:
        unittest.main()

#!/usr/bin/env python3
"""The table of opcodes in cubin.py is right: kernels that must hold an operation do, others do not."""

import struct
import unittest

import cubin
from compilers import ARCHITECTURES, needs_nvcc, nvcc

# What any kernel may hold beside what its name says.
ORDINARY = {"BRA", "EXIT", "LDG", "NOP", "STG", "S2R"}


@needs_nvcc
class OpcodeTable(unittest.TestCase):
    def test_a_kernel_holds_the_operations_of_its_name(self):
        for architecture in ARCHITECTURES:
            for name, kernel in nvcc("opcodes.cu", architecture).kernels.items():
                expected = {word for word in name.split("_") if word.isupper()}
                with self.subTest(architecture=architecture, kernel=name):
                    self.assertLessEqual(expected, set(kernel.code.operations))

    def test_a_kernel_without_them_holds_none(self):
        for architecture in ARCHITECTURES:
            operations = nvcc("opcodes.cu", architecture).kernels["holds_nothing"].code.operations
            known = set(cubin.OPERATIONS.values()) & set(operations)
            self.assertLessEqual(known, ORDINARY, architecture)

    def test_only_a_reading_of_the_clock_is_one(self):
        for architecture in ARCHITECTURES:
            kernels = nvcc("opcodes.cu", architecture).kernels
            for name, expected in (("clock", 1), ("timer", 0)):
                instructions = kernels[f"holds_CS2R_of_the_{name}"].code.instructions
                self.assertEqual(sum(i.reads_clock for i in instructions), expected, architecture)

    def test_spills_are_reported_and_stand_in_the_code(self):
        kernel = nvcc("opcodes.cu", "sm_90").kernels["holds_STL_LDL"]
        self.assertGreater(kernel.spill_stores, 0)
        self.assertEqual(nvcc("opcodes.cu", "sm_90").kernels["holds_nothing"].spill_stores, 0)


class Reading(unittest.TestCase):
    def test_what_is_no_elf_file_is_refused(self):
        with self.assertRaises(ValueError):
            dict(cubin.sections(b"\x7fELF\x01\x01" + bytes(64)))

    def test_padding_is_no_length(self):
        nop = struct.pack("<QQ", 0x7918, 0)
        code = cubin.Code("k", struct.pack("<QQ", 0x794D, 0) + nop + struct.pack("<QQ", 0x7947, 0)
                          + nop * 5)
        self.assertEqual(code.length, 3)
        self.assertEqual(code.operations["NOP"], 6)

    def test_a_predicate_is_seen(self):
        self.assertFalse(cubin.Instruction(0x7388, 0).is_predicated)
        self.assertTrue(cubin.Instruction(0x0388, 0).is_predicated)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""Markers between Hopper's asynchronous matrix instructions do not make ptxas serialise them."""

import unittest

from compilers import needs_nvcc, nvcc

ARCHITECTURE = "sm_90a"
FORMS = [f"{place}_{policy}" for place in ("shared", "global")
         for policy in ("default", "unchecked", "ring")]


@needs_nvcc
class Wgmma(unittest.TestCase):
    def test_markers_bring_no_warning_of_serialisation(self):
        self.assertEqual(nvcc("wgmma.cu", ARCHITECTURE).warnings, [])

    def test_such_a_warning_would_be_seen(self):
        said = "\n".join(nvcc("wgmma.cu", ARCHITECTURE, "-std=c++17", "-DSERIALISED").warnings)
        self.assertIn("changes_a_sum_too_early", said)
        self.assertIn("serialized", said)

    def test_markers_spill_nothing(self):
        kernels = nvcc("wgmma.cu", ARCHITECTURE).kernels
        for form in FORMS:
            self.assertEqual(kernels[f"pipeline_{form}"].spill_stores, 0, form)

    def test_disabled_markers_leave_the_kernel_as_it_was(self):
        kernels = nvcc("wgmma.cu", ARCHITECTURE).kernels
        for place in ("shared", "global"):
            self.assertEqual(kernels[f"pipeline_{place}_disabled"].code.text,
                             kernels["pipeline_bare"].code.text)


if __name__ == "__main__":
    unittest.main()

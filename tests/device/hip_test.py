#!/usr/bin/env python3
"""The headers compile for AMD's GPUs, and each target reads the counters that it has.

Compiled only: there is no such device here, and the manual says so.
"""

import re
import tempfile
import unittest
from pathlib import Path

from compilers import clang_hip, execute, find_clang, in_parallel, needs_clang, needs_lld

# Target, options of the wave's size, threads of a wave.
TARGETS = [
    ("gfx90a", (), 64),
    ("gfx942", (), 64),
    ("gfx1100", ("-mno-wavefrontsize64",), 32),
    ("gfx1100", ("-mwavefrontsize64",), 64),
    ("gfx1201", ("-mno-wavefrontsize64",), 32),
    ("gfx1201", ("-mwavefrontsize64",), 64),
]
# How each target reads its cycle counter and its steady one; gfx11 has a cycle counter of 20 bits,
# so that markers read the steady one there.
CYCLES = {
    "gfx90a": "s_memtime",
    "gfx942": "s_memtime",
    "gfx1100": None,
    "gfx1201": "HW_REG_SHADER_CYCLES_LO",
}
STEADY = {
    "gfx90a": "s_memrealtime",
    "gfx942": "s_memrealtime",
    "gfx1100": "MSG_RTN_GET_REALTIME",
    "gfx1201": "MSG_RTN_GET_REALTIME",
}
EVERY_COUNTER = {"s_memtime", "SHADER_CYCLES", "s_memrealtime", "MSG_RTN_GET_REALTIME"}
AMDGPU_MACHINE = 224  # e_machine of an ELF file


def compile_for(folder, target, options, wave):
    """The text of the instructions and the code object of header_alone.cu for one target."""
    text, binary = (Path(folder) / f"{target}_{wave}{suffix}" for suffix in (".s", ".hsaco"))
    clang_hip("header_alone.cu", target, text, "-S", *options)
    # Assembled and linked from the text: the compiler is what takes time.
    execute([find_clang(), "--target=amdgcn-amd-amdhsa", f"-mcpu={target}", *options, "-nogpulib",
             "-fuse-ld=lld", text, "-o", binary])
    return text.read_text(), binary.read_bytes()


def function(text, name):
    """The instructions of one kernel."""
    return re.search(rf"^{name}:.*?^\.Lfunc_end", text, re.MULTILINE | re.DOTALL)[0]


@needs_clang
@needs_lld
class Hip(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as folder:
            built = in_parallel(compile_for, [(folder, *target) for target in TARGETS])
        cls.built = {(target, wave): result
                     for (target, _, wave), result in zip(TARGETS, built)}

    def test_every_target_gives_a_code_object(self):
        for target, (_, data) in self.built.items():
            self.assertEqual(data[:4], b"\x7fELF", target)
            self.assertIn(b"shared_DefaultPolicy.kd", data, target)
            self.assertEqual(int.from_bytes(data[18:20], "little"), AMDGPU_MACHINE, target)

    def test_waves_have_the_size_that_was_asked_for(self):
        for (target, wave), (text, _) in self.built.items():
            sizes = set(re.findall(r"\.wavefront_size: (\d+)", text))
            self.assertEqual(sizes, {str(wave)}, target)

    def test_each_target_reads_its_own_counters(self):
        for (target, wave), (text, _) in self.built.items():
            expected = {counter for counter in (CYCLES[target], STEADY[target]) if counter}
            with self.subTest(target=target, wave=wave):
                for counter in expected:
                    self.assertIn(counter, text)
                for counter in EVERY_COUNTER:
                    if not any(counter in name for name in expected):
                        self.assertNotIn(counter, text)

    def test_markers_of_gfx11_read_the_steady_counter(self):
        for wave in (32, 64):
            text = function(self.built["gfx1100", wave][0], "shared_UncheckedPolicy")
            self.assertNotIn("SHADER_CYCLES", text)
            self.assertIn("MSG_RTN_GET_REALTIME", text)

    def test_disabled_markers_read_no_counter(self):
        for target, (text, _) in self.built.items():
            for name in ("shared_DisabledPolicy", "global_DisabledPolicy"):
                for counter in EVERY_COUNTER:
                    self.assertNotIn(counter, function(text, name), target)

    def test_no_call_is_a_barrier(self):
        for target, (text, _) in self.built.items():
            for name in ("shared_DefaultPolicy", "global_DefaultPolicy"):
                self.assertNotIn("s_barrier", function(text, name), target)

    def test_nothing_spills(self):
        for target, (text, _) in self.built.items():
            spills = set(re.findall(r"\.[sv]gpr_spill_count: +(\d+)", text))
            self.assertEqual(spills, {"0"}, target)


if __name__ == "__main__":
    unittest.main()

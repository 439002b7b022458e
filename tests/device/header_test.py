#!/usr/bin/env python3
"""The headers for kernels compile alone, under every compiler, without a word, and refuse misuse."""

import re
import tempfile
import unittest
from pathlib import Path

import cubin
from compilers import (ARCHITECTURES, INCLUDE, KERNELS, CompileError, clang_cuda, in_parallel,
                       needs_clang, needs_nvcc, needs_nvrtc, nvcc, nvrtc)

HEADERS = sorted((INCLUDE / "lockstep").glob("*.h"))
# For the host: these may include what they like.
HOST_HEADERS = {"kernel_session.h", "session.h"}

# What refused.cu must be refused for, by its case.
REFUSED = {
    1: "below 1024",
    2: "below 4096",
    3: "below 4096",
    4: "power of two",
    5: "cursor in shared memory",
}


class Includes(unittest.TestCase):
    def test_a_header_for_kernels_includes_only_its_siblings(self):
        names = {header.name for header in HEADERS}
        self.assertIn("kernel_profiler.h", names)
        for header in HEADERS:
            if header.name in HOST_HEADERS:
                continue
            for included in re.findall(r'#\s*include\s*[<"]([^>"]+)', header.read_text()):
                with self.subTest(header=header.name, included=included):
                    self.assertIn(included.removeprefix("lockstep/"), names - HOST_HEADERS)


@needs_nvcc
class Nvcc(unittest.TestCase):
    def test_the_headers_compile_alone_and_in_silence(self):
        jobs = [("header_alone.cu", architecture, "-std=c++17") for architecture in ARCHITECTURES]
        jobs.append(("header_alone.cu", "sm_90", "-std=c++20"))
        for job, compiled in zip(jobs, in_parallel(nvcc, jobs)):
            with self.subTest(job=job):
                self.assertEqual(compiled.warnings, [])
                self.assertIn("shared_DefaultPolicy", compiled.kernels)
                self.assertIn("cuda_profiler", compiled.kernels)

    def test_nothing_spills(self):
        for name, kernel in nvcc("header_alone.cu", "sm_90", "-std=c++17").kernels.items():
            self.assertEqual((name, kernel.spill_stores, kernel.stack_bytes), (name, 0, 0))

    def test_what_is_wrong_does_not_compile(self):
        def refusal(case):
            try:
                nvcc("refused.cu", "sm_90", "-std=c++17", f"-DCASE={case}")
                return "compiled"
            except CompileError as error:
                return str(error)

        cases = list(REFUSED)
        for case, said in zip(cases, in_parallel(refusal, [(case,) for case in cases])):
            with self.subTest(case=case):
                self.assertIn(REFUSED[case], said)
                self.assertIn("static assertion failed", said)

    def test_what_is_just_right_compiles(self):
        nvcc("refused.cu", "sm_90", "-std=c++17", "-DCASE=0")


@needs_clang
class Clang(unittest.TestCase):
    def test_the_headers_compile_without_those_of_cuda(self):
        with tempfile.TemporaryDirectory() as folder:
            for architecture in ARCHITECTURES:
                output = Path(folder) / f"{architecture}.ptx"
                clang_cuda("header_alone.cu", architecture, output)
                self.assertIn("%clock", output.read_text())


@needs_nvrtc
class Nvrtc(unittest.TestCase):
    def test_the_headers_compile_at_run_time(self):
        text = (KERNELS / "header_alone.cu").read_text()
        for architecture in ARCHITECTURES:
            binary, log = nvrtc(text, architecture, "--std=c++17")
            self.assertEqual(log, "", architecture)
            self.assertIn("shared_DefaultPolicy", cubin.kernels(binary))


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""Compiles and runs what docs/guide/kernel-profiler-host.md shows, over the fake driver.

    guide_test.py PAGE INCLUDE_FOLDER LIBRARY FAKE_DRIVER

Snippets of C and C++ are compiled, linked and run with a launch_gemm() of ours; those of Python are
run one after the other; those of CUDA must stand in gpu_launches.cu, line by line.
"""

import ctypes
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PAGE, INCLUDE, LIBRARY, DRIVER = (Path(argument).resolve() for argument in sys.argv[1:5])
HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent

# The kernel of the page: 132 blocks of two groups, on the fake device.
LAUNCH = """
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
static void launch_gemm(void* stream, void* channel) {
  typedef void (*kernel_type)(uint64_t, uint32_t, uint32_t, uint32_t, uint32_t);
  void* driver = dlopen(getenv("LOCKSTEP_LIBCUDA"), RTLD_NOW);
  ((kernel_type)dlsym(driver, "fake_cuda_run_kernel"))((uint64_t)channel, 132, 2, 6, 0);
  (void)stream;
}
"""


def snippets(language):
    text = PAGE.read_text()
    found = re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert found, f"the page shows no {language}"
    return found


class Guide(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder)

    def compile_and_run(self, compiler, standard, suffix, snippet, call):
        source = self.folder / f"page.{suffix}"
        source.write_text(f"{LAUNCH}\n{snippet}\nint main(void) {{ {call} }}\n")
        program = self.folder / "page"
        subprocess.run([compiler, standard, "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror",
                        f"-I{INCLUDE}", str(source), "-o", str(program), f"-L{LIBRARY.parent}",
                        "-llockstep_session", "-ldl", f"-Wl,-rpath,{LIBRARY.parent}"], check=True)
        result = subprocess.run([str(program)], capture_output=True, text=True, check=True)
        self.assertTrue((self.folder / "gemm.lkp").is_file())
        return result.stdout

    def test_the_c_of_the_page_runs(self):
        for snippet in snippets("c"):
            printed = self.compile_and_run("cc", "-std=c11", "c", snippet, "return profile(NULL);")
            self.assertEqual(printed, "1584 records of 264 lanes\n")

    def test_the_cpp_of_the_page_runs(self):
        for snippet in snippets("cpp"):
            self.compile_and_run("c++", "-std=c++17", "cpp", snippet, "profile(nullptr);")

    def test_the_python_of_the_page_runs(self):
        sys.path.insert(0, str(ROOT / "python"))
        sys.path.insert(0, str(ROOT / "tests" / "python"))
        import fake_device
        import page_names

        names = page_names.names(fake_device.load())
        for snippet in snippets("python"):
            exec(compile("import lockstep\n" + snippet, str(PAGE), "exec"), names)
            for written in page_names.FILES:
                if written in snippet:
                    path = self.folder / written
                    self.assertGreater(path.stat().st_size, 0, written)
                    path.unlink()

    def test_the_cuda_of_the_page_is_run_on_devices(self):
        program = (HERE / "gpu_launches.cu").read_text()
        for snippet in snippets("cuda"):
            self.assertIn(snippet, program)


if __name__ == "__main__":
    os.environ["LOCKSTEP_LIBCUDA"] = str(DRIVER)
    os.environ["LOCKSTEP_SESSION_LIBRARY"] = str(LIBRARY)
    unittest.main(argv=sys.argv[:1])

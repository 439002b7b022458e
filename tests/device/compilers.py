"""Finds the device compilers of this machine and runs them.

A test asks for what it needs with needs_nvcc, needs_clang, needs_lld or needs_nvrtc and is skipped, with a
sentence, where that is missing: the program itself builds without any of them.
"""

import ctypes
import functools
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import cubin

ROOT = Path(__file__).resolve().parents[2]
KERNELS = Path(__file__).resolve().parent / "kernels"
EXAMPLES = ROOT / "examples" / "kernel-profiler"
INCLUDE = Path(os.environ.get("LOCKSTEP_DEVICE_INCLUDE", ROOT / "device" / "include"))
CUDA = Path(os.environ.get("CUDA_HOME", "/usr/local/cuda"))
CLANG_VERSION = 22
ARCHITECTURES = ("sm_80", "sm_90", "sm_100")


def find_nvcc():
    return shutil.which("nvcc") or shutil.which("nvcc", path=CUDA / "bin")


def find_clang():
    return shutil.which(f"clang++-{CLANG_VERSION}")


def find_nvrtc():
    """The library of NVRTC, loaded, or None."""
    places = [CUDA / "lib64" / "libnvrtc.so", "libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12"]
    for place in places:
        try:
            return ctypes.CDLL(str(place))
        except OSError:
            continue
    return None


needs_nvcc = unittest.skipUnless(find_nvcc(), "nvcc is not here: set CUDA_HOME or PATH")
needs_clang = unittest.skipUnless(
    find_clang(), f"clang++-{CLANG_VERSION} is not here: tools/install_deps.sh device installs it")
needs_lld = unittest.skipUnless(
    shutil.which(f"ld.lld-{CLANG_VERSION}"),
    f"ld.lld-{CLANG_VERSION} is not here: tools/install_deps.sh device installs it")
needs_nvrtc = unittest.skipUnless(find_nvrtc(), "libnvrtc is not here: set CUDA_HOME")


class CompileError(AssertionError):
    """The compiler refused; the text is what it said."""


def execute(command):
    """What the compiler printed; raises CompileError where it failed."""
    ended = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                           timeout=300)
    said = ended.stdout + ended.stderr
    if ended.returncode != 0:
        raise CompileError(f"{' '.join(map(str, command))}\n{said}")
    return said


def in_parallel(function, arguments):
    """function of each of the arguments, by several processes at a time, in order."""
    with ThreadPoolExecutor(os.cpu_count() or 2) as pool:
        return list(pool.map(lambda argument: function(*argument), arguments))


class Report:
    """What ptxas -v said of one kernel, and its code where that is at hand."""

    def __init__(self, text):
        self.code = None
        self.registers = int(re.search(r"Used (\d+) registers", text)[1])
        shared = re.search(r"(\d+) bytes smem", text)
        self.shared_bytes = int(shared[1]) if shared else 0
        frame = re.search(r"(\d+) bytes stack frame, (\d+) bytes spill stores, "
                          r"(\d+) bytes spill loads", text)
        self.stack_bytes, self.spill_stores, self.spill_loads = map(int, frame.groups())

    @classmethod
    def split(cls, said):
        """The reports in all that the compiler said, by the kernel's name."""
        parts = re.split(r"Compiling entry function '", said)[1:]
        return {part.split("'", 1)[0]: cls(part) for part in parts}


class Compiled:
    """What one run of nvcc gave: kernels by name, and every warning."""

    def __init__(self, data, said):
        reports = Report.split(said)
        self.kernels = {}
        for name, code in cubin.kernels(data).items():
            if name in reports:  # else it is a function that was not inlined
                self.kernels[name] = reports[name]
                self.kernels[name].code = code
        self.said = said

    @property
    def warnings(self):
        return [line for line in self.said.splitlines()
                if "warning" in line.lower() or "C75" in line]


@functools.lru_cache(maxsize=None)
def nvcc(source, architecture, *options):
    """Compiles a file of kernels/ (or a path) to a cubin."""
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "kernels.cubin"
        said = execute([find_nvcc(), "-cubin", f"-arch={architecture}", "-O3",
                        "-Xptxas", "-v", "-Xcompiler", "-Wall,-Wextra", f"-I{INCLUDE}",
                        f"-I{KERNELS}", *(options or ("-std=c++17",)), KERNELS / source,
                        "-o", output])
        return Compiled(output.read_bytes(), said)


def clang(source, output, *options):
    """Compiles a file of kernels/ for a device with clang and without any vendor's header."""
    return execute([find_clang(), "-std=c++17", "-O2", "-Wall", "-Wextra", "-Werror",
                    f"-I{INCLUDE}", f"-I{KERNELS}", *options, KERNELS / source, "-o", output])


def clang_cuda(source, architecture, output, *options):
    return clang(source, output, "-x", "cuda", "--cuda-device-only",
                 f"--cuda-gpu-arch={architecture}", "-nocudainc", "-nocudalib",
                 "-Wno-unknown-cuda-version", "-S", *options)


def clang_hip(source, target, output, *options):
    return clang(source, output, "-x", "hip", "--offload-device-only", "--no-gpu-bundle-output",
                 f"--offload-arch={target}", "-nogpuinc", "-nogpulib", *options)


def nvrtc(text, architecture, *options):
    """Compiles text with NVRTC; returns the cubin and the log."""
    library = find_nvrtc()
    program = ctypes.c_void_p()
    if library.nvrtcCreateProgram(ctypes.byref(program), text.encode(), b"kernels.cu", 0, None,
                                  None) != 0:
        raise CompileError("nvrtcCreateProgram failed")
    try:
        words = [f"--gpu-architecture={architecture}", f"-I{INCLUDE}", f"-I{KERNELS}", *options]
        array = (ctypes.c_char_p * len(words))(*(word.encode() for word in words))
        code = library.nvrtcCompileProgram(program, len(words), array)
        log = fetch(library, program, "nvrtcGetProgramLog").rstrip(b"\0").decode()
        if code != 0:
            raise CompileError(log)
        return fetch(library, program, "nvrtcGetCUBIN"), log
    finally:
        library.nvrtcDestroyProgram(ctypes.byref(program))


def fetch(library, program, what):
    """The bytes of a pair of calls nvrtcGetX, nvrtcGetXSize."""
    size = ctypes.c_size_t()
    getattr(library, what + "Size")(program, ctypes.byref(size))
    data = ctypes.create_string_buffer(size.value)
    getattr(library, what)(program, data)
    return data.raw

"""What the snippets of the guide take for granted: torch, a kernel, copies."""

import ctypes
import struct
from types import SimpleNamespace

import fake_device

FILES = ("gemm.lkp", "cudaprofiler.perfetto-trace")


def cuda_profiler_buffer():
    """One lane with three regions, as CudaProfiler writes it."""
    words = [1 << 32 | 1]
    for event in range(3):
        words.append((1000 + 100 * event) << 32 | event << 2)
        words.append((1064 + 100 * event) << 32 | event << 2 | 1)
    words.append(2000 << 32 | 3)
    return struct.pack(f"<{len(words)}Q", *words)


def names(device):
    def copy(function, *arguments):
        code = getattr(device, function)(*arguments)
        assert code == 0, (function, code)

    def write(address, data):
        copy("cuMemcpyHtoD_v2", ctypes.c_uint64(address), data, ctypes.c_size_t(len(data)))

    def read(address, size):
        data = ctypes.create_string_buffer(size)
        copy("cuMemcpyDtoH_v2", data, ctypes.c_uint64(address), ctypes.c_size_t(size))
        return data.raw

    def advance_and_launch(address):
        launch, = struct.unpack("<I", read(address, 4))
        write(address, struct.pack("<I", launch + 1))
        device.fake_cuda_run_kernel(address, 132, 2, 6, 0)

    return {
        "stream": None,
        "launch_gemm": lambda stream, channel: device.fake_cuda_run_kernel(channel, 132, 2, 6, 0),
        "torch": SimpleNamespace(
            uint8="uint8",
            empty=lambda size, dtype, device_=None, **_: fake_device.FakeTensor(device, size + 7)),
        "allocate": device.fake_cuda_allocate,
        "write": write,
        "read": read,
        "advance_and_launch": advance_and_launch,
        "profiler_buffer": cuda_profiler_buffer(),
    }

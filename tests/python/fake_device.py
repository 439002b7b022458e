"""The fake driver's functions for tests, and tensors on its device."""

import ctypes
import os


def load():
    library = ctypes.CDLL(os.environ["LOCKSTEP_LIBCUDA"])
    library.fake_cuda_run_kernel.argtypes = [ctypes.c_uint64] + [ctypes.c_uint32] * 4
    library.fake_cuda_run_kernel.restype = None
    library.fake_cuda_allocations.restype = ctypes.c_size_t
    library.fake_cuda_allocate.argtypes = [ctypes.c_size_t]
    library.fake_cuda_allocate.restype = ctypes.c_uint64
    return library


class FakeTensor:
    """What a PyTorch tensor on the device offers, as far as it is used."""

    is_cuda = True

    def __init__(self, device, size, is_whole=True):
        self._address = device.fake_cuda_allocate(size)
        self._size = size
        self._is_whole = is_whole

    def data_ptr(self):
        return self._address

    def is_contiguous(self):
        return self._is_whole

    def numel(self):
        return self._size // 8

    def element_size(self):
        return 8

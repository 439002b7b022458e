"""Collection from copies, and memory of other libraries."""

import array
import ctypes
import tempfile
import unittest
from pathlib import Path

import lockstep
from lkp_file import LkpFile
from lockstep._memory import HostMemory, stream_handle

try:
    import numpy
except ImportError:
    numpy = None


class CopiedBuffers(unittest.TestCase):
    SIZES = dict(blocks=2, groups=2, records=10)

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name) / "out.lkp"
        self.copy = bytearray(lockstep.required_bytes(**self.SIZES))
        first = lockstep.first_bytes(0x10000, **self.SIZES)
        self.copy[:len(first)] = first

    def test_a_prepared_buffer_has_no_launches(self):
        for copy in (self.copy, bytes(self.copy), memoryview(self.copy),
                     array.array("B", self.copy)):
            with self.subTest(type=type(copy)):
                counts = lockstep.collect_from_memory(copy, self.path, kernels=["k"],
                                                      events=["load"], device="MI300X",
                                                      arch="gfx942")
                self.assertEqual(counts.launches, 0)
        meta = LkpFile(self.path).meta
        self.assertEqual((meta["device"], meta["arch"]), ("MI300X", "gfx942"))
        self.assertEqual((meta["kernels"], meta["events"]), (["k"], ["load"]))

    def test_several_buffers_are_channels_of_one_file(self):
        lockstep.collect_from_memory([self.copy, self.copy], self.path, kernels=["a", "b"])
        self.assertEqual(LkpFile(self.path).meta["kernels"], ["a", "b"])

    def test_what_is_no_channel_is_refused(self):
        for copy, message in [(b"", "0 bytes is too short"), (bytes(4096), "does not start"),
                              (bytes(self.copy[:200]), "do not fit")]:
            with self.subTest(message=message):
                with self.assertRaisesRegex(lockstep.LockstepError, message):
                    lockstep.collect_from_memory(copy, self.path)
        with self.assertRaisesRegex(lockstep.LockstepError, "is missing"):
            lockstep.collect_from_memory([], self.path)

    def test_an_address_that_is_not_aligned_is_refused(self):
        with self.assertRaisesRegex(lockstep.LockstepError, "not aligned"):
            lockstep.first_bytes(0x10008, **self.SIZES)


class HostMemories(unittest.TestCase):
    def bytes_of(self, data):
        memory = HostMemory(data)
        return ctypes.string_at(memory.address, memory.size)

    def test_memory_is_lent_as_it_lies(self):
        data = bytearray(b"abcd")
        memory = HostMemory(data)
        data[0] = ord("x")
        self.assertEqual(ctypes.string_at(memory.address, memory.size), b"xbcd")

    def test_read_only_and_strided_memory_is_copied(self):
        self.assertEqual(self.bytes_of(b"abcd"), b"abcd")
        self.assertEqual(self.bytes_of(memoryview(bytearray(b"abcd"))[::2]), b"ac")
        self.assertEqual(self.bytes_of(b""), b"")

    def test_a_tensor_on_the_device_is_copied_to_the_host(self):
        values = (ctypes.c_uint64 * 2)(1, 2)

        class Tensor:
            def __init__(self, is_cuda):
                self.is_cuda = is_cuda

            def cpu(self):
                return Tensor(False)

            def data_ptr(self):
                assert not self.is_cuda
                return ctypes.addressof(values)

            def is_contiguous(self):
                return True

            def numel(self):
                return 2

            def element_size(self):
                return 8

        self.assertEqual(self.bytes_of(Tensor(True)), bytes(values))

    @unittest.skipIf(numpy is None, "no NumPy here")
    def test_numpy_arrays_are_memory(self):
        values = numpy.arange(6, dtype="uint64").reshape(2, 3)
        self.assertEqual(self.bytes_of(values), values.tobytes())
        self.assertEqual(self.bytes_of(values.T), values.T.tobytes())

    def test_streams_are_known_by_what_they_offer(self):
        class TorchStream:
            cuda_stream = 11

        class CupyStream:
            ptr = 12

        self.assertEqual([stream_handle(s) for s in (None, 7, TorchStream(), CupyStream())],
                         [0, 7, 11, 12])


if __name__ == "__main__":
    unittest.main()

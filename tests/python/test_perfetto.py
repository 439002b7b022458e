"""export_to_perfetto_trace: the arguments of TVM's function, what it writes and what it warns of."""

import array
import struct
import tempfile
import unittest
import warnings
from pathlib import Path

import lockstep
from page_names import cuda_profiler_buffer

try:
    import numpy
except ImportError:
    numpy = None

NAMES = ["load", "compute", "store"]


class Export(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name) / "out.perfetto-trace"
        self.buffer = cuda_profiler_buffer()

    def export(self, buffer, names=NAMES):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            lockstep.export_to_perfetto_trace(buffer, self.path, names)
        return [str(warning.message) for warning in caught]

    def test_names_and_lanes_are_in_the_trace(self):
        self.assertEqual(self.export(self.buffer), [])
        trace = self.path.read_bytes()
        for name in NAMES:
            self.assertIn(name.encode(), trace)

    def test_every_kind_of_memory_gives_the_same_trace(self):
        words = struct.unpack(f"<{len(self.buffer) // 8}Q", self.buffer)
        self.export(self.buffer)
        expected = self.path.read_bytes()
        kinds = [bytearray(self.buffer), array.array("Q", words), memoryview(self.buffer)]
        if numpy is not None:
            kinds.append(numpy.array(words, dtype="uint64"))
        for kind in kinds:
            with self.subTest(type=type(kind)):
                self.export(kind)
                self.assertEqual(self.path.read_bytes(), expected)

    def test_a_region_without_an_end_is_warned_of(self):
        words = bytearray(self.buffer)
        words[16:24] = bytes(8)
        self.assertNotEqual(self.export(words), [])

    def test_a_buffer_without_a_header_is_refused(self):
        with self.assertRaises(lockstep.LockstepError):
            self.export(b"")

    def test_bytes_that_are_no_words_are_refused(self):
        with self.assertRaisesRegex(ValueError, "no array of 64-bit words"):
            self.export(self.buffer[:-1])

    def test_a_file_that_cannot_be_written_is_an_error(self):
        self.path = Path("/nowhere/at/all")
        with self.assertRaisesRegex(lockstep.LockstepError, "/nowhere/at/all"):
            self.export(self.buffer)


if __name__ == "__main__":
    unittest.main()

"""Sessions and channels over the fake driver."""

import enum
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import fake_device
import lockstep
from lkp_file import LkpFile

RING = 4


class SessionCase(unittest.TestCase):
    def setUp(self):
        self.device = fake_device.load()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name) / "out.lkp"

    def run_kernel(self, channel, blocks=1, groups=1, events=4, flags=0):
        self.device.fake_cuda_run_kernel(channel.ptr, blocks, groups, events, flags)


class Sessions(SessionCase):
    def test_the_device_is_described(self):
        with lockstep.KernelSession() as session:
            self.assertEqual(session.device,
                             lockstep.Device("Fake H200", "sm_90", 4, 1.98, 32.0))

    def test_launches_are_collected_into_a_file(self):
        with lockstep.KernelSession(device=0, events=["load", "compute"]) as session:
            channel = session.channel(blocks=2, groups=3, launch_slots=2, kernel="gemm")
            for _ in range(3):
                channel.advance()
                self.run_kernel(channel, blocks=2, groups=3, events=6)
            counts = session.collect(self.path)
        self.assertEqual(counts.launches, 2)
        self.assertEqual(counts.overwritten_launches, 1)
        self.assertEqual(counts.records, 72)
        file = LkpFile(self.path)
        self.assertEqual(file.launches(), [(0, 0, 2, 0, 3, 2), (1, 0, 3, 0, 3, 2)])
        self.assertEqual(len(file.lanes()), 12)
        self.assertEqual(file.lanes()[4], (0, 1, 1, 6))
        self.assertEqual(file.meta["device"], "Fake H200")
        self.assertEqual(file.meta["events"], ["load", "compute"])
        self.assertEqual(file.meta["kernels"], ["gemm"])

    def test_events_may_be_an_enum(self):
        class Event(enum.Enum):
            LOAD = 0
            STORE = 2

        with lockstep.KernelSession(events=Event) as session:
            session.collect(self.path)
        self.assertEqual(LkpFile(self.path).meta["events"], ["LOAD", "", "STORE"])

    def test_replays_of_a_graph_are_told_apart(self):
        with lockstep.KernelSession() as session:
            channel = session.channel(blocks=1, launch_slots=4)
            self.device.fake_cuda_capture(1)
            channel.advance(stream=0)
            self.run_kernel(channel)
            self.device.fake_cuda_capture(0)
            for _ in range(3):
                self.device.fake_cuda_replay()
            self.assertEqual(session.collect(self.path).launches, 3)
        self.assertEqual([launch[2] for launch in LkpFile(self.path).launches()], [1, 2, 3])

    def test_a_chain_advances_by_dependent_launches(self):
        before = self.device.fake_cuda_launches(b"lockstep_advance_dependent")
        with lockstep.KernelSession() as session:
            session.channel(blocks=1, launch_slots=2).advance(dependent=True)
        after = self.device.fake_cuda_launches(b"lockstep_advance_dependent")
        self.assertEqual(after, before + 1)

    def test_a_channel_is_switched_off_and_on(self):
        with lockstep.KernelSession() as session:
            channel = session.channel(blocks=1)
            self.assertTrue(channel.enabled)
            channel.enabled = False
            channel.advance()
            self.run_kernel(channel)
            self.assertEqual(channel.collect(self.path).launches, 0)
            channel.enabled = True
            channel.advance()
            self.run_kernel(channel)
            self.assertEqual(channel.collect(self.path).launches, 1)

    def test_blocks_are_selected(self):
        with lockstep.KernelSession() as session:
            for selection, blocks in [(dict(every=2), [0, 2, 4]), (dict(only=[3, 1]), [1, 3]),
                                      (dict(one_per_sm=True), [0, 1, 2, 3])]:
                with self.subTest(selection=selection):
                    with session.channel(blocks=5, **selection) as channel:
                        channel.advance()
                        self.run_kernel(channel, blocks=5)
                        channel.collect(self.path)
                    self.assertEqual([lane[1] for lane in LkpFile(self.path).lanes()], blocks)

    def test_a_tensor_is_the_buffer(self):
        with lockstep.KernelSession() as session:
            size = session.required_bytes(blocks=2, records=100)
            tensor = fake_device.FakeTensor(self.device, size)
            channel = session.channel(blocks=2, records=100, buffer=tensor)
            self.assertEqual(channel.ptr, tensor.data_ptr())
            channel.advance()
            self.run_kernel(channel, blocks=2, events=100)
            self.assertEqual(channel.collect(self.path).records, 200)

    def test_an_address_is_the_buffer(self):
        with lockstep.KernelSession() as session:
            size = session.required_bytes(blocks=1)
            address = self.device.fake_cuda_allocate(size)
            self.assertEqual(session.channel(blocks=1, buffer=address, buffer_bytes=size).ptr,
                             address)

    def test_an_array_on_a_gpu_is_the_buffer(self):
        with lockstep.KernelSession() as session:
            size = session.required_bytes(blocks=1)
            address = self.device.fake_cuda_allocate(size)

            class Array:
                __cuda_array_interface__ = {"shape": (size // 4, 1), "typestr": "<i4",
                                            "data": (address, False), "version": 3}

            self.assertEqual(session.channel(blocks=1, buffer=Array()).ptr, address)
            Array.__cuda_array_interface__["strides"] = (8, 8)
            with self.assertRaisesRegex(ValueError, "not contiguous"):
                session.channel(blocks=1, buffer=Array())

    def test_memory_is_freed(self):
        before = self.device.fake_cuda_allocations()
        with lockstep.KernelSession() as session:
            session.channel(blocks=1)
            with session.channel(blocks=1):
                self.assertEqual(self.device.fake_cuda_allocations(), before + 2)
            self.assertEqual(self.device.fake_cuda_allocations(), before + 1)
        self.assertEqual(self.device.fake_cuda_allocations(), before)

    def test_rings_keep_the_last_records(self):
        with lockstep.KernelSession() as session:
            channel = session.channel(blocks=1, records=6)
            channel.advance()
            self.run_kernel(channel, events=20, flags=RING)
            counts = session.collect(self.path)
        self.assertEqual((counts.records, counts.dropped_records), (8, 12))


class Refusals(SessionCase):
    def refuse(self, message, status, call, *arguments, **named):
        with self.assertRaisesRegex(lockstep.LockstepError, message) as caught:
            call(*arguments, **named)
        self.assertEqual(caught.exception.status, status)

    def test_arguments_that_make_no_sense(self):
        with lockstep.KernelSession() as session:
            self.refuse("number of blocks is missing", 2, session.channel)
            self.refuse("power of two", 2, session.channel, blocks=1, launch_slots=3)
            self.refuse("block 9 is listed", 2, session.channel, blocks=4, only=[9])
            self.refuse("list of blocks is empty", 2, session.channel, blocks=4, only=[])
            with self.assertRaisesRegex(ValueError, "one of every, only"):
                session.channel(blocks=4, only=[1], every=2)

    def test_buffers_that_do_not_fit(self):
        with lockstep.KernelSession() as session:
            small = fake_device.FakeTensor(self.device, 1024)
            self.refuse("too small", 2, session.channel, blocks=1, buffer=small)
            with self.assertRaisesRegex(ValueError, "not contiguous"):
                session.channel(blocks=1,
                                buffer=fake_device.FakeTensor(self.device, 1 << 20, False))
            with self.assertRaisesRegex(TypeError, "needs buffer_bytes"):
                session.channel(blocks=1, buffer=4096)
            with self.assertRaisesRegex(TypeError, "str is no device memory"):
                session.channel(blocks=1, buffer="memory")

    def test_a_device_that_is_not_there(self):
        self.refuse("no CUDA device 7", 2, lockstep.KernelSession, device=7)

    def test_a_file_that_cannot_be_written(self):
        with lockstep.KernelSession() as session:
            self.refuse("/nowhere/at/all.lkp", 3, session.collect, "/nowhere/at/all.lkp")

    def test_what_is_closed_is_not_used(self):
        session = lockstep.KernelSession()
        channel = session.channel(blocks=1)
        session.close()
        session.close()
        for call in (session.collect, channel.collect):
            with self.assertRaisesRegex(ValueError, "is closed"):
                call(self.path)
        channel.close()

    def run_python(self, code, **environment):
        return subprocess.run([sys.executable, "-c", code], env={**os.environ, **environment},
                              capture_output=True, text=True)

    def test_no_driver(self):
        result = self.run_python("import lockstep; lockstep.KernelSession()",
                                 LOCKSTEP_LIBCUDA="/nowhere/libcuda.so.1")
        self.assertIn("there is no CUDA driver here", result.stderr)

    def test_no_library(self):
        result = self.run_python("import lockstep; lockstep.required_bytes(blocks=1)",
                                 LOCKSTEP_SESSION_LIBRARY="/nowhere/lib.so")
        self.assertIn("/nowhere/lib.so cannot be loaded", result.stderr)
        self.assertIn("LOCKSTEP_SESSION_LIBRARY", result.stderr)

    def test_the_driver_is_found_by_its_name(self):
        folder = str(Path(os.environ["LOCKSTEP_LIBCUDA"]).parent)
        result = self.run_python("import lockstep; print(lockstep.KernelSession().device.name)",
                                 LOCKSTEP_LIBCUDA="", LD_LIBRARY_PATH=folder)
        self.assertEqual(result.stdout, "Fake H200\n", result.stderr)


# Functions of the driver, and what of a session calls them.
DRIVER_CALLS = [
    ("cuInit", "open"), ("cuDeviceGetCount", "open"), ("cuDeviceGet", "open"), ("cuDeviceGetName", "open"),
    ("cuDeviceGetAttribute", "open"), ("cuDevicePrimaryCtxRetain", "open"), ("cuCtxGetCurrent", "open"),
    ("cuCtxPushCurrent_v2", "open"), ("cuCtxPopCurrent_v2", "open"), ("cuMemAlloc_v2", "open"),
    ("cuMemFree_v2", "open"), ("cuMemcpyDtoH_v2", "open"), ("cuModuleLoadDataEx", "open"),
    ("cuModuleGetFunction", "open"), ("cuLaunchKernel", "open"),
    ("cuMemAlloc_v2", "channel"), ("cuMemcpyHtoD_v2", "channel"), ("cuCtxPushCurrent_v2", "channel"),
    ("cuLaunchKernel", "advance"), ("cuLaunchKernelEx", "chain"), ("cuMemcpyHtoD_v2", "switch"),
    ("cuCtxSynchronize", "collect"), ("cuMemcpyDtoH_v2", "collect"),
    ("cuMemFree_v2", "close channel"), ("cuMemFree_v2", "close"), ("cuModuleUnload", "close"),
    ("cuDevicePrimaryCtxRelease_v2", "close"),
]


class DriverFailures(SessionCase):
    def setUp(self):
        super().setUp()
        self.addCleanup(os.environ.pop, "FAKE_CUDA_FAIL", None)
        self.addCleanup(self.device.fake_cuda_forget_contexts)

    def steps(self):
        """The calls of a session one after the other, by name."""
        session = channel = None

        def open_session():
            nonlocal session
            session = lockstep.KernelSession()

        def make_channel():
            nonlocal channel
            channel = session.channel(blocks=1)

        yield "open", open_session
        yield "channel", make_channel
        yield "advance", lambda: channel.advance()
        yield "chain", lambda: channel.advance(dependent=True)
        yield "switch", lambda: setattr(channel, "enabled", False)
        yield "collect", lambda: session.collect(self.path)
        if self.closes_channel:
            yield "close channel", lambda: channel.close()
        yield "close", lambda: session.close()

    def fail_in(self, function, where):
        self.closes_channel = where == "close channel"
        for name, call in self.steps():
            if name == where:
                # The environment of this process, which the driver reads.
                os.environ["FAKE_CUDA_FAIL"] = f"{function}:0:700"
                with self.assertRaises(lockstep.LockstepError) as caught:
                    call()
                del os.environ["FAKE_CUDA_FAIL"]
                return caught.exception
            call()

    def test_each_is_raised_by_name_and_error(self):
        for function, where in DRIVER_CALLS:
            with self.subTest(function=function, where=where):
                error = self.fail_in(function, where)
                self.assertEqual(error.status, 3)
                self.assertIn(f" failed: {function.removesuffix('_v2')} returned CUDA_ERROR_ILLEGAL_ADDRESS (700): "
                              "an illegal memory access was encountered", str(error))
                self.device.fake_cuda_forget_contexts()
                with lockstep.KernelSession() as session:
                    self.assertEqual(session.channel(blocks=1).collect(self.path).launches, 0)

    def test_too_little_memory_is_told_as_such(self):
        os.environ["FAKE_CUDA_FAIL"] = "cuMemAlloc_v2:0:2"
        with self.assertRaisesRegex(lockstep.LockstepError, "the device has no 16 B left for measuring its timer: "
                                    "cuMemAlloc returned CUDA_ERROR_OUT_OF_MEMORY"):
            lockstep.KernelSession()

    def test_the_error_inside_a_with_block_is_not_hidden(self):
        with self.assertRaisesRegex(ZeroDivisionError, "division"):
            with lockstep.KernelSession() as session, session.channel(blocks=1):
                os.environ["FAKE_CUDA_FAIL"] = "cuMemFree_v2:0:700"
                1 / 0

    def test_what_failed_to_close_is_closed(self):
        session = lockstep.KernelSession()
        channel = session.channel(blocks=1)
        os.environ["FAKE_CUDA_FAIL"] = "cuMemFree_v2:0:700"
        for what in (channel, session):
            if what is session:
                os.environ["FAKE_CUDA_FAIL"] = "cuModuleUnload:0:700"
            self.assertRaises(lockstep.LockstepError, what.close)
            what.close()


if __name__ == "__main__":
    unittest.main()

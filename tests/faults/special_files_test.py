"""FIFOs, sockets and devices: as inputs, in directories of inputs, beside databases, as outputs.

Nothing waits for a FIFO that was not named, and nothing takes memory or room without end.
"""

import os
import resource
import socket
import subprocess
import sys
import threading
import unittest

from fault_case import FAULTY_CALLS, PROGRAM, FaultTestCase, files_below, main, pipeline


def small():
    """As much memory as any input of these tests needs, and room for files."""
    if FAULTY_CALLS:  # a sanitizer reserves terabytes
        resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
    resource.setrlimit(resource.RLIMIT_FSIZE, (64 << 20, 64 << 20))


class Given(FaultTestCase):
    def fifo(self, name, content):
        """One that a thread fills once it is opened."""
        path = self.inputs / name
        os.mkfifo(path)
        def fill():
            try:
                with open(path, "wb") as fifo:
                    fifo.write(content)
            except BrokenPipeError:
                pass
        threading.Thread(target=fill, daemon=True).start()
        return path

    def test_a_fifo_is_read_to_its_end(self):
        for name in ("kineto", "nsys", "perfetto", "rocpd", "rpd", "xspace", "rocprofv3"):
            with self.subTest(format=name):
                trace = self.trace(name)
                if trace.is_dir():
                    trace = max(trace.rglob("*.*"), key=lambda path: path.stat().st_size)
                wanted = self.run_lockstep("info", "--json", trace)
                self.assertEqual(wanted.returncode, 0, wanted.stderr)
                done = self.run_lockstep("info", "--json", self.fifo(name + ".fifo",
                                                                     trace.read_bytes()))
                self.assertEqual(done.returncode, 0, done.stderr)
                kernels = [line for line in wanted.stdout.splitlines() if b'"kernels"' in line]
                self.assertEqual([line for line in done.stdout.splitlines()
                                  if b'"kernels"' in line], kernels)
        self.check_nothing_temporary()

    def test_a_kernel_profile_comes_through_a_fifo(self):
        fifo = self.fifo("a.lkp", pipeline())
        self.assertIn("pipeline", self.succeed("kernel", "decode", fifo))

    def test_a_socket_is_told(self):
        listening = socket.socket(socket.AF_UNIX)
        self.addCleanup(listening.close)
        path = self.inputs / "socket.json"
        listening.bind(os.path.relpath(path))
        self.check_sentence(self.run_lockstep("info", path), 3,
                            "cannot be opened: No such device or address")
        self.check_sentence(self.run_lockstep("convert", self.loops(), "-o", path), 3,
                            "cannot be written: No such device or address")
        self.assertTrue(path.is_socket())

    def test_devices_without_end_are_refused_by_their_first_bytes(self):
        # Not /dev/urandom: some of what it gives begins as a trace does.
        for device in ("/dev/zero", "/dev/full"):
            if not os.path.exists(device):
                continue
            for command in [("info", device), ("cycles", device), ("anomalies", device),
                            ("compare", device, device), ("compare", self.loops(), device),
                            ("convert", device, "-o", self.out / "a.json"),
                            ("convert", device, "-o", self.out / "a.xplane.pb")]:
                with self.subTest(command=command):
                    self.check_sentence(self.run_lockstep(*command, preexec_fn=small), 3, "is not a trace")
        self.assertEqual(files_below(self.out), {})

    def test_devices_hold_no_kernel_profile(self):
        for command in [("/dev/zero",), ("-",), ("/dev/zero", "--format", "tvm"),
                        ("/dev/zero", "--format", "ikp")]:
            with self.subTest(command=command), open("/dev/zero", "rb") as zero:
                done = self.run_lockstep("kernel", "decode", *command, preexec_fn=small, stdin=zero)
                self.check_sentence(done, 3, "is a device, which may have no end. Give a file or a "
                                             "pipe that holds the profile\n")

    def endless(self, content):
        """A pipe into which the same is written at every run, again and again."""
        writing = subprocess.Popen(
            [sys.executable, "-c", "import os, random\ndice = random.Random(1)\n"
                                   f"while True: os.write(1, {content})"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.addCleanup(writing.wait)
        self.addCleanup(writing.kill)
        self.addCleanup(writing.stdout.close)
        return writing.stdout

    def test_pipes_without_end_are_refused_by_their_first_bytes(self):
        for command in [("info", "-"), ("cycles", "-"), ("anomalies", "-"), ("compare", self.loops(), "-"),
                        ("convert", "-", "-o", self.out / "a.json"),
                        ("convert", "-", "-o", self.out / "a.xplane.pb")]:
            for content in ("bytes(65536)", "dice.randbytes(65536)"):
                with self.subTest(command=command, content=content):
                    done = self.run_lockstep(*command, stdin=self.endless(content), preexec_fn=small)
                    self.check_sentence(done, 3, "standard input: is not a trace")
        self.assertEqual(files_below(self.out), {})
        self.check_nothing_temporary()

    def test_white_space_without_end_takes_no_memory(self):
        """It may be the beginning of JSON for all that is known; it must not be kept."""
        feeder = subprocess.Popen(["sh", "-c", "yes '' | head -c 300000000"],
                                  stdout=subprocess.PIPE)
        with feeder.stdout:
            done = self.run_lockstep("info", "-", stdin=feeder.stdout, preexec_fn=small)
        feeder.wait()
        self.check_sentence(done, 3, "standard input: is not a trace")


class InDirectories(FaultTestCase):
    def setUp(self):
        super().setUp()
        self.kernels = self.info(self.loops())["kernels"]

    def test_are_never_opened(self):
        for name in ("fifo.json", "kernel_details.csv", "trace_view.json", "a.db", "a.pftrace",
                     "profiler_info.json", "FRAMEWORK", "rank0.json.gz"):
            os.mkfifo(self.inputs / name)
        if os.geteuid() == 0:
            try:
                os.mknod(self.inputs / "zero.json", 0o20666, os.makedev(1, 5))
            except OSError:
                pass
        self.assertEqual(self.info(self.inputs)["kernels"], self.kernels)

    def test_beside_an_ascend_profile_are_never_opened(self):
        profile = self.trace("ascend_text")
        wanted = self.run_lockstep("info", "--json", profile)
        for folder in [profile, *(p for p in profile.rglob("*") if p.is_dir())]:
            for name in ("operator_details.csv", "step_trace_time.csv", "msprof_0.json",
                         "api_statistic.csv", "op_statistic.csv", "communication.json", "extra.db",
                         "profiler_info_0.json", "profiler_metadata.json", "task_time_0.csv"):
                if not (folder / name).exists():
                    os.mkfifo(folder / name)
        done = self.run_lockstep("info", "--json", profile)
        self.assertEqual((done.returncode, done.stdout), (wanted.returncode, wanted.stdout))

    def test_beside_a_database_are_never_opened(self):
        for suffix in ("-wal", "-journal", "-shm"):
            with self.subTest(suffix=suffix):
                database = self.trace("nsys")
                kernels = self.info(database)["kernels"]
                beside = database.with_name(database.name + suffix)
                os.mkfifo(beside)
                done = self.run_lockstep("info", "--json", database)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn(f'"kernels": {kernels}'.encode(), done.stdout)
                self.assertTrue(beside.is_fifo())
                beside.unlink()

    def test_a_directory_of_nothing_else_holds_no_traces(self):
        os.mkfifo(self.out / "a.json")
        self.check_sentence(self.run_lockstep("info", self.out), 3, "holds no traces")


class AsOutputs(FaultTestCase):
    def read_all(self, fifo, into):
        with open(fifo, "rb") as stream:
            into.append(stream.read())

    def test_a_fifo_is_written_in_place(self):
        fifo, got = self.out / "fifo.json", []
        os.mkfifo(fifo)
        reader = threading.Thread(target=self.read_all, args=(fifo, got), daemon=True)
        reader.start()
        trace = self.loops()
        self.succeed("convert", trace, "-o", fifo)
        reader.join(60)
        self.succeed("convert", trace, "-o", self.out / "wanted.json")
        self.assertEqual(got, [(self.out / "wanted.json").read_bytes()])
        self.assertTrue(fifo.is_fifo())

    def test_a_reader_that_leaves_ends_it(self):
        fifo = self.out / "fifo.json"
        os.mkfifo(fifo)
        run = subprocess.Popen([PROGRAM, "convert", self.loops(passes=2000), "-o", fifo],
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        with run.stderr:
            with open(fifo, "rb") as stream:
                stream.read(10)
            self.assertEqual(run.wait(timeout=120), -13)
            self.assertEqual(run.stderr.read(), b"")
        self.assertEqual(os.listdir(self.out), ["fifo.json"])

    @unittest.skipUnless(os.path.exists("/dev/null"), "no /dev/null here")
    def test_a_device_stays_what_it_is(self):
        before = os.stat("/dev/null")
        self.succeed("convert", self.loops(), "-o", "/dev/null", "--to", "chrome")
        after = os.stat("/dev/null")
        self.assertEqual((before.st_rdev, before.st_mode), (after.st_rdev, after.st_mode))


if __name__ == "__main__":
    main()

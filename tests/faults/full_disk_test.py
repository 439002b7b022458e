"""No room: devices and file systems that are full, limits on the size of files, calls that fail."""

import errno
import os
import resource
import shutil
import subprocess
import sys
import unittest
import zipfile
from pathlib import Path
from xml.dom import minidom

from fault_case import ALL, PROGRAM, FaultTestCase, files_below, main, pipeline, spread

MESSAGES = {errno.ENOSPC: "No space left on device", errno.EDQUOT: "Disk quota exceeded",
            errno.EIO: "Input/output error", errno.EFBIG: "File too large"}


@unittest.skipUnless(os.path.exists("/dev/full"), "no /dev/full here")
class FullDevice(FaultTestCase):
    def test_as_an_output(self):
        link = self.out / "full.pftrace"
        link.symlink_to("/dev/full")
        trace, xspace = self.loops(), self.trace("xspace")
        for arguments in [("convert", trace, "-o", "/dev/full", "--to", "chrome"),
                          ("convert", trace, "-o", link),
                          ("convert", xspace, "-o", "/dev/full", "--to", "xspace"),
                          ("anomalies", trace, "--annotate", link),
                          ("cycles", trace, "--annotate", link),
                          ("compare", trace, xspace, "--csv", link)]:
            with self.subTest(arguments=arguments):
                done = self.run_lockstep(*arguments)
                self.check_sentence(done, 3, "writing failed: No space left on device. Free some "
                                             "space or choose another place\n")
                self.assertEqual(done.stdout, b"")
        self.assertEqual(os.readlink(link), "/dev/full")

    def test_as_standard_output(self):
        trace = self.loops()
        for arguments in [("info", trace), ("info", "--json", trace), ("cycles", trace),
                          ("anomalies", trace), ("compare", trace, self.trace("kineto")),
                          ("kernel", "decode", self.write("in/a.lkp", pipeline())),
                          ("help",), ("--version",), ("info", "--help"),
                          ("convert", trace, "-o", "-", "--to", "perfetto"),
                          ("convert", trace, "-o", self.out / "a.json")]:
            with self.subTest(arguments=arguments), open("/dev/full", "wb") as full:
                done = subprocess.run([PROGRAM, *map(str, arguments)], stdout=full, check=False,
                                      stderr=subprocess.PIPE, env=self.environment, timeout=120)
                self.check_sentence(done, 3, "standard output: writing failed: No space left on "
                                             "device. Free some space where it leads\n")
        self.check_nothing_temporary()

    def test_as_standard_error(self):
        with open("/dev/full", "wb") as full:
            done = subprocess.run([PROGRAM, "info", "/nowhere"], stdout=subprocess.PIPE, stderr=full,
                                  check=False, timeout=120)
        self.assertEqual((done.returncode, done.stdout), (3, b""))


class FailingCalls(FaultTestCase):
    """From the n-th call on, nothing can be written, made or renamed."""

    def test_every_call_that_fails_is_told(self):
        for writer in self.writers():
            wanted = self.wanted_outputs(writer)
            for calls in ("open", "mkostemps", "mkdtemp", "write", "fsync", "rename"):
                with self.subTest(writer=writer.name, calls=calls):
                    self.fail_calls(writer, wanted, calls)

    def fail_calls(self, writer, wanted, calls):
        self.put_old_outputs(wanted)
        total = self.count_calls(calls, *writer.command(self.out), **writer.options)
        for moment in spread(range(1, total + 1), 3):
            for number in MESSAGES if ALL else [errno.ENOSPC]:
                self.put_old_outputs(wanted)
                done = self.run_lockstep(*writer.command(self.out), **writer.options,
                                         fault=f"{calls} {moment} before fail {number}")
                if done.returncode == 0 and not done.stderr:
                    # Only a folder for temporary files may do without.
                    self.assertEqual(files_below(self.out), wanted)
                    continue
                # Also the message itself may have had no room.
                self.assertEqual(done.returncode, 3, done.stderr)
                if done.stderr:
                    self.check_sentence(done, 3, MESSAGES[number])
                self.check_outputs(wanted, False)


class SizeLimit(FaultTestCase):
    """ulimit -f"""

    def test_every_writer_tells_and_leaves_the_old_output(self):
        for writer in self.writers():
            wanted = self.wanted_outputs(writer)
            largest = max(map(len, wanted.values()))
            for limit in spread(sorted({0, 1, 100, 512, largest // 2, largest - 1}), 4):
                with self.subTest(writer=writer.name, limit=limit):
                    self.put_old_outputs(wanted)
                    done = self.run_lockstep(
                        *writer.command(self.out), **writer.options,
                        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
                    self.check_sentence(done, 3, "")
                    self.assertRegex(done.stderr.decode(), "writing failed: File too large. The limit on the "
                                                            "size of files is reached")
                    self.check_outputs(wanted, False)


def in_a_small_file_system(argv):
    """Runs in a mount namespace of its own: mounts a file system of KIB at FOLDER, runs the command."""
    kib, folder, *command = argv
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={kib}k", "tmpfs", folder], check=True,
                   stderr=subprocess.DEVNULL)
    done = subprocess.run(command, check=False)
    left = sorted(os.listdir(folder))
    print(f"\nLEFT {left}", flush=True)
    keep = os.environ.get("LOCKSTEP_KEEP")
    if keep:
        for name in left:
            if (Path(folder) / name).is_file():
                shutil.copy(Path(folder) / name, keep)
    sys.exit(done.returncode if done.returncode >= 0 else 100 - done.returncode)


class SmallFileSystem(FaultTestCase):
    """A real one, of so many KiB."""

    def run_in(self, kib, folder, *arguments, **options):
        command = ["unshare", "-m", sys.executable, __file__, "--in-a-small-file-system", str(kib),
                   str(folder), PROGRAM, *map(str, arguments)]
        return subprocess.run(command, capture_output=True, check=False, timeout=300,
                              env={**self.environment, "LOCKSTEP_KEEP": str(self.out)},
                              **{"stdin": None if "input" in options else subprocess.DEVNULL},
                              **options)

    def setUp(self):
        super().setUp()
        self.room = self.folder / "room"
        self.room.mkdir()
        if shutil.which("unshare") is None or shutil.which("mount") is None:
            self.skipTest("no unshare or no mount here")
        done = self.run_in(64, self.room, "--version")
        if done.returncode != 0:
            self.skipTest(f"no file system can be mounted here: {done.stderr.decode()}")

    def left(self, done):
        return done.stdout.decode().rsplit("\nLEFT ", 1)[1].strip()

    def test_outputs_in_it(self):
        for writer in self.writers():
            wanted = self.wanted_outputs(writer)
            room = sum(map(len, wanted.values())) // 1024
            for kib in spread(sorted({4, max(room // 2, 4), max(room - 4, 4)}), 2):
                with self.subTest(writer=writer.name, kib=kib):
                    done = self.run_in(kib, self.room, *writer.command(self.room), **writer.options)
                    if done.returncode == 0:
                        self.assertNotIn(".tmp", self.left(done))
                        continue
                    self.assertEqual(done.returncode, 3, done.stderr)
                    self.assertIn(b"No space left on device", done.stderr)
                    self.assertNotIn(".tmp", self.left(done))

    def test_temporary_files_in_it(self):
        self.environment["TMPDIR"] = str(self.room)
        big = self.loops("big.json", passes=400)
        packed = self.packed_database()
        xspace = self.trace("xspace").read_bytes()
        for arguments, options in [
                (("info", packed), {}),
                (("convert", "-", "-o", self.folder / "a.xplane.pb"), {"input": 20 * xspace}),
                (("cycles", big, "--xlsx", self.folder / "a.xlsx"), {})]:
            for kib in (4, 8) if not ALL else range(4, 200, 4):
                with self.subTest(arguments=arguments[:1], kib=kib):
                    done = self.run_in(kib, self.room, *arguments, **options)
                    if done.returncode != 0:
                        self.assertEqual(done.returncode, 3, done.stderr)
                        self.assertRegex(done.stderr.decode(), "No space left on device|"
                                                                "a part of it is missing")
                    self.assertEqual(self.left(done), "[]")

    def test_a_workbook_is_whole_or_not_there(self):
        """The library behind it writes parts of it to temporary files of its own."""
        self.environment["TMPDIR"] = str(self.room)
        trace, out = self.loops(passes=400), self.folder / "a.xlsx"
        for kib in range(4, 400, 4) if ALL else range(8, 260, 24):
            with self.subTest(kib=kib):
                out.unlink(missing_ok=True)
                done = self.run_in(kib, self.room, "cycles", trace, "--xlsx", out)
                self.assertIn(done.returncode, (0, 3), done.stderr)
                self.assertEqual(out.exists(), done.returncode == 0)
                if out.exists():
                    self.check_book(out)

    def check_book(self, path):
        with zipfile.ZipFile(path) as book:
            for name in book.namelist():
                minidom.parseString(book.read(name))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--in-a-small-file-system"]:
        in_a_small_file_system(sys.argv[2:])
    main()

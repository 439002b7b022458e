"""What lies beside a database, or inside it, cannot make the program touch another file.

docs/design/sqlite.md has the list; tests beside the reader try each way. Here the built program is
tried, alone and through a folder, and a damaged database is read by two commands.
"""

import errno
import importlib
import json
import os
import random
import re
import shutil
import sqlite3
import struct
from pathlib import Path

from fault_case import ALL, FaultTestCase, main, spread, workload

KERNELS = 20_000


def other_journal(name):
    """The end of a journal that names another file (SQLite's file format, section 3)."""
    name = os.fsencode(name)
    lock_page = 0x4000_0000 // 4096 + 1
    return (struct.pack(">I", lock_page) + name + struct.pack(">II", len(name), sum(name)) +
            bytes.fromhex("d9d505f920a163d7"))


def make_export(path, kernels=100, page_bytes=4096):
    """What Nsight Systems exports, as far as kernels go."""
    database = sqlite3.connect(path)
    database.execute(f"PRAGMA page_size = {page_bytes}")
    database.executescript("""
        PRAGMA synchronous = OFF;
        CREATE TABLE META_DATA_EXPORT(name, value);
        INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_SCHEMA_VERSION', '3.25.0');
        CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT);
        INSERT INTO StringIds VALUES (1, 'gemm'), (2, 'axpy');
        CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start, end, deviceId, contextId, streamId,
          correlationId, globalPid, demangledName, shortName, mangledName, gridX, gridY, gridZ,
          blockX, blockY, blockZ, registersPerThread, staticSharedMemory, dynamicSharedMemory,
          graphNodeId);
    """)
    database.executemany(
        "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?, ?, 0, 1, 7, ?, 16777216, ?, 1, 1, 1, 1, "
        "1, 128, 1, 1, 32, 0, 0, ?)",
        ((i * 100, i * 100 + 50, i, 1 + i % 2, "x" * (6000 if i % 997 == 500 else 3))
         for i in range(1, kernels + 1)))
    database.commit()
    return database


def make_interrupted(path):
    """The file and its journal as a writer leaves them that dies inside a change."""
    work = path.with_suffix(".work")
    database = make_export(work)
    database.execute("PRAGMA cache_size = 1")
    database.execute("UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET streamId = 8")
    database.execute("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT k.* FROM "
                     "CUPTI_ACTIVITY_KIND_KERNEL k, CUPTI_ACTIVITY_KIND_KERNEL l")
    shutil.copy(work, path)
    shutil.copy(f"{work}-journal", f"{path}-journal")
    database.close()
    work.unlink()
    Path(f"{work}-journal").unlink(missing_ok=True)


class Journals(FaultTestCase):
    def setUp(self):
        super().setUp()
        self.trace = self.inputs / "trace.sqlite"
        make_interrupted(self.trace)
        self.victim = self.out / "notes.txt"
        self.victim.write_text("precious")

    def name_in_journal(self, name):
        with open(f"{self.trace}-journal", "ab") as journal:
            journal.write(other_journal(name))

    def check(self, *arguments, **options):
        done = self.run_lockstep(*arguments, "--json", **options)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(done.stdout)["kernels"], 100)
        self.assertIn(b"belongs to a change of several databases at once", done.stderr)
        self.assertEqual(self.victim.read_text(), "precious")
        self.assertEqual(list(self.tmp.iterdir()), [])

    def test_sqlite_itself_deletes_the_file_that_a_journal_names(self):
        self.name_in_journal(self.victim)
        sqlite3.connect(self.trace).execute("SELECT count(*) FROM StringIds").fetchall()
        self.assertFalse(self.victim.exists())

    def test_a_journal_deletes_nothing(self):
        self.name_in_journal(self.victim)
        self.check("info", self.trace)

    def test_nor_through_a_folder(self):
        self.name_in_journal(self.victim)
        self.check("info", self.inputs)

    def test_nor_by_a_relative_path(self):
        self.name_in_journal("notes.txt")
        self.check("info", self.trace, cwd=self.out)

    def test_nor_is_a_pipe_waited_for(self):
        os.mkfifo(self.out / "pipe")
        self.name_in_journal(self.out / "pipe")
        self.check("info", self.trace)
        self.assertTrue((self.out / "pipe").exists())

    def test_a_change_taken_back_may_be_a_loss(self):
        self.name_in_journal(self.victim)
        self.assertEqual(self.run_lockstep("info", self.trace, "--strict").returncode, 3)

    def test_a_pipe_or_link_as_a_log_is_left_alone(self):
        log = Path(f"{self.trace}-wal")
        Path(f"{self.trace}-journal").unlink()
        for make in (os.mkfifo, lambda path: path.symlink_to(self.victim)):
            make(log)
            done = self.run_lockstep("info", self.trace, "--strict", "--json")
            self.assertEqual(done.returncode, 3)
            self.assertIn(b"is no plain file or cannot be read; it was left alone", done.stderr)
            log.unlink()


class LogsThatCannotBeApplied(FaultTestCase):
    """SQLite writes to the copy, and the disk of the copy does not let it."""

    def setUp(self):
        super().setUp()
        self.journaled = self.inputs / "journaled.sqlite"
        make_interrupted(self.journaled)
        self.logged = self.inputs / "logged.sqlite"
        work = self.inputs / "work.sqlite"
        database = make_export(work)
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE correlationId > 60")
        database.commit()
        shutil.copy(work, self.logged)
        shutil.copy(f"{work}-wal", f"{self.logged}-wal")
        database.close()
        work.unlink()

    def writes(self, trace):
        return spread(range(1, self.count_calls("pwrite", "info", trace) + 1), 5)

    def test_it_is_said(self):
        for trace in (self.journaled, self.logged):
            for moment in self.writes(trace):
                for number, words in [(errno.ENOSPC, "No space left on device. Free some space "
                                                     "there or name another folder with TMPDIR"),
                                      (errno.EIO, "writing failed: Input/output error")]:
                    with self.subTest(trace=trace.name, moment=moment, words=words):
                        done = self.run_lockstep("info", trace,
                                                 fault=f"pwrite {moment} before fail {number}")
                        self.check_sentence(done, 3, words)
                        self.check_nothing_temporary()

    def test_any_other_failure_may_be_a_loss(self):
        for trace in (self.journaled, self.logged):
            for moment in self.writes(trace):
                with self.subTest(trace=trace.name, moment=moment):
                    done = self.run_lockstep("info", trace, "--strict", "--json",
                                             fault=f"pwrite {moment} before fail {errno.EPERM}")
                    self.assertEqual(done.returncode, 3, done.stdout)
                    self.assertIn(b"SQLite did not take what is in the log", done.stderr)
                    self.check_nothing_temporary()


class Damage(FaultTestCase):
    def kernels(self, path):
        """What `info` finds, or nothing where it can do nothing with the file."""
        done = self.run_lockstep("info", path, "--json")
        self.assertIn(done.returncode, (0, 3), done.stderr)
        return json.loads(done.stdout)["kernels"] if done.returncode == 0 else None

    def test_info_and_convert_find_the_same_events(self):
        whole = self.inputs / "whole.sqlite"
        make_export(whole, KERNELS).close()
        content = whole.read_bytes()
        dice = random.Random(7)
        converted = self.out / "out.json"
        losses = 0
        for _ in range(200 if ALL else 12):
            damaged = bytearray(content)
            page = dice.randrange(1, len(content) // 4096) * 4096
            match dice.randrange(3):
                case 0:
                    damaged[page:page + 4096] = bytes(4096)
                case 1:
                    damaged[page:page + 4] = dice.randbytes(4)
                case 2:
                    damaged[page + dice.randrange(4096)] ^= 1 << dice.randrange(8)
            trace = self.inputs / "damaged.sqlite"
            trace.write_bytes(damaged)
            found = self.kernels(trace)
            if found is None:
                continue
            self.assertEqual(self.run_lockstep("convert", trace, "-o", converted).returncode, 0)
            self.assertEqual(self.kernels(converted), found)
            losses += found < KERNELS
            if found < KERNELS:
                self.assertEqual(self.run_lockstep("info", trace, "--strict").returncode, 3)
        self.assertGreater(losses, 0)

    def test_a_damaged_definition_loses_nothing_in_silence(self):
        """One wrong bit in a letter. One that becomes a comma is another matter: in a column that nobody reads it moves the
        names of those behind it."""
        damaged = self.inputs / "damaged.db"
        for writer in ("nsys", "rocpd", "rpd", "ascend_db"):
            folder = self.inputs / writer
            folder.mkdir()
            content = importlib.import_module(f"write_{writer}").write(workload.scripted(steps=2),
                                                                       folder).read_bytes()
            damaged.write_bytes(content)
            found = figures(self.info(damaged))
            texts = [match.span(1) for match in re.finditer(rb"CREATE TABLE[^(]*\(([ -~\n]*)\)", content)]
            bits = [(at, bit) for begin, end in texts for at in range(begin, end) for bit in range(8)
                    if content[at:at + 1].isalpha() and content[at] ^ 1 << bit != ord(",")]
            for at, bit in random.Random(7).sample(bits, 1000 if ALL else 60):
                changed = bytearray(content)
                changed[at] ^= 1 << bit
                damaged.write_bytes(changed)
                done = self.run_lockstep("info", damaged, "--json", "--strict")
                self.assertIn(done.returncode, (0, 3), done.stderr)
                if done.returncode == 0:
                    self.assertEqual(figures(json.loads(done.stdout)), found,
                                     (writer, content[at - 20:at + 20], bytes(changed[at - 20:at + 20])))

    def test_a_row_that_claims_gigabytes_is_no_lack_of_memory(self):
        """SQLite has one code for both."""
        whole = self.inputs / "whole.sqlite"
        make_export(whole, page_bytes=512).close()
        content = whole.read_bytes()
        damaged = self.inputs / "damaged.sqlite"
        for row, kernels, word in ((b"gemm", 100, "cannot be read to its end"),
                                   (b"CREATE TABLE StringIds", None, "is a damaged SQLite database")):
            damaged.write_bytes(claiming_gigabytes(content, row, 512))
            done = self.run_lockstep("info", damaged, "--strict")
            self.assertEqual(done.returncode, 3)
            self.assertIn(word, done.stdout.decode() + done.stderr.decode())
            self.assertNotIn(b"memory", done.stdout + done.stderr)
            self.assertEqual(self.kernels(damaged), kernels)


def claiming_gigabytes(content, text, page_bytes):
    """A database whose row with this text begins with the largest length there is."""
    at = content.index(text)
    page = at // page_bytes * page_bytes
    head = page + (100 if page == 0 else 0)
    cells = struct.unpack_from(f">{int.from_bytes(content[head + 3:head + 5], 'big')}H", content, head + 8)
    row = page + max(cell for cell in cells if page + cell < at)
    return content[:row] + b"\xff" * 9 + content[row + 9:]


def figures(info):
    return {name: info[name] for name in ("events", "kernels", "host_events", "flows")}


if __name__ == "__main__":
    main()

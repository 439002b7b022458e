"""Many processes with one output, or with one folder for temporary files."""

import os
import sqlite3
import subprocess

from fault_case import ALL, PROGRAM, FaultTestCase, files_below, main

PROCESSES = 40 if ALL else 8
ROUNDS = 10 if ALL else 2


class ManyProcesses(FaultTestCase):
    def run_all(self, commands):
        runs = [subprocess.Popen([PROGRAM, *map(str, command)], stdin=subprocess.DEVNULL,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                 env=self.environment) for command in commands]
        for run in runs:
            _, message = run.communicate(timeout=300)
            self.assertEqual((run.returncode, message), (0, b""))
        self.check_nothing_temporary()

    def whole_ones(self, traces, name, *words):
        """What each trace alone gives."""
        wanted = []
        for number, trace in enumerate(traces):
            folder = self.folder / f"wanted{number}"
            folder.mkdir(exist_ok=True)
            command, *rest = words
            self.succeed(command, trace, *rest, folder / name)
            wanted.append((folder / name).read_bytes())
        return wanted

    def test_an_output_is_one_of_the_whole_ones(self):
        traces = [self.loops(f"{i}.json", passes=4 + 9 * i) for i in range(4)]
        for name, *words in [("out.json", "convert", "-o"), ("out.json.gz", "convert", "-o"),
                             ("out.pftrace", "convert", "-o"),
                             ("out.xlsx", "cycles", "--xlsx"), ("out.md", "anomalies", "--markdown")]:
            wanted = self.whole_ones(traces, name, *words)
            for _ in range(ROUNDS):
                with self.subTest(name=name):
                    command, option = words
                    self.run_all([(command, traces[i % len(traces)], option, self.out / name)
                                  for i in range(PROCESSES)])
                    self.assertIn((self.out / name).read_bytes(), wanted)
        self.assertEqual(len(files_below(self.out)), 5)

    def test_a_folder_of_tables_has_whole_files(self):
        trace = self.loops()
        self.succeed("cycles", trace, "--csv", self.folder / "wanted")
        self.run_all([("cycles", trace, "--csv", self.out / "tables")] * PROCESSES)
        self.assertEqual(files_below(self.out / "tables"), files_below(self.folder / "wanted"))

    def test_one_folder_for_temporary_files(self):
        packed, trace = self.packed_database(), self.loops()
        self.run_all([("info", packed)] * PROCESSES +
                     [("cycles", trace, "--xlsx", self.out / f"{i}.xlsx")
                      for i in range(PROCESSES)])

    def test_databases_with_a_log_beside_them_are_only_read(self):
        database = self.trace("nsys", journal="WAL")
        connection = sqlite3.connect(database)
        self.addCleanup(connection.close)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA wal_autocheckpoint = 0")
        connection.execute("CREATE TABLE more (x)")
        connection.commit()
        before = {path.name: path.read_bytes() for path in database.parent.iterdir()
                  if not path.name.endswith("-shm")}
        self.assertIn(database.name + "-wal", before)
        self.run_all([("info", database)] * PROCESSES)
        after = {path.name: path.read_bytes() for path in database.parent.iterdir()
                 if not path.name.endswith("-shm")}
        self.assertEqual(before, after)

    def test_a_reader_sees_a_whole_output_at_any_time(self):
        traces = [self.loops(f"{i}.json", passes=4 + 9 * i) for i in range(2)]
        wanted = self.whole_ones(traces, "out.json", "convert", "-o")
        out = self.out / "out.json"
        self.succeed("convert", traces[0], "-o", out)
        runs = [subprocess.Popen([PROGRAM, "convert", str(traces[i % 2]), "-o", str(out)],
                                 stdout=subprocess.DEVNULL) for i in range(PROCESSES)]
        while any(run.poll() is None for run in runs):
            self.assertIn(out.read_bytes(), wanted)
        self.assertEqual(os.listdir(self.out), ["out.json"])


if __name__ == "__main__":
    main()

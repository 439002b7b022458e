"""Inputs that grow, shrink or are replaced while they are read: an answer or a sentence, never a
signal; and with --strict no answer from a part."""

import gzip
import importlib
import json
import shutil
import sqlite3
import threading
import time

from fault_case import ALL, FORMATS, FaultTestCase, main, spread, three_launches, workload


LOSSES = ("data_loss", "error")


class Changing(FaultTestCase):
    def inputs_of_all_formats(self):
        """Names of formats, the command that reads each and the file that changes."""
        for name in FORMATS:
            trace = self.trace(name)
            largest = max((path for path in (trace, *trace.rglob("*")) if path.is_file()),
                          key=lambda path: path.stat().st_size)
            yield name, ["info", "--json", trace], largest
        packed = self.write("in/packed.json.gz",
                            gzip.compress(self.trace("kineto").read_bytes(), 1))
        yield "gzip", ["info", "--json", packed], packed
        yield "packed database", ["info", "--json", self.packed_database()], self.packed_database()
        xspace = self.trace("xspace")
        yield "rewritten", ["convert", xspace, "-o", self.out / "a.xplane.pb"], xspace
        yield "rewritten, strict", ["convert", "--strict", xspace, "-o", self.out / "b.xplane.pb"], xspace
        profile = self.write("in/a.lkp", three_launches())
        yield "lkp", ["kernel", "decode", "--json", profile], profile

    def answer(self, command, done):
        """What a run that ended well found: figures, names, and whether it told of a loss."""
        if command[0] == "convert":
            return {"written": 1}, {command[-1].read_bytes()}, False
        document = json.loads(done.stdout)
        found = document["findings" if command[0] == "kernel" else "diagnostics"]
        told = any(one["severity"] in LOSSES for one in found)
        if command[0] == "kernel":
            names = {event["name"] for event in document["events"]}
            return {"seen": sum(lane["seen"] for lane in document["lanes"])}, names, told
        figures = {name: document[name] for name in ("events", "kernels", "flows", "host_events")}
        return figures, {kernel["name"] for kernel in document["top_kernels"]}, told

    def check(self, command, done, whole):
        """The whole content, or a part and a word about the loss, or a sentence; nothing else."""
        message = done.stderr.decode(errors="replace")
        self.check_nothing_temporary()
        if done.returncode != 0:
            # What was a .lkp file may now be a buffer, of which only the user knows the format.
            self.check_sentence(done, 2 if "Say --format" in message else 3, "")
            # Regions of an in-kernel profile are printed as they are read.
            if command[0] != "kernel":
                self.assertEqual(done.stdout, b"")
            return
        figures, names, told = self.answer(command, done)
        first = next(iter(figures))  # all events; of which kind they are may be among what was lost
        self.assertLessEqual(figures[first], whole[0][first])
        if not told:
            self.assertEqual((figures, names), whole[:2], "without a word")

    def disturb_every_read(self, action, most):
        """`action` gives what happens to the file, from its name and a copy of it."""
        for name, command, path in self.inputs_of_all_formats():
            saved = self.write("saved", path.read_bytes())
            reads = self.count_calls("read", *command)
            self.assertGreater(reads, 0)
            whole = self.answer(command, self.run_lockstep(*command))
            for moment in spread(range(1, reads + 1), most):
                with self.subTest(format=name, moment=moment):
                    fault = f"read {moment} after {action(path, saved)}"
                    done = self.run_lockstep(*command, fault=fault)
                    self.check(command, done, whole)
                    self.undo(path, saved)
                    yield name, done

    def undo(self, path, saved):
        if path.is_symlink() or path.exists():
            path.unlink()
        shutil.copy(saved, path)

    def exhaust(self, disturbed):
        """Runs them all."""
        self.assertGreater(sum(1 for _ in disturbed), len(FORMATS))

    def test_files_that_shrink_to_nothing(self):
        self.exhaust(self.disturb_every_read(lambda path, saved: f"truncate 0 {path}", 6))

    def test_files_that_shrink_to_a_part(self):
        for part in (0.3, 0.9) if not ALL else (0.1, 0.3, 0.5, 0.7, 0.9, 0.99):
            self.exhaust(self.disturb_every_read(
                lambda path, saved, p=part: f"truncate {int(saved.stat().st_size * p)} {path}", 3))

    def test_files_that_grow(self):
        self.exhaust(self.disturb_every_read(
            lambda path, saved: f"append {saved} {path}", 4))

    def test_files_that_are_overwritten(self):
        zeros = self.write("zeros", bytes(3000))
        self.exhaust(self.disturb_every_read(
            lambda path, saved: f"overwrite {zeros} {path}", 4))

    def test_files_that_are_replaced(self):
        def replaced(path, saved):
            other = self.write("other", b"something else\n" * 1000)
            return f"rename {other} {path}"
        self.exhaust(self.disturb_every_read(replaced, 4))

    def test_files_that_vanish(self):
        def vanished(path, saved):
            return f"rename {path} {path}.gone"
        for _, done in self.disturb_every_read(vanished, 4):
            self.assertIn(done.returncode, (0, 3))
        for path in self.inputs.rglob("*.gone"):
            path.unlink()

    def test_a_rewriting_says_what_changed(self):
        xspace = self.trace("xspace")
        saved = self.write("saved", xspace.read_bytes())
        command = ["convert", xspace, "-o", self.out / "a.xplane.pb"]
        said = set()
        for moment in range(1, self.count_calls("read", *command) + 1):
            done = self.run_lockstep(*command, fault=f"read {moment} after truncate 6000 {xspace}")
            said.add(done.stderr.decode().removeprefix(f"lockstep: {xspace}: "))
            self.undo(xspace, saved)
        self.assertEqual(said, {"became shorter while it was read\n",
                                "changed while it was read. Try again when nothing writes to it\n"})

    def test_a_stream_that_shrinks_fails_under_strict(self):
        """Formats that are read from front to back: a cut before the last read is a loss."""
        for name in ("kineto", "perfetto", "xspace", "rocprofv3"):
            trace = self.large(name)
            size = trace.stat().st_size
            with self.subTest(format=name):
                done = self.run_lockstep("info", "--strict", trace,
                                         fault=f"read 1 after truncate {size // 2} {trace}")
                self.check_sentence(done, 3, "data was lost or the input contradicts "
                                             "itself, and --strict was given\n")

    def large(self, name):
        """More than one read of it."""
        folder = self.inputs / "large" / name
        folder.mkdir(parents=True)
        writer = importlib.import_module(f"write_{name}")
        trace = writer.write(workload.scripted(steps=60, layers=12), folder)
        self.assertGreater(trace.stat().st_size, 200_000)
        return trace


class Appended(FaultTestCase):
    """A profiler that still writes while the file is read, again and again."""

    def check_answer(self, done, states):
        """One of the states that were written whole, or fewer events and a word, or a sentence."""
        if done.returncode != 0:
            return self.check_sentence(done, 3, "")
        document = json.loads(done.stdout)
        told = any(one["severity"] in LOSSES for one in document["diagnostics"])
        if told:
            self.assertLessEqual(document["events"], max(states))
        else:
            self.assertIn(document["events"], states, "without a word")

    def test_a_trace_that_is_being_written(self):
        trace = self.inputs / "a.json"
        text = self.loops(passes=400).read_bytes()
        pieces = [text[i:i + 20_000] for i in range(0, len(text), 20_000)]
        stop = threading.Event()

        def write():
            while not stop.is_set():
                with open(trace, "wb") as out:
                    for piece in pieces:
                        out.write(piece)
                        out.flush()
                        time.sleep(0.0005)

        trace.write_bytes(text)
        whole = self.info(trace)["events"]
        trace.write_bytes(text[:100_000])
        writing = threading.Thread(target=write)
        writing.start()
        try:
            for _ in range(200 if ALL else 15):
                self.check_answer(self.run_lockstep("info", "--json", trace), [whole])
        finally:
            stop.set()
            writing.join()

    def test_a_database_that_is_being_written(self):
        database = self.trace("nsys")
        whole = self.info(database)["events"]
        stop = threading.Event()
        connection = sqlite3.connect(database, check_same_thread=False)
        table = "CUPTI_ACTIVITY_KIND_KERNEL"
        rows = connection.execute(f"SELECT * FROM {table}").fetchall()
        marks = ",".join("?" * len(rows[0]))

        def write():
            while not stop.is_set():
                connection.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)
                connection.commit()
                connection.execute(f"DELETE FROM {table} WHERE rowid > ?", (len(rows),))
                connection.commit()

        writing = threading.Thread(target=write)
        writing.start()
        try:
            for _ in range(100 if ALL else 10):
                done = self.run_lockstep("info", "--json", database)
                self.check_answer(done, [whole, whole + len(rows)])
        finally:
            stop.set()
            writing.join()
            connection.close()
        self.check_nothing_temporary()


if __name__ == "__main__":
    main()

"""What the tests of the program share: running it, small traces, and a folder that goes away.

The program under test is named by the environment variable LOCKSTEP_PROGRAM.
"""

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

PROGRAM = os.environ.get("LOCKSTEP_PROGRAM", "")
# Long suites take one in so many of their cases: with a sanitizer, a run takes ten times as long.
EVERY = int(os.environ.get("LOCKSTEP_EVERY", "1"))
BASE_NS = 1_700_000_000_000_000_000  # what the small traces count from


def some_of(cases):
    """A fixed part of the cases of a long suite; all of them where nothing else is asked for."""
    return list(cases)[::EVERY]


def complete(category, name, pid, tid, start_us, duration_us, **arguments):
    return {"ph": "X", "cat": category, "name": name, "pid": pid, "tid": tid, "ts": start_us,
            "dur": duration_us, "args": arguments}


def launch(correlation, kernel, call_us, start_us, duration_us, stream=7):
    """A host call, the kernel that it launched and the arrow between them."""
    return [
        complete("cuda_runtime", "cudaLaunchKernel", 100, 100, call_us, 5,
                 correlation=correlation),
        {"ph": "s", "id": correlation, "cat": "ac2g", "name": "ac2g", "pid": 100, "tid": 100,
         "ts": call_us},
        complete("kernel", kernel, 0, stream, start_us, duration_us, device=0, stream=stream,
                 correlation=correlation),
        {"ph": "f", "bp": "e", "id": correlation, "cat": "ac2g", "name": "ac2g", "pid": 0,
         "tid": stream, "ts": start_us},
    ]


def small_events():
    """Two steps, four kernels on two streams of which two overlap, one annotation."""
    events = [
        {"ph": "M", "name": "process_name", "pid": 100, "tid": 0, "args": {"name": "python3"}},
        {"ph": "M", "name": "process_labels", "pid": 0, "tid": 0, "args": {"labels": "GPU 0"}},
        complete("user_annotation", "ProfilerStep#1", 100, 100, 1000, 500),
        complete("user_annotation", "ProfilerStep#2", 100, 100, 1500, 600),
        complete("user_annotation", "decode", 100, 100, 1010, 100),
        complete("cpu_op", "aten::mm", 100, 100, 1015, 50),
    ]
    events += launch(1, "gemm", 1020, 1100, 100)
    events += launch(2, "_Z4axpyPf", 1030, 1250.5, 49.5)
    events += launch(3, "gemm", 1520, 1600, 100)
    events += launch(4, "copy, \"quoted\"", 1530, 1650, 100, stream=20)
    return events


def kineto(events, **facts):
    """A document in the dialect of Kineto."""
    return json.dumps({
        "schemaVersion": 1,
        "deviceProperties": [{"id": 0, "name": "NVIDIA H200"}],
        "baseTimeNanoseconds": BASE_NS,
        "traceEvents": events,
        **facts,
    }, indent=1)


class CliTestCase(unittest.TestCase):
    def setUp(self):
        self.assertTrue(PROGRAM, "LOCKSTEP_PROGRAM names no program")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def write(self, name, content):
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def small_trace(self, name="small.json"):
        return self.write(name, kineto(small_events()))

    def truncated_trace(self, name="cut.json"):
        """Ends in the middle of its last kernel, as when a profiler is killed."""
        text = kineto(small_events())
        return self.write(name, text[:text.rindex('"dur"')])

    def run_lockstep(self, *arguments, **options):
        options.setdefault("stdin", subprocess.DEVNULL if "input" not in options else None)
        return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, timeout=120,
                              check=False, **options)

    def succeed(self, *arguments, **options):
        """Standard output of a run that must end well and say nothing on standard error."""
        done = self.run_lockstep(*arguments, **options)
        self.assertEqual((done.returncode, done.stderr.decode()), (0, ""))
        return done.stdout.decode()

    def info(self, *arguments, **options):
        return json.loads(self.succeed("info", "--json", *arguments, **options))

    def fails_with(self, code, sentence, *arguments, **options):
        """A run that must end with `code` and one sentence, having printed nothing else."""
        done = self.run_lockstep(*arguments, **options)
        message = done.stderr.decode()
        self.assertEqual(done.returncode, code, message)
        self.assertTrue(message.startswith("lockstep: "), message)
        self.assertEqual(message.count("\n"), 1, message)
        self.assertIn(sentence, message)
        self.assertEqual(done.stdout, b"")
        return message

    def names_in_folder(self):
        return sorted(path.name for path in self.folder.iterdir())


def main():
    unittest.main()

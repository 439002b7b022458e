"""Signals at many moments of every command that writes: the program dies of them or has finished,
old outputs are whole, and no temporary file stays."""

import os
import signal
import subprocess
import time
from itertools import cycle

from fault_case import ALL, FAULTY_CALLS, PROGRAM, FaultTestCase, files_below, main, spread

SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGXCPU,
           signal.SIGPIPE]
RARE = [signal.SIGUSR1, signal.SIGUSR2, signal.SIGALRM, signal.SIGVTALRM, signal.SIGPROF,
        signal.SIGIO, signal.SIGRTMIN, signal.SIGABRT, signal.SIGSEGV, signal.SIGBUS]


class Moments(FaultTestCase):
    """The n-th call that changes a file is where the signal arrives."""

    def disturb(self, writer, wanted, moment, when, number, calls="changes", action=None):
        self.put_old_outputs(wanted)
        action = action or f"signal {int(number)}"
        done = self.run_lockstep(*writer.command(self.out), **writer.options,
                                 fault=f"{calls} {moment} {when} {action}")
        self.assertIn(done.returncode, (-number, 0), done.stderr)
        self.check_outputs(wanted, done.returncode == 0)
        return done.returncode

    def test_any_signal_at_any_call(self):
        numbers = cycle(SIGNALS)
        for writer in self.writers():
            wanted = self.wanted_outputs(writer)
            self.put_old_outputs(wanted)
            calls = self.count_calls("changes", *writer.command(self.out), **writer.options)
            self.assertGreater(calls, 3)
            deaths = 0
            for moment in spread(range(1, calls + 1), 8):
                for when in ("before", "after"):
                    for number in SIGNALS if ALL else [next(numbers)]:
                        with self.subTest(writer=writer.name, moment=moment, when=when,
                                          signal=number.name):
                            deaths += self.disturb(writer, wanted, moment, when, number) != 0
            self.assertGreater(deaths, 0, f"{writer.name}: no signal ever arrived")

    def test_any_signal_at_any_read(self):
        """Which may be on another thread than the one that makes files."""
        numbers = cycle(SIGNALS)
        for writer in self.writers():
            wanted = self.wanted_outputs(writer)
            calls = self.count_calls("read", *writer.command(self.out), **writer.options)
            for moment in spread(range(1, calls + 1), 4):
                with self.subTest(writer=writer.name, moment=moment):
                    self.disturb(writer, wanted, moment, "after", next(numbers), "read")

    def test_rare_signals_and_our_own_faults_leave_nothing_either(self):
        for writer in [w for w in self.writers() if ALL or w.name in ("cycles", "XSpace from a pipe")]:
            wanted = self.wanted_outputs(writer)
            for number in RARE:
                with self.subTest(writer=writer.name, signal=number):
                    self.put_old_outputs(wanted)
                    done = self.run_lockstep(*writer.command(self.out), **writer.options,
                                             fault=f"write 1 after signal {int(number)}")
                    self.assertEqual(done.returncode, -number, done.stderr)
                    self.check_outputs(wanted, False)


    def test_a_fault_inside_the_library_for_workbooks_leaves_nothing_either(self):
        """It is watched by a handler of its own."""
        for writer in [w for w in self.writers() if w.name in ("cycles", "compare")]:
            wanted = self.wanted_outputs(writer)
            calls = self.count_calls("open", *writer.command(self.out), **writer.options)
            # The first calls make the outputs themselves.
            for moment in spread(range(len(wanted) + 1, calls + 1), 8):
                for action in ("fault", None):
                    with self.subTest(writer=writer.name, moment=moment, action=action):
                        code = self.disturb(writer, wanted, moment, "after", signal.SIGSEGV, "open",
                                            action)
                        self.assertEqual(code, -signal.SIGSEGV)


class Delays(FaultTestCase):
    """At any time, wherever the program and its threads are by then."""

    def run_and_disturb(self, command, delay, number, **options):
        run = subprocess.Popen([PROGRAM, *command], stdin=subprocess.PIPE,
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                               env=self.environment)
        with run.stderr:
            try:
                if "input" in options:
                    run.stdin.write(options["input"])
                run.stdin.close()
            except BrokenPipeError:
                pass
            time.sleep(delay)
            run.send_signal(number)
            code = run.wait(timeout=120)
            return code, run.stderr.read()

    def test_at_any_time(self):
        numbers = cycle(SIGNALS)
        for writer in self.writers():
            wanted = self.wanted_outputs(writer)
            start = time.monotonic()
            self.wanted_outputs(writer)
            length = time.monotonic() - start
            steps = 60 if ALL else 3
            for i in range(steps):
                number = next(numbers)
                with self.subTest(writer=writer.name, part=i, signal=number.name):
                    self.put_old_outputs(wanted)
                    code, message = self.run_and_disturb(
                        writer.command(self.out), length * (i + 0.5) / steps, number,
                        **writer.options)
                    self.assertIn(code, (-number, 0), message)
                    self.check_outputs(wanted, code == 0)

    def test_while_a_pipe_stalls(self):
        """Reading begins and never ends; the outputs are there as temporary files."""
        for command in [("convert", "-", "-o", "out.json"), ("convert", "-", "-o", "out.xplane.pb"),
                        ("anomalies", "-", "--markdown", "out.md", "--annotate", "out.pftrace"),
                        ("cycles", "-", "--xlsx", "out.xlsx"),
                        ("kernel", "decode", "-", "--svg", "out.svg")]:
            for number in SIGNALS if ALL else SIGNALS[:2]:
                with self.subTest(command=command, signal=number.name):
                    self.stall_and_disturb(command, number)

    def stall_and_disturb(self, command, number):
        self.put_old_outputs([])
        self.out.mkdir(exist_ok=True)
        run = subprocess.Popen([PROGRAM, *command], stdin=subprocess.PIPE, cwd=self.out,
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                               env=self.environment)
        with run.stdin, run.stderr:
            self.addCleanup(run.kill)
            run.stdin.write(b'{"traceEvents":[' + b" " * 300_000)  # past what is sniffed
            run.stdin.flush()
            for _ in range(3000):
                if os.listdir(self.out) or os.listdir(self.tmp) or run.poll() is not None:
                    break
                time.sleep(0.01)
            self.assertTrue(os.listdir(self.out) or os.listdir(self.tmp), "nothing was begun")
            run.send_signal(number)
            self.assertEqual(run.wait(timeout=120), -number)
        self.assertEqual(files_below(self.out), {})
        self.check_nothing_temporary()


class Ignored(FaultTestCase):
    def test_a_hang_up_that_is_ignored_does_not_end_the_program(self):
        if not FAULTY_CALLS:
            self.skipTest("calls of a program with a sanitizer cannot be disturbed")
        out = self.out / "out.json"
        for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM):
            with self.subTest(signal=number.name):
                done = self.run_lockstep(
                    "convert", self.loops(), "-o", out, fault=f"write 1 after signal {int(number)}",
                    preexec_fn=lambda n=number: signal.signal(n, signal.SIG_IGN))
                self.assertEqual((done.returncode, done.stderr), (0, b""))

    def test_a_reader_that_has_seen_enough_ends_the_program_quietly(self):
        trace = self.loops(passes=2000)
        for ignored in (False, True):
            run = subprocess.Popen([PROGRAM, "convert", trace, "-o", "-", "--to", "chrome"],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   env=self.environment, restore_signals=not ignored)
            with run.stderr:
                run.stdout.read(10)
                run.stdout.close()
                self.assertEqual(run.wait(timeout=120), -signal.SIGPIPE)
                self.assertEqual(run.stderr.read(), b"")


if __name__ == "__main__":
    main()

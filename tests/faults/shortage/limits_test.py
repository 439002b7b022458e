#!/usr/bin/env python3
"""Limits of the system: address space (ulimit -v) and processes of a user (ulimit -u)."""

import os
import resource
import subprocess
import unittest

import shortage_case
from shortage_case import COMMANDS, PROGRAM, ShortageCase

MIB = 1 << 20
MOST_MIB = 4096
IS_LONG = shortage_case.IS_LONG
STEP = 1.02 if IS_LONG else 1.12
# One of each: a reader with threads, a database, a workbook, compression, in-kernel profiles.
CHOSEN = {"info_gzip", "info_sqlite", "cycles_files", "convert_zstd", "anomalies_files", "kernel_files"}
UNUSED_USER = 61_234


def chosen():
    return [command for command in COMMANDS if IS_LONG or command.name in CHOSEN]


def address_space(mebibytes):
    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (mebibytes * MIB, mebibytes * MIB))
    return limit


@unittest.skipIf(shortage_case.IS_SANITIZED, "a sanitizer reserves terabytes of addresses")
class AddressSpace(ShortageCase):
    def starts_with(self, mebibytes):
        """Below this the loader fails, which is not ours."""
        return subprocess.run([PROGRAM, "--version"], capture_output=True, check=False,
                              preexec_fn=address_space(mebibytes)).returncode == 0

    def least(self):
        low, high = 1, MOST_MIB
        while low + 1 < high:
            middle = (low + high) // 2
            low, high = (low, middle) if self.starts_with(middle) else (middle, high)
        return high

    def test_ends_with_a_sentence_until_there_is_enough(self):
        least = self.least()
        for command in chosen():
            self.good_run(command)
            mebibytes, code, runs = least, None, 0
            while code != 0 and mebibytes < MOST_MIB:
                run = self.run_command(command, preexec_fn=address_space(mebibytes))
                code = self.check(command, f"ulimit -v {mebibytes} MiB", run)
                mebibytes = max(mebibytes + 1, int(mebibytes * STEP))
                runs += 1
            self.assertEqual(code, 0, f"{command.name} never succeeds")
            self.assertGreater(runs, 1, f"{command.name} succeeds with the least")
            if IS_LONG:
                print(f"{command.name}: fails from {least} MiB, succeeds at {mebibytes} MiB", flush=True)
        self.fail_if_any()


@unittest.skipIf(shortage_case.IS_SANITIZED, "a sanitizer starts threads and processes of its own")
class ProcessesOfAUser(ShortageCase):
    def as_another_user(self, processes):
        def limit():
            resource.setrlimit(resource.RLIMIT_NPROC, (processes, processes))
            os.setgroups([])
            os.setgid(UNUSED_USER)
            os.setuid(UNUSED_USER)
        return limit

    def skip_unless_possible(self):
        if os.geteuid() != 0:
            self.skipTest("only root can become a user who runs nothing else")
        try:
            done = subprocess.run([PROGRAM, "--version"], capture_output=True, check=False,
                                  preexec_fn=self.as_another_user(64))
        except (OSError, subprocess.SubprocessError) as reason:
            self.skipTest(f"cannot become another user here: {reason}")
        if done.returncode != 0:
            self.skipTest("another user cannot run the program where it lies")

    def test_ends_with_a_sentence_until_there_are_enough(self):
        self.skip_unless_possible()
        for command in chosen():
            self.good_run(command)
            codes = []
            for processes in range(1, 13):
                run = self.run_command(command, preexec_fn=self.as_another_user(processes))
                codes.append(self.check(command, f"ulimit -u {processes}", run))
            self.assertEqual(codes[-1], 0, f"{command.name} never succeeds: {codes}")
            if command.name == "info_gzip":
                self.assertEqual(codes[0], 3, "a limit of one process binds nobody")
        self.fail_if_any()


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""The start of the n-th thread fails, alone or with all behind it, in every command and format."""

import unittest

import shortage_case
from shortage_case import COMMANDS, SHIM, ShortageCase

# Those that read JSON need their threads; the others do with fewer.
MUST_FAIL = {"info_json", "info_gzip", "info_zstd", "info_standard_input"}


@unittest.skipIf(shortage_case.IS_SANITIZED, "a sanitizer starts threads of its own")
class FailedThread(ShortageCase):
    def threads_of(self, command):
        path = self.root / "counts"
        self.run_command(command, {"LD_PRELOAD": SHIM, "SHORTAGE_COUNTS": str(path)})
        return int(path.read_text().split()[1])

    def test_ends_with_a_sentence_or_with_the_same_answer(self):
        for command in COMMANDS:
            self.good_run(command)
            last = self.threads_of(command)
            codes = set()
            for number in range(1, last + 1):
                for for_good in ("", "1"):
                    run = self.run_command(command, {"LD_PRELOAD": SHIM,
                                                     "SHORTAGE_THREAD": str(number),
                                                     "SHORTAGE_FOR_GOOD": for_good})
                    codes.add(self.check(command, f"thread {number} of {last}", run))
            if command.name in MUST_FAIL:
                self.assertEqual(codes, {3}, command.name)
            if shortage_case.IS_LONG:
                print(f"{command.name}: {last} threads, exits {sorted(codes)}", flush=True)
        self.fail_if_any()

    def test_says_that_it_is_a_thread_that_is_missing(self):
        run = self.run_command(COMMANDS[0], {"LD_PRELOAD": SHIM, "SHORTAGE_THREAD": "1"})
        self.assertEqual(run[2], "lockstep: a thread cannot be started: there is not enough memory, or "
                                 "as many run as this user or container may have (ulimit -u)\n")


if __name__ == "__main__":
    unittest.main()

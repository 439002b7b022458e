#!/usr/bin/env python3
"""The n-th allocation fails, alone or with all behind it, in every command and format."""

import unittest

import shortage_case
from shortage_case import COMMANDS, SHIM, ShortageCase, points_up_to

POINTS = 1500 if shortage_case.IS_LONG else 36


@unittest.skipIf(shortage_case.IS_SANITIZED, "a sanitizer has an allocator of its own")
class FailedAllocation(ShortageCase):
    def counts(self, command):
        """Allocations of a good run."""
        path = self.root / "counts"
        run = self.run_command(command, {"LD_PRELOAD": SHIM, "SHORTAGE_COUNTS": str(path)})
        self.assertEqual(run, self.good_run(command), command.name)
        return int(path.read_text().split()[0])

    def sweep(self, command, for_good, points):
        ended = {0: 0, 3: 0}
        for number in points:
            run = self.run_command(command, {"LD_PRELOAD": SHIM, "SHORTAGE_ALLOCATION": str(number),
                                             "SHORTAGE_FOR_GOOD": for_good})
            code = self.check(command, f"allocation {number}{' for good' if for_good else ''}", run)
            ended[code] = ended.get(code, 0) + 1
        return ended

    def test_ends_with_a_sentence_or_as_if_nothing_had_failed(self):
        for seed, command in enumerate(COMMANDS):
            last = self.counts(command)
            self.assertGreater(last, 100, "the shim counts nothing")
            once = self.sweep(command, "", points_up_to(last, POINTS, seed))
            # What fails once may not be needed; what fails for good always is.
            good = self.sweep(command, "1", points_up_to(last // 2, POINTS // 3, seed + 100))
            self.assertGreater(once.get(3, 0) + good.get(3, 0), 0, f"{command.name}: nothing failed")
            if shortage_case.IS_LONG:
                print(f"{command.name}: {last} allocations; once {once}, for good {good}", flush=True)
        self.fail_if_any()


if __name__ == "__main__":
    unittest.main()

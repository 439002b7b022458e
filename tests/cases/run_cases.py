#!/usr/bin/env python3
"""Runs golden cases and compares what they print and write with what is expected.

    run_cases.py PROGRAM [NAME...]        a name may be a pattern, 'info_*'; all of them where none is given
"""

import sys

from golden_case import CASES, CaseError, GoldenCase, chosen_cases, difference


def fault_of(name, program, cases):
    """What is wrong with a case, and what to do; empty where nothing is."""
    try:
        case = GoldenCase(cases / name)
        expected = case.expected()
        if not expected:
            return (f"{name}: nothing is expected; write what the program prints now and read it:\n"
                    f"  tools/update_goldens.py {program} {name} --write")
        found = difference(name, expected, case.found(program))
    except CaseError as why:
        return str(why)
    if not found:
        return ""
    return f"{found}\n{name}: differs. If this is as it should be:\n  tools/update_goldens.py {program} {name} --write"


def main(arguments, cases=CASES):
    if not arguments:
        sys.exit(__doc__)
    program, *patterns = arguments
    names = chosen_cases(patterns, cases)
    faults = [fault for name in names if (fault := fault_of(name, program, cases))]
    for fault in faults:
        print(fault)
    print(f"{len(names) - len(faults)} of {len(names)} cases are as expected")
    return 1 if faults or not names else 0


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8")  # what is compared has more than ASCII in it
    sys.exit(main(sys.argv[1:]))

#!/usr/bin/env python3
"""Records traces of known truth on a CUDA device: SET/NAME.json.gz as torch.profiler writes it, SET/NAME.truth.json.

    make.py OUT_FOLDER [SET or NAME...]

The sets are scenarios (scenarios.py), unseen (unseen.py), develop and report (held_out.py), fresh (fresh.py and
fresh_training.py), later (later.py, later_senses.py, later_serving.py and later_training.py), newest (newest.py);
without names all of them.
"""

import multiprocessing
import os
import signal
import sys
import time
import traceback

import torch

import fresh
import fresh_training
import held_out
import later
import later_senses
import later_serving
import later_training
import newest
import recording
import scenarios
import unseen

SETS = {"scenarios": scenarios.ALL, "unseen": unseen.ALL, "develop": held_out.DEVELOP, "report": held_out.REPORT,
        "fresh": fresh.ALL + fresh_training.ALL,
        "later": later.ALL + later_senses.ALL + later_serving.ALL + later_training.ALL,
        "newest": newest.ALL}
# A workload that takes so many seconds hangs.
LONGEST = 180


def make(folder, number, scenario):
    torch.manual_seed(number)
    recording.Recorder.number = 0
    workload = scenario()
    for _ in range(2):  # libraries choose their kernels in the first run
        workload()
    torch.cuda.synchronize()
    document = recording.record(workload, record_shapes=number % 2 == 0)
    counts = recording.write(folder, scenario.__name__, " ".join(scenario.__doc__.split()), document)
    size = os.path.getsize(os.path.join(folder, scenario.__name__ + ".json.gz"))
    return f"kernels by stream {counts}, {size / 1e3:.0f} kB"


def make_from(folder, chosen, next_one, failed):
    """Makes all from next_one on, until one of them breaks the device or hangs: that takes its process along."""
    while next_one.value < len(chosen):
        number, a_set, scenario = chosen[next_one.value]
        next_one.value += 1
        failed.value += 1
        start = time.time()
        signal.alarm(LONGEST)
        try:
            os.makedirs(os.path.join(folder, a_set), exist_ok=True)
            said = make(os.path.join(folder, a_set), number, scenario)
            failed.value -= 1
            print(f"{a_set}/{scenario.__name__}: {said}, {time.time() - start:.1f} s", flush=True)
            torch.cuda.empty_cache()
        except Exception as error:  # the other workloads still can be recorded
            print(f"{a_set}/{scenario.__name__}: failed\n{traceback.format_exc(limit=-4)}", flush=True)
            if "CUDA error" in str(error):
                return
        signal.alarm(0)


def main(folder, names):
    chosen = [(number, a_set, scenario) for number, (a_set, scenario) in enumerate(
        (a_set, scenario) for a_set, all_of_it in SETS.items() for scenario in all_of_it)]
    if names:
        chosen = [one for one in chosen if one[1] in names or one[2].__name__ in names]
    processes = multiprocessing.get_context("fork")
    next_one, failed = processes.Value("i", 0), processes.Value("i", 0)
    while next_one.value < len(chosen):
        worker = processes.Process(target=make_from, args=(folder, chosen, next_one, failed))
        worker.start()
        worker.join()
        if worker.exitcode:
            print(f"a process ended with {worker.exitcode}", flush=True)
    return 1 if failed.value else 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], sys.argv[2:]))

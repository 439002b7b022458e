#!/usr/bin/env python3
"""Records traces of known truth on a CUDA device: NAME.json.gz as torch.profiler writes it, NAME.truth.json.

    make.py OUT_FOLDER [NAME...]        all workloads of scenarios.py and unseen.py, or these
"""

import os
import sys
import time
import traceback

import torch

import recording
import scenarios
import unseen


def main(folder, names):
    os.makedirs(folder, exist_ok=True)
    failed = 0
    for number, scenario in enumerate(scenarios.ALL + unseen.ALL):
        name = scenario.__name__
        if names and name not in names:
            continue
        start = time.time()
        try:
            torch.manual_seed(number)
            workload = scenario()
            for _ in range(2):  # libraries choose their kernels in the first run
                workload()
            torch.cuda.synchronize()
            document = recording.record(workload, record_shapes=number % 2 == 0)
            counts = recording.write(folder, name, " ".join(scenario.__doc__.split()), document)
            size = os.path.getsize(os.path.join(folder, name + ".json.gz"))
            print(f"{name}: kernels by stream {counts}, {size / 1e3:.0f} kB, {time.time() - start:.1f} s", flush=True)
        except Exception:  # the other workloads still can be recorded
            failed += 1
            print(f"{name}: failed\n{traceback.format_exc(limit=-4)}", flush=True)
        torch.cuda.empty_cache()
    return 1 if failed else 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], sys.argv[2:]))

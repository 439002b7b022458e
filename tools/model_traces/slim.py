#!/usr/bin/env python3
"""Makes a small trace of a large one: kernels, the calls that launch them, annotations, and nothing that `lockstep
cycles` does not look at.

    slim.py IN.json.gz OUT.json.gz
"""

import gzip
import json
import sys

DEVICE_KEYS = ("device", "stream", "correlation")
KEPT = {"kernel", "gpu_memcpy", "gpu_memset", "cuda_runtime", "cuda_driver", "user_annotation", "gpu_user_annotation"}


def is_kept(event):
    return event.get("ph") == "M" or event.get("cat") in KEPT


def slim(document):
    """Launches are joined by correlation, so that flow events need not stay."""
    events = []
    for event in filter(is_kept, document["traceEvents"]):
        if event["ph"] != "M":
            event["args"] = {key: value for key, value in event.get("args", {}).items() if key in DEVICE_KEYS}
        events.append(event)
    return {**document, "traceEvents": events}


def main(source, target):
    with gzip.open(source) as file:
        document = slim(json.load(file))
    text = json.dumps(document, separators=(",", ":"))
    with gzip.GzipFile(target, "wb", compresslevel=9, mtime=0) as file:
        file.write(text.encode())


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])

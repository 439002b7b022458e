#!/usr/bin/env python3
"""On a GPU, with PyTorch and CuPy: a tensor as the buffer, a kernel compiled by NVRTC, and replays of
a graph that PyTorch captured. gpu_test.sh runs it; exit 77 where one of the two is missing.

    gpu_python.py INCLUDE_FOLDER
"""

import sys
from pathlib import Path

try:
    import cupy
    import torch
except ImportError as error:
    print(f"gpu_python: skipped: {error}")
    sys.exit(77)

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))
import lockstep

BLOCKS, GROUPS, REGIONS = 16, 2, 5
KERNEL = r"""
#include <lockstep/kernel_profiler.h>
extern "C" __global__ void profiled(void* channel, float* values, int length) {
  __shared__ lockstep::Staging<2, 64> staging;
  lockstep::SharedProfiler<lockstep::Staging<2, 64>> p(channel, staging, threadIdx.x % 128 == 0);
  p.init(threadIdx.x / 128);
  float x = values[threadIdx.x];
  for (int region = 0; region < 5; ++region) {
    p.start(region % 3);
    for (int i = 0; i < length; ++i) x = x * 1.0001f + 1.0f;
    p.end(region % 3);
  }
  values[threadIdx.x] = x;
}
extern "C" __global__ void strided(unsigned long long* buffer) {
  buffer[0] = 1ull << 32 | 1;
  buffer[1] = 1000ull << 32 | 0;
  buffer[2] = 1064ull << 32 | 1;
  buffer[3] = 1096ull << 32 | 3;
}
"""


def launch(function, stream, *arguments, blocks=BLOCKS, threads=256):
    with cupy.cuda.ExternalStream(stream.cuda_stream):
        function((blocks,), (threads,), arguments)


def check(claim, found, wanted):
    print(f"{claim:<58} {found}{'' if found == wanted else f'  WRONG: {wanted}'}")
    return found == wanted


def main(include):
    module = cupy.RawModule(code=KERNEL, options=("-std=c++17", f"-I{include}"))
    profiled, strided = module.get_function("profiled"), module.get_function("strided")
    values = torch.zeros(256, device="cuda")
    holds = []
    with lockstep.KernelSession(events=["load", "compute", "store"]) as session:
        print(session.device)
        sizes = dict(blocks=BLOCKS, groups=GROUPS, records=63, launch_slots=8)
        buffer = torch.empty(session.required_bytes(**sizes), dtype=torch.uint8, device="cuda")
        channel = session.channel(buffer=buffer, kernel="profiled", **sizes)
        stream = torch.cuda.Stream()

        def step():
            channel.advance(stream)
            launch(profiled, stream, cupy.uint64(channel.ptr), cupy.uint64(values.data_ptr()),
                   cupy.int32(1000))

        with torch.cuda.stream(stream):
            step()
        stream.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, stream=stream):
            step()
        for _ in range(3):
            graph.replay()
        torch.cuda.synchronize()
        counts = session.collect("torch.lkp")
        holds.append(check("launches: one, and three replays", counts.launches, 4))
        holds.append(check("lanes", counts.lanes, 4 * BLOCKS * GROUPS))
        holds.append(check("records", counts.records, 4 * BLOCKS * GROUPS * 2 * REGIONS))
        copied = lockstep.collect_from_memory(buffer.cpu(), "copy.lkp", kernels=["profiled"])
        holds.append(check("records of a copy", copied.records, counts.records))

    words = torch.zeros(64, dtype=torch.int64, device="cuda")
    launch(strided, torch.cuda.current_stream(), cupy.uint64(words.data_ptr()), blocks=1, threads=1)
    torch.cuda.synchronize()
    lockstep.export_to_perfetto_trace(words, "strided.pftrace", ["load"])
    holds.append(check("a trace of a tensor of words", Path("strided.pftrace").stat().st_size > 0,
                       True))
    sys.exit(0 if all(holds) else 1)


if __name__ == "__main__":
    main(sys.argv[1])

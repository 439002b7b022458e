"""The host side of lockstep's in-kernel profiler: buffers, launch numbers, .lkp files.

    import lockstep

    with lockstep.KernelSession(events=["load", "compute", "store"]) as session:
        channel = session.channel(blocks=132, groups=2, launch_slots=4, kernel="gemm")
        channel.advance(stream)              # before every launch that is profiled
        gemm[grid](..., channel.ptr)
        session.collect("gemm.lkp")          # then: lockstep kernel decode gemm.lkp

Needs liblockstep_session.so and, for sessions, the CUDA driver; no Python package. NumPy arrays and
PyTorch tensors are taken where memory is asked for.
"""

from ._library import LockstepError, library_version
from ._perfetto import export_to_perfetto_trace
from ._session import (
    Channel,
    Counts,
    Device,
    KernelSession,
    collect_from_memory,
    first_bytes,
    required_bytes,
)

__all__ = [
    "Channel",
    "Counts",
    "Device",
    "KernelSession",
    "LockstepError",
    "collect_from_memory",
    "export_to_perfetto_trace",
    "first_bytes",
    "library_version",
    "required_bytes",
]

"""Buffers of TVM's CudaProfiler as Perfetto traces."""

import warnings

from ._library import check, library, name_array, path_bytes
from ._memory import HostMemory


def export_to_perfetto_trace(profiler_buffer, file_name, event_type_names):
    """Writes what CudaProfiler left in the buffer as a Perfetto trace; TVM's function of that name.

    profiler_buffer: the uint64 buffer after the launch: a NumPy array, a PyTorch tensor, bytes.
    event_type_names: by event. What is wrong in the buffer (unmatched markers, lanes that never
    ended) is warned of.
    """
    memory = HostMemory(profiler_buffer)
    if memory.size % 8 != 0:
        raise ValueError(f"a buffer of {memory.size} bytes is no array of 64-bit words")
    names, count = name_array(event_type_names)
    check(
        library().lockstep_export_perfetto(
            memory.address, memory.size // 8, path_bytes(file_name), names, count
        )
    )
    for finding in library().lockstep_last_findings().decode("utf-8", "replace").splitlines():
        warnings.warn(finding, stacklevel=2)

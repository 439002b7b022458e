"""The C ABI of liblockstep_session.so: where it is, its structs and functions, its errors."""

import ctypes
import functools
import os
from ctypes import (
    POINTER,
    Structure,
    c_char,
    c_char_p,
    c_double,
    c_int,
    c_size_t,
    c_uint32,
    c_uint64,
    c_void_p,
)
from pathlib import Path

LIBRARY = "liblockstep_session.so"
LIBRARY_VARIABLE = "LOCKSTEP_SESSION_LIBRARY"


class LockstepError(RuntimeError):
    """A call failed. `status` is 2 (an argument), 3 (no driver, memory, file) or 4 (our fault)."""

    def __init__(self, message, status):
        super().__init__(message)
        self.status = status


class ChannelConfig(Structure):
    _fields_ = [
        ("struct_bytes", c_size_t),
        ("blocks", c_uint64),
        ("groups", c_uint32),
        ("records", c_uint32),
        ("has_region_records", c_uint32),
        ("launch_slots", c_uint32),
        ("anchor_capacity", c_uint32),
        ("anchor_interval_ns", c_uint32),
        ("selection", c_uint32),
        ("selection_step", c_uint32),
        ("listed_blocks", POINTER(c_uint64)),
        ("listed_count", c_size_t),
        ("multiprocessors", c_uint32),
    ]


class DeviceStruct(Structure):
    _fields_ = [
        ("name", c_char * 128),
        ("arch", c_char * 16),
        ("multiprocessors", c_uint32),
        ("clock_ghz", c_double),
        ("timer_tick_ns", c_double),
    ]


class CountsStruct(Structure):
    _fields_ = [
        (name, c_uint64)
        for name in (
            "launches",
            "lanes",
            "records",
            "dropped_records",
            "overwritten_launches",
            "stale_lanes",
            "unfinished_lanes",
            "lost_leaders",
            "mixed_lanes",
        )
    ]


class Copy(Structure):
    _fields_ = [("bytes", c_void_p), ("size", c_uint64), ("kernel", c_char_p)]


class Meta(Structure):
    _fields_ = [
        ("device", c_char_p),
        ("arch", c_char_p),
        ("clock_ghz", c_double),
        ("timer_tick_ns", c_double),
        ("event_names", POINTER(c_char_p)),
        ("event_count", c_size_t),
    ]


FUNCTIONS = {
    "lockstep_last_error": (c_char_p, []),
    "lockstep_version": (c_char_p, []),
    "lockstep_channel_config_init": (None, [POINTER(ChannelConfig)]),
    "lockstep_session_create": (c_int, [c_int, POINTER(c_void_p)]),
    "lockstep_session_destroy": (c_int, [c_void_p]),
    "lockstep_session_set_event_names": (c_int, [c_void_p, POINTER(c_char_p), c_size_t]),
    "lockstep_session_device": (c_int, [c_void_p, POINTER(DeviceStruct)]),
    "lockstep_required_bytes": (c_int, [c_void_p, POINTER(ChannelConfig), POINTER(c_uint64)]),
    "lockstep_channel_create": (
        c_int,
        [c_void_p, POINTER(ChannelConfig), c_char_p, c_uint64, c_uint64, POINTER(c_void_p)],
    ),
    "lockstep_channel_destroy": (c_int, [c_void_p]),
    "lockstep_channel_pointer": (c_uint64, [c_void_p]),
    "lockstep_channel_advance": (c_int, [c_void_p, c_void_p, c_uint32]),
    "lockstep_channel_set_enabled": (c_int, [c_void_p, c_int]),
    "lockstep_session_collect": (c_int, [c_void_p, c_char_p, POINTER(CountsStruct)]),
    "lockstep_channel_collect": (c_int, [c_void_p, c_char_p, POINTER(CountsStruct)]),
    "lockstep_first_bytes_size": (c_int, [POINTER(ChannelConfig), POINTER(c_uint64)]),
    "lockstep_first_bytes": (c_int, [POINTER(ChannelConfig), c_uint64, c_void_p]),
    "lockstep_collect_from_memory": (
        c_int,
        [POINTER(Copy), c_size_t, POINTER(Meta), c_char_p, POINTER(CountsStruct)],
    ),
    "lockstep_export_perfetto": (
        c_int,
        [c_void_p, c_size_t, c_char_p, POINTER(c_char_p), c_size_t],
    ),
    "lockstep_last_findings": (c_char_p, []),
}


def candidates():
    """Where the library may be, the most particular place first."""
    named = os.environ.get(LIBRARY_VARIABLE)
    if named:
        return [named]
    here = Path(__file__).resolve().parent
    beside = [here / LIBRARY]
    # Installed: PREFIX/share/lockstep/python/lockstep beside PREFIX/lib.
    installed = [here.parents[3] / "lib" / LIBRARY] if len(here.parents) > 3 else []
    return [str(path) for path in beside + installed if path.is_file()] + [LIBRARY]


@functools.cache
def library():
    """The loaded library, its functions declared."""
    names = candidates()
    for name in names:
        try:
            loaded = ctypes.CDLL(name)
        except OSError as error:
            reason = error
            continue
        for function, (result, arguments) in FUNCTIONS.items():
            getattr(loaded, function).restype = result
            getattr(loaded, function).argtypes = arguments
        return loaded
    raise LockstepError(
        f"{names[-1]} cannot be loaded ({reason}); install lockstep, or name the library in "
        f"{LIBRARY_VARIABLE}",
        3,
    )


def check(status):
    """Raises the error of a call that returned it."""
    if status != 0:
        message = library().lockstep_last_error().decode("utf-8", "replace")
        raise LockstepError(message, status)


def library_version():
    return library().lockstep_version().decode()


def path_bytes(path):
    return os.fsencode(path)


def name_array(names):
    """Names as an array of C strings, and how many: a list, or an Enum whose values are events."""
    values = list(names or [])
    if isinstance(names, type) and hasattr(names, "__members__"):
        by_event = {member.value: name for name, member in names.__members__.items()}
        values = [by_event.get(event, "") for event in range(max(by_event, default=-1) + 1)]
    encoded = [str(value).encode() for value in values]
    return (c_char_p * len(encoded))(*encoded), len(encoded)

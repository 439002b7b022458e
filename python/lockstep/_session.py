"""Sessions and channels."""

import ctypes
from ctypes import POINTER, byref, c_uint64, c_void_p, cast
from typing import NamedTuple

from ._library import (
    ChannelConfig,
    Copy,
    CountsStruct,
    DeviceStruct,
    LockstepError,
    Meta,
    check,
    library,
    name_array,
    path_bytes,
)
from ._memory import HostMemory, device_memory, stream_handle

CURRENT_DEVICE = -1
ALL_BLOCKS, EVERY_NTH, LISTED, ONE_PER_SM = range(4)
ADVANCE_PLAIN, ADVANCE_DEPENDENT = range(2)


class Device(NamedTuple):
    name: str
    arch: str
    multiprocessors: int
    clock_ghz: float
    timer_tick_ns: float


class Counts(NamedTuple):
    """What a collection found; lockstep/session.h says what each number is."""

    launches: int
    lanes: int
    records: int
    dropped_records: int
    overwritten_launches: int
    stale_lanes: int
    unfinished_lanes: int
    lost_leaders: int
    mixed_lanes: int


def _counts(struct):
    return Counts(*(getattr(struct, name) for name in Counts._fields))


def _config(
    *,
    blocks=0,
    groups=1,
    records=None,
    regions=False,
    launch_slots=1,
    anchors=None,
    anchor_interval_ns=None,
    every=None,
    only=None,
    one_per_sm=False,
    multiprocessors=0,
):
    """A config of the C ABI. At most one of `every`, `only` and `one_per_sm` selects blocks."""
    if sum([every is not None, only is not None, bool(one_per_sm)]) > 1:
        raise ValueError("blocks are selected by one of every, only and one_per_sm")
    config = ChannelConfig()
    library().lockstep_channel_config_init(byref(config))
    config.blocks = blocks
    config.groups = groups
    config.has_region_records = int(bool(regions))
    config.launch_slots = launch_slots
    config.multiprocessors = multiprocessors
    if records is not None:
        config.records = records
    if anchors is not None:
        config.anchor_capacity = anchors
    if anchor_interval_ns is not None:
        config.anchor_interval_ns = anchor_interval_ns
    if every is not None:
        config.selection, config.selection_step = EVERY_NTH, every
    if only is not None:
        listed = list(only)
        config.selection, config.listed_count = LISTED, len(listed)
        config.listed_blocks = cast((c_uint64 * len(listed))(*listed), POINTER(c_uint64))
    if one_per_sm:
        config.selection = ONE_PER_SM
    return config


def _close(what, is_failing):
    """At the end of a with block; the error that ends it is not hidden by another one."""
    try:
        what.close()
    except LockstepError:
        if not is_failing:
            raise


class Channel:
    """Memory for the launches of one kernel that never overlap each other; see KernelSession."""

    def __init__(self, session, handle, keeps):
        self._session = session
        self._handle = handle
        self._keeps = keeps  # the user's tensor
        self._enabled = True

    @property
    def ptr(self):
        """What the kernel is given: a device address."""
        return library().lockstep_channel_pointer(self._alive())

    def advance(self, stream=None, dependent=False):
        """Gives the next launch on the stream the next number. Can be captured into a graph.

        `dependent`: in a chain of programmatic dependent launches.
        """
        flags = ADVANCE_DEPENDENT if dependent else ADVANCE_PLAIN
        check(library().lockstep_channel_advance(self._alive(), stream_handle(stream), flags))

    @property
    def enabled(self):
        """False: the markers of launches that start afterwards write nothing."""
        return self._enabled

    @enabled.setter
    def enabled(self, value):
        check(library().lockstep_channel_set_enabled(self._alive(), int(bool(value))))
        self._enabled = bool(value)

    def collect(self, path):
        """Waits for the device and writes the records of this channel; returns Counts."""
        counts = CountsStruct()
        check(library().lockstep_channel_collect(self._alive(), path_bytes(path), byref(counts)))
        return _counts(counts)

    def close(self):
        """Frees the channel's memory; no kernel may use it any more.

        The channel is closed also where the driver fails to free it, which is raised.
        """
        handle, self._handle = self._handle, None
        if handle is not None and self._session._handle is not None:
            check(library().lockstep_channel_destroy(handle))

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        _close(self, is_failing=kind is not None)

    def _alive(self):
        if self._handle is None or self._session._handle is None:
            raise ValueError("the channel is closed")
        return self._handle


class KernelSession:
    """In-kernel profiling on one device.

    device: ordinal; None: that of the current CUDA context, or the first.
    events: names of events, by event: a list, or an Enum class whose values are the events.
    """

    def __init__(self, device=None, events=None):
        self._handle = None
        handle = c_void_p()
        ordinal = CURRENT_DEVICE if device is None else device
        check(library().lockstep_session_create(ordinal, byref(handle)))
        self._handle = handle
        if events is not None:
            self.name_events(events)

    @property
    def device(self):
        struct = DeviceStruct()
        check(library().lockstep_session_device(self._alive(), byref(struct)))
        return Device(
            struct.name.decode("utf-8", "replace"),
            struct.arch.decode(),
            struct.multiprocessors,
            struct.clock_ghz,
            struct.timer_tick_ns,
        )

    def name_events(self, events):
        names, count = name_array(events)
        check(library().lockstep_session_set_event_names(self._alive(), names, count))

    def required_bytes(self, **config):
        """Bytes that a channel of these sizes needs at any address aligned to 16."""
        return _required_bytes(self._alive(), _config(**config))

    def channel(self, *, kernel="", buffer=None, buffer_bytes=None, **config):
        """Makes a channel.

        blocks: of the largest launch; groups: of a block; records: that a lane holds at least;
        regions: the kernel writes region records; launch_slots: launches that are kept, a power of
        two; anchors, anchor_interval_ns: interior anchors of a lane and the time between them;
        every, only, one_per_sm: which blocks are recorded, all by default.
        kernel: the name of its launches. buffer: device memory to use (a tensor, or an address with
        buffer_bytes); it is kept alive, and nothing in it needs zeroing.
        """
        address, size = (0, 0) if buffer is None else device_memory(buffer, buffer_bytes)
        if buffer is not None and address == 0:
            raise ValueError("the buffer has no memory")
        handle = c_void_p()
        struct = _config(**config)
        check(
            library().lockstep_channel_create(
                self._alive(), byref(struct), kernel.encode(), address, size, byref(handle)
            )
        )
        return Channel(self, handle, buffer)

    def collect(self, path):
        """Waits for the device and writes the records of all channels; returns Counts."""
        counts = CountsStruct()
        check(library().lockstep_session_collect(self._alive(), path_bytes(path), byref(counts)))
        return _counts(counts)

    def close(self):
        """Frees all channels; no kernel may use them any more.

        The session is closed also where the driver fails to take something back, which is raised.
        """
        handle, self._handle = self._handle, None
        if handle is not None:
            check(library().lockstep_session_destroy(handle))

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        _close(self, is_failing=kind is not None)

    def _alive(self):
        if self._handle is None:
            raise ValueError("the session is closed")
        return self._handle


def _required_bytes(session, config):
    size = c_uint64()
    check(library().lockstep_required_bytes(session, byref(config), byref(size)))
    return size.value


def required_bytes(**config):
    """Bytes of a channel's buffer, without a device: see KernelSession.channel for the sizes."""
    return _required_bytes(None, _config(**config))


def first_bytes(address, **config):
    """What the host writes to the start of a buffer at that device address before its first launch.

    For programs that keep their buffers themselves (HIP).
    """
    struct = _config(**config)
    size = c_uint64()
    check(library().lockstep_first_bytes_size(byref(struct), byref(size)))
    into = ctypes.create_string_buffer(size.value)
    check(library().lockstep_first_bytes(byref(struct), address, into))
    return into.raw


def collect_from_memory(
    copies, path, *, kernels=(), events=None, device="", arch="", clock_ghz=0.0, timer_tick_ns=0.0
):
    """Writes the records of buffers that were copied to the host, whole; needs no driver.

    copies: one buffer or a list of them: bytes, NumPy arrays, tensors; kernels: a name for each.
    """
    if not isinstance(copies, (list, tuple)):
        copies = [copies]
    memories = [HostMemory(copy) for copy in copies]
    structs = (Copy * len(memories))()
    for i, memory in enumerate(memories):
        name = kernels[i].encode() if i < len(kernels) else None
        structs[i] = Copy(memory.address, memory.size, name)
    names, count = name_array(events)
    meta = Meta(device.encode(), arch.encode(), clock_ghz, timer_tick_ns, names, count)
    counts = CountsStruct()
    check(
        library().lockstep_collect_from_memory(
            structs, len(memories), byref(meta), path_bytes(path), byref(counts)
        )
    )
    return _counts(counts)

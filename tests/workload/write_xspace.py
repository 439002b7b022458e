"""Writes a workload as JAX does on GPUs: an XSpace with a host plane, device planes and the start of
the profile in a plane of its own.

XSpace has no mark that tells what a user annotated from what the runtime did, so that annotations
other than steps are left out; and no place for a rank, a process group or what a collective moves.
"""

import gzip
import sys
from pathlib import Path

from wire import data as text
from wire import number, real

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "xspace"))

FORMAT = "xspace"
CARRIES = {
    "kernels", "collectives", "copies", "sets", "devices", "device_names", "streams", "calls", "operators",
    "steps", "launches", "correlation", "process", "epoch", "grid", "bytes", "picoseconds",
}
VARIANTS = {
    "compressed": {"compress": True},
    "strings in place": {"references": False},
    "start of the profile first": {"environment_first": True},
    "lines since 1970, without the start of the profile": {"old": True},
    "lines that XProf derives": {"derived": True},
}

COPIES = {"Memcpy HtoD (Pageable -> Device)": "MemcpyH2D", "Memcpy DtoH (Device -> Pinned)": "MemcpyD2H"}


class Plane:
    """Lines first, then the metadata that they use, in the order in which protobuf writes fields."""

    def __init__(self, name, ident, references=True):
        self.head = (number(1, ident) if ident else b"") + text(2, name)
        self.references = references
        self.lines, self.stats = b"", b""
        self.event_ids, self.stat_ids = {}, {}

    def stat_id(self, name):
        return self.stat_ids.setdefault(name, len(self.stat_ids) + 1)

    def stat(self, name, value):
        head = number(1, self.stat_id(name))
        if isinstance(value, tuple):  # as an unsigned number
            return head + number(3, value[0])
        if isinstance(value, int):
            return head + number(4, value)
        if isinstance(value, float):
            return head + real(2, value)
        return head + (number(7, self.stat_id(value)) if self.references else text(5, value))

    def event(self, name, offset_ps, duration_ps, stats):
        ident = self.event_ids.setdefault(name, len(self.event_ids) + 1)
        body = number(1, ident) + number(2, offset_ps) + number(3, duration_ps)
        return text(4, body + b"".join(text(4, self.stat(k, v)) for k, v in stats.items()))

    def add_line(self, ident, name, timestamp_ns, events):
        self.lines += text(3, number(1, ident) + text(2, name) + number(3, timestamp_ns) + b"".join(events))

    def add_stat(self, name, value):
        head = number(1, self.stat_id(name))
        body = text(5, value) if isinstance(value, str) else number(3, value[0]) if isinstance(
            value, tuple) else number(4, value)
        self.stats += text(6, head + body)

    def encoded(self):
        def entries(field, ids):
            return b"".join(text(field, number(1, i) + text(2, number(1, i) + text(2, name)))
                            for name, i in ids.items())
        return text(1, self.head + self.lines + entries(4, self.event_ids) + entries(5, self.stat_ids) + self.stats)


class Writer:
    def __init__(self, work, references, old, derived):
        self.work, self.references, self.old, self.derived = work, references, old, derived
        self.start_ns = work.origin_ns - 2_000_000
        # Lines of one file have different bases.
        self.host_base_ns, self.device_base_ns = 1_999_001, 1_999_900

    def timestamp(self, base_ns):
        return base_ns + self.start_ns if self.old else base_ns

    def offset(self, event, base_ns):
        return event.start_ps + (self.work.origin_ns - self.start_ns - base_ns) * 1000

    def host_plane(self):
        plane = Plane("/host:CPU", 0, self.references)
        threads = {}
        for event in self.work.host_events:
            threads.setdefault(event.thread, []).append(event)
        for thread, events in threads.items():
            written = []
            for event in sorted(events, key=lambda e: (e.start_ps, -e.duration_ps)):
                name, stats = event.name, {}
                if event.kind == "annotation":
                    if "#" not in name:
                        continue
                    name, step = name.split("#")
                    stats = {"_r": 1, "step_num": int(step)}
                elif event.kind == "runtime_call":
                    stats = {"correlation_id": (event.correlation,), "context_id": "$$1"}
                written.append(plane.event(name, self.offset(event, self.host_base_ns), event.duration_ps, stats))
            plane.add_line(thread, "python3", self.timestamp(self.host_base_ns), written)
        plane.add_stat("process_id", self.work.pid)
        return plane.encoded()

    def device_stats(self, event):
        stats = {"correlation_id": (event.correlation,), "context_id": "$$1"}
        if event.kind in ("kernel", "communication"):
            grid, block = (",".join(map(str, e)) for e in (event.grid, event.block))
            stats["theoretical_occupancy_pct"] = 12.5
            stats["kernel_details"] = (f"regs:64 static_shared:0 dynamic_shared:1024 grid:{grid} block:{block} "
                                       "occ_pct:12.5")
            stats["hlo_op"] = "all-reduce.1" if event.message else "fusion.1"
            stats["hlo_module"] = "jit_step"
            stats["program_id"] = 7303
        elif event.kind == "memcpy":
            stats["memcpy_details"] = f"kind_src:pageable size:{event.bytes} dest:0 async:1"
        else:
            stats["memset_details"] = f"kind:device size:{event.bytes} async:1"
        return stats

    def device_plane(self, device, name):
        plane = Plane(f"/device:GPU:{device}", device, self.references)
        events = [e for e in self.work.device_events if e.device == device]
        streams = {}
        for event in sorted(events, key=lambda e: e.start_ps):
            streams.setdefault(event.stream, []).append(event)
        base = self.device_base_ns
        for stream, on_stream in streams.items():
            kinds, written = [], []
            for event in on_stream:
                shown = COPIES.get(event.name) or ("Memset" if event.kind == "memset" else event.name)
                kind = "Compute" if event.kind in ("kernel", "communication") else shown
                kinds += [kind] if kind not in kinds else []
                written.append(plane.event(shown, self.offset(event, base), event.duration_ps,
                                           self.device_stats(event)))
            plane.add_line(stream, f"Stream #{stream}({','.join(kinds)})", self.timestamp(base), written)
        if self.derived:
            for i, line in enumerate(("Steps", "XLA Modules", "XLA Ops", "Source code")):
                copies = [plane.event("fusion.1", self.offset(e, base), e.duration_ps, {}) for e in events]
                plane.add_line(0xDEADBEEF + i - 2**32, line, self.timestamp(base), copies)
        plane.add_stat("device_vendor", "Nvidia")
        plane.add_stat("gpu_device_name", name)
        plane.add_stat("core_count", 132)
        return plane.encoded()

    def environment(self):
        plane = Plane("Task Environment", 0)
        plane.add_stat("profile_start_time", (self.start_ns,))
        plane.add_stat("profile_stop_time", (self.start_ns + 10**9,))
        return plane.encoded()


def encode(work, references=True, environment_first=False, old=False, derived=False):
    writer = Writer(work, references, old, derived)
    environment = b"" if old else writer.environment()
    planes = [writer.device_plane(i, name) for i, name in enumerate(work.devices)] + [writer.host_plane()]
    planes = [environment] + planes if environment_first else planes + [environment]
    return b"".join(planes) + text(4, "host")


def write(work, folder, compress=False, **variant):
    """Writes the file and returns the path that lockstep is given."""
    data = encode(work, **variant)
    path = folder / ("host.xplane.pb.gz" if compress else "host.xplane.pb")
    path.write_bytes(gzip.compress(data) if compress else data)
    return path


def check_against_corpus(corpus):
    """Fails where ours differs from what JAX wrote: order of fields, names of lines, types of stats."""
    import tempfile

    import xspace_decode
    from workload import scripted
    real_planes = {p.name: p for p in xspace_decode.decode(corpus / "h200" / "jax_train.xplane.pb.gz")}
    with tempfile.TemporaryDirectory() as folder:
        ours = {p.name: p for p in xspace_decode.decode(write(scripted(), Path(folder)))}

    def stat_types(plane, has):
        return {s.name: s.kind for line in plane.lines for e in line.events if e.stat(has) is not None
                for s in e.stats}

    for name in ("/host:CPU", "/device:GPU:0", "Task Environment"):
        assert ours[name].order == real_planes[name].order, name
        real_facts = {s.name: s.kind for s in real_planes[name].stats}
        for stat in ours[name].stats:
            assert real_facts.get(stat.name) == stat.kind, (name, stat)
    for name, has in (("/device:GPU:0", "kernel_details"), ("/host:CPU", "step_num")):
        real_types = stat_types(real_planes[name], has)
        for stat, kind in stat_types(ours[name], has).items():
            # JAX writes this one in place.
            assert stat == "context_id" or real_types.get(stat) == kind, (name, stat, kind)
    return "planes, lines and stats of h200/jax_train"

"""XSpace and Perfetto: many tiny messages, references to one large text, chains of parents."""

import sys
import zlib
from pathlib import Path

from .shape import shape, write

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "workload"))

from wire import data, fixed64, number, varint  # noqa: E402

XSPACE = "XSpace"
PERFETTO = "Perfetto"
PS_PER_US = 1_000_000


def xevent(kernel, at, *stats):
    return data(4, number(1, kernel) + number(2, at * PS_PER_US) + number(3, PS_PER_US // 2) +
                b"".join(data(4, stat) for stat in stats))


def xline(ident, *events):
    return data(3, number(1, ident) + data(2, f"Stream #{ident}(Compute)") + number(3, 1000) + b"".join(events))


def entry(field, ident, name):
    return data(field, number(1, ident) + data(2, number(1, ident) + data(2, name)))


def xplane(device, *parts):
    return data(1, number(1, device) + data(2, f"/device:GPU:{device}") + b"".join(parts))


def xspace(folder, *planes):
    return write(folder / "host.xplane.pb", *planes)


@shape("planes of one event", XSPACE, 8_000)
def planes(n, folder):
    return xspace(folder, (xplane(i, xline(7, xevent(1, i)), entry(4, 1, "kernel")) for i in range(n)))


@shape("planes without a name", XSPACE, 1_000_000)
def empty_planes(n, folder):
    return xspace(folder, xplane(0, xline(7, xevent(1, 1)), entry(4, 1, "kernel")), (data(1, b""), n))


@shape("lines of one event", XSPACE, 20_000)
def lines(n, folder):
    return xspace(folder, xplane(0, *(xline(i, xevent(1, i)) for i in range(n)), entry(4, 1, "kernel")))


TO_PERFETTO = ("convert", "IN", "-o", "OUT.pftrace")
SMALLEST_EVENT = data(4, number(1, 1))


def one_line_of(folder, event, n):
    """A plane of one line of n events, not held as a whole."""
    line_head = data(2, "Stream #7")
    name = data(2, "/device:GPU:0") + entry(4, 1, "kernel")
    line_bytes = len(line_head) + len(event) * n
    line_tag = varint(3 << 3 | 2) + varint(line_bytes)
    plane_tag = varint(1 << 3 | 2) + varint(len(name) + len(line_tag) + line_bytes)
    return xspace(folder, plane_tag, name, line_tag, line_head, (event, n))


@shape("events of no bytes", XSPACE, 1_000_000, "anomalies", "--json", "IN", code=3)
def empty_events(n, folder):
    return one_line_of(folder, data(4, b""), n)


@shape("events of four bytes", XSPACE, 500_000, memory=30)
def smallest_events(n, folder):
    return one_line_of(folder, SMALLEST_EVENT, n)


@shape("events of four bytes, cycles", XSPACE, 300_000, "cycles", "--json", "IN", memory=80)
def smallest_events_cycles(n, folder):
    return one_line_of(folder, SMALLEST_EVENT, n)


@shape("events of four bytes, anomalies", XSPACE, 300_000, "anomalies", "--json", "IN", memory=65)
def smallest_events_anomalies(n, folder):
    return one_line_of(folder, SMALLEST_EVENT, n)


@shape("planes of an empty line", XSPACE, 50_000, *TO_PERFETTO)
def planes_of_nothing(n, folder):
    empty = (data(1, data(2, str(i)) + data(3, b"")) for i in range(n))
    return xspace(folder, xplane(0, xline(7, xevent(1, 1)), entry(4, 1, "kernel")), empty)


@shape("planes of a line of two bytes", XSPACE, 50_000, *TO_PERFETTO, memory=90)
def smallest_planes(n, folder):
    planes = (data(1, data(2, str(i)) + data(3, number(1, 1))) for i in range(n))
    return xspace(folder, xplane(0, xline(7, xevent(1, 1)), entry(4, 1, "kernel")), planes)


@shape("metadata that nothing uses", XSPACE, 100_000)
def unused_metadata(n, folder):
    names = b"".join(entry(4, i, f"kernel {i}") for i in range(2, n))
    return xspace(folder, xplane(0, xline(7, xevent(1, 1)), entry(4, 1, "kernel"), names))


@shape("one metadata entry again and again", XSPACE, 100_000)
def same_metadata(n, folder):
    return xspace(folder, xplane(0, xline(7, xevent(1, 1)), entry(4, 1, "kernel") * n))


@shape("references to one text of 10 kB", XSPACE, 5_000, "convert", "IN", "-o", "OUT.json")
def references(n, folder):
    stat = number(1, 1) + number(7, 2)
    events = b"".join(xevent(1, i, stat) for i in range(n))
    return xspace(folder, xplane(0, xline(7, events), entry(4, 1, "kernel"), entry(5, 1, "details"),
                                 entry(5, 2, "x" * 10_000)))


@shape("stats of one event", XSPACE, 100_000, "convert", "IN", "-o", "OUT.json")
def stats(n, folder):
    values = [number(1, 1 + i % 50) + number(4, i) for i in range(n)]
    names = b"".join(entry(5, 1 + i, f"stat {i}") for i in range(50))
    return xspace(folder, xplane(0, xline(7, xevent(1, 1, *values)), entry(4, 1, "kernel"), names))


@shape("fields that nobody knows", XSPACE, 1_000_000)
def unknown_fields(n, folder):
    return xspace(folder, xplane(0, xline(7, xevent(1, 1)), entry(4, 1, "kernel")), (number(15, 1), n))


@shape("lines of one event, rewritten", XSPACE, 20_000, "convert", "IN", "--kinds", "kernel", "-o", "OUT.xplane.pb")
def rewritten(n, folder):
    return lines(n, folder)


@shape("lines of one operation", XSPACE, 20_000, gated=True)
def operation_lines(n, folder):
    line = data(3, number(1, 1) + data(2, "XLA Ops") + xevent(1, 0))
    plane = data(2, "/device:TPU:0") + entry(4, 1, "all-reduce.1") + line * n
    return xspace(folder, data(1, plane))


def own_ranks(n):
    """As lockstep writes them: a plane a rank."""
    head = data(2, "/lockstep:rank:0") + entry(5, 1, "lockstep_rank")
    return (data(1, head + data(6, number(1, 1) + number(4, i))) for i in range(n))


@shape("ranks of no events", XSPACE, 50_000, gated=True)
def ranks(n, folder):
    return xspace(folder, own_ranks(n))


@shape("stats of one name under many ids, rewritten", XSPACE, 20_000, "convert", "IN", "--kinds", "runtime_call", "-o",
       "OUT.xplane.pb", gated=True)
def same_stat_name(n, folder):
    names = b"".join(entry(5, i, "correlation_id") for i in range(1, n))
    event = xevent(1, 9, *(number(1, i) + number(3, 5) for i in range(1, n)))
    plane = data(2, "/host:CPU") + data(3, event * 4) + entry(4, 1, "k") + names
    return xspace(folder, data(1, plane))


def packet(*fields, sequence=1, flags=2):
    return data(1, b"".join(fields) + number(10, sequence) + number(13, flags))


def track_event(at, kind, track, *fields):
    return number(8, at) + data(11, number(9, kind) + number(11, track) + b"".join(fields))


def track(uuid, *fields):
    return data(60, number(1, uuid) + b"".join(fields))


BEGIN, END, INSTANT = 1, 2, 3
CLEAR = 1


def perfetto(folder, *packets):
    return write(folder / "trace.pftrace", packet(track(1, data(2, "stream")), flags=CLEAR), *packets)


def slice_of(i, uuid=1, *fields):
    return (packet(track_event(1000 + 10 * i, BEGIN, uuid, data(23, "k"), *fields)) +
            packet(track_event(1005 + 10 * i, END, uuid)))


@shape("packets without content", PERFETTO, 1_000_000)
def empty_packets(n, folder):
    return perfetto(folder, slice_of(0), (data(1, b""), n), slice_of(1))


@shape("sequences of one packet", PERFETTO, 50_000)
def sequences(n, folder):
    rows = (packet(track_event(1000 + i, INSTANT, 1, data(23, "i")), sequence=i + 1, flags=CLEAR) for i in range(n))
    return perfetto(folder, rows)


@shape("names that are interned anew", PERFETTO, 50_000)
def interned(n, folder):
    rows = (packet(track_event(1000 + i, INSTANT, 1, number(10, 1)),
                   data(12, data(2, number(1, 1) + data(2, f"name {i}")))) for i in range(n))
    return perfetto(folder, rows)


@shape("a sequence that is cleared at every packet", PERFETTO, 50_000)
def cleared(n, folder):
    names = data(12, b"".join(data(2, number(1, i) + data(2, f"name {i}")) for i in range(1, 20)))
    rows = (packet(track_event(1000 + i, INSTANT, 1, number(10, 1)), names, flags=3) for i in range(n // 10))
    return perfetto(folder, rows)


@shape("annotations that refer to one text of 10 kB", PERFETTO, 5_000, "convert", "IN", "-o", "OUT.json")
def interned_text(n, folder):
    text = packet(data(12, data(3, number(1, 1) + data(2, "a")) + data(29, number(1, 1) + data(2, "x" * 10_000))))
    note = data(4, number(1, 1) + number(17, 1))
    return perfetto(folder, text, (slice_of(i, 1, note) for i in range(n)))


@shape("annotations nested without end", PERFETTO, 100_000, "convert", "IN", "-o", "OUT.json")
def nested_annotations(n, folder):
    body = number(4, 1)
    pieces, length = [body], len(body)
    for _ in range(n):
        head = varint(12 << 3 | 2) + varint(length)
        pieces.append(head)
        length += len(head)
    note = data(4, data(10, "a") + b"".join(reversed(pieces)))
    return perfetto(folder, slice_of(0, 1, note), slice_of(1))


@shape("tracks that are parents of each other", PERFETTO, 20_000)
def chain_of_tracks(n, folder):
    rows = (packet(track(2 + i, number(5, 3 + i), data(2, "t"))) for i in range(n))
    return perfetto(folder, rows, (slice_of(i, 2 + i) for i in range(n)))


@shape("tracks of one slice", PERFETTO, 20_000)
def tracks(n, folder):
    return perfetto(folder, (packet(track(2 + i, data(2, f"t{i}"))) + slice_of(i, 2 + i) for i in range(n)))


@shape("tracks of one mark", PERFETTO, 200_000, memory=30)
def marked_tracks(n, folder):
    return perfetto(folder, (packet(track_event(1000, INSTANT, 2 + i)) for i in range(n)))


@shape("tracks of one mark, converted", PERFETTO, 100_000, *TO_PERFETTO, memory=40)
def converted_tracks(n, folder):
    return marked_tracks(n, folder)


@shape("slices that never end", PERFETTO, 50_000)
def open_slices(n, folder):
    return perfetto(folder, (packet(track_event(1000 + i, BEGIN, 1, data(23, "k"))) for i in range(n)))


@shape("flows of one id", PERFETTO, 50_000)
def flows(n, folder):
    flow = fixed64(47, 9)
    return perfetto(folder, (slice_of(i, 1, flow) for i in range(n)))


@shape("clock snapshots", PERFETTO, 50_000)
def clocks(n, folder):
    def snapshot(i):
        pairs = [number(1, 6) + number(2, 1000 + i), number(1, 1) + number(2, 2000 + i),
                 number(1, 70) + number(2, 3000 + i)]
        return packet(data(6, b"".join(data(1, pair) for pair in pairs))) + slice_of(i)
    return perfetto(folder, (snapshot(i) for i in range(n)))


@shape("compressed packets, a bomb", PERFETTO, 300_000)
def compressed_packets(n, folder):
    inner = slice_of(0) * n
    deflate = zlib.compressobj(9)
    body = deflate.compress(inner) + deflate.flush()
    return perfetto(folder, packet(data(50, body))), len(inner)

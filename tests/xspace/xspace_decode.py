"""Decodes an XSpace slowly and plainly, independent of lockstep's own code: the oracle of the tests.

Field numbers are those of openxla/xla, tsl/profiler/protobuf/xplane.proto.
"""

import gzip
import struct
from dataclasses import dataclass, field


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value & (2**64 - 1), at


def fields(data):
    """(number, wire type, value) of every field."""
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        kind = tag & 7
        if kind == 0:
            value, at = varint(data, at)
        elif kind == 2:
            length, at = varint(data, at)
            value = data[at:at + length]
            assert len(value) == length, "cut short"
            at += length
        else:
            width = {1: 8, 5: 4}[kind]
            value = data[at:at + width]
            at += width
        yield tag >> 3, kind, value


def signed(value):
    return value - 2**64 if value >= 2**63 else value


@dataclass
class Stat:
    name: str
    kind: str  # double, uint64, int64, str, bytes, ref
    value: object


@dataclass
class Event:
    name: str
    offset_ps: int = 0
    duration_ps: int = 0
    occurrences: int | None = None
    stats: list = field(default_factory=list)

    def stat(self, name):
        return next((s.value for s in self.stats if s.name == name), None)


@dataclass
class Line:
    id: int = 0
    name: str = ""
    timestamp_ns: int = 0
    events: list = field(default_factory=list)


@dataclass
class Plane:
    name: str = ""
    order: list = field(default_factory=list)  # of field numbers, without repetitions
    lines: list = field(default_factory=list)
    stats: list = field(default_factory=list)


STAT_KINDS = {2: "double", 3: "uint64", 4: "int64", 5: "str", 6: "bytes", 7: "ref"}


def decode_stat(data, names):
    metadata, kind, value = 0, None, None
    for number, _, raw in fields(data):
        if number == 1:
            metadata = signed(raw)
        elif number in STAT_KINDS:
            kind, value = STAT_KINDS[number], raw
    if kind == "double":
        value = struct.unpack("<d", value)[0]
    elif kind == "int64":
        value = signed(value)
    elif kind == "str":
        value = value.decode()
    elif kind == "ref":
        value = names.get(signed(value), "")
    return Stat(names.get(metadata, ""), kind, value)


def decode_map(data):
    entry = {number: value for number, _, value in fields(data)}
    value = {}
    for number, _, raw in fields(entry.get(2, b"")):
        value.setdefault(number, raw)
    return signed(entry.get(1, 0)), value


def decode_event(data, events, names):
    event = Event("")
    for number, _, raw in fields(data):
        if number == 1:
            event.name = events.get(signed(raw), "")
        elif number == 2:
            event.offset_ps = signed(raw)
        elif number == 3:
            event.duration_ps = signed(raw)
        elif number == 4:
            event.stats.append(decode_stat(raw, names))
        elif number == 5:
            event.occurrences = signed(raw)
    return event


def decode_line(data, events, names):
    line = Line()
    for number, _, raw in fields(data):
        if number == 1:
            line.id = signed(raw)
        elif number == 2:
            line.name = raw.decode()
        elif number == 3:
            line.timestamp_ns = signed(raw)
        elif number == 4:
            line.events.append(decode_event(raw, events, names))
    return line


def decode_plane(data):
    plane = Plane()
    events, names, lines, stats = {}, {}, [], []
    for number, _, raw in fields(data):
        if plane.order[-1:] != [number]:
            plane.order.append(number)
        if number == 2:
            plane.name = raw.decode()
        elif number == 3:
            lines.append(raw)
        elif number == 4:
            key, value = decode_map(raw)
            events[key] = (value.get(4) or value.get(2, b"")).decode()
        elif number == 5:
            key, value = decode_map(raw)
            names[key] = value.get(2, b"").decode()
        elif number == 6:
            stats.append(raw)
    plane.lines = [decode_line(line, events, names) for line in lines]
    plane.stats = [decode_stat(stat, names) for stat in stats]
    return plane


def inflated(path):
    with open(path, "rb") as file:
        data = file.read()
    return gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data


def decode(path):
    """The planes of a file."""
    return [decode_plane(raw) for number, _, raw in fields(inflated(path)) if number == 1]

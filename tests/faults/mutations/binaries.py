"""Counts the records of binary files, from what their formats say and nothing else: XSpace, Perfetto and .lkp.

As in counting, Complaint is raised where a file is not what its format says: no protobuf, a field that the format does not
have, one of another type, one that is there twice.
"""

import struct
import zlib
from collections import Counter

from counting import Complaint

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5


# --- protobuf -------------------------------------------------------------------------------------

def varint_at(data, at):
    value = shift = 0
    while True:
        if at >= len(data) or shift > 63:
            raise Complaint("a number that does not end")
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7


def fields(data, known, once=()):
    """Number and value of every field; `known` has the types that a number may have, `once` the numbers that come once."""
    at = 0
    seen = set()
    while at < len(data):
        tag, at = varint_at(data, at)
        field, kind = tag >> 3, tag & 7
        if kind not in known.get(field, ()):
            raise Complaint(f"field {field} of type {kind}")
        if field in once and field in seen:
            raise Complaint(f"field {field} twice")
        seen.add(field)
        if kind == VARINT:
            value, at = varint_at(data, at)
        else:
            size = {FIXED64: 8, FIXED32: 4}.get(kind)
            if size is None:
                size, at = varint_at(data, at)
            if size > len(data) - at:
                raise Complaint("a field that goes beyond its message")
            value, at = data[at:at + size], at + size
        yield field, value


def check(data, known, once=()):
    for _ in fields(data, known, once):
        pass


N, B, F = (VARINT,), (BYTES,), (FIXED64,)
SPACE = {1: B, 2: B, 3: B, 4: B}
PLANE = {1: N, 2: B, 3: B, 4: B, 5: B, 6: B}
LINE = {1: N, 2: B, 3: N, 4: B, 9: N, 10: N, 11: B}
EVENT = {1: N, 2: N, 3: N, 4: B, 5: N}
STAT = {1: N, 2: F, 3: N, 4: N, 5: B, 6: B, 7: N}
ENTRY = {1: N, 2: B}
OCCURRENCES = 5


def xspace_events(data):
    count = 0
    for field, plane in fields(data, SPACE):
        if field != 1:
            continue
        for part, value in fields(plane, PLANE, once=(1, 2)):
            if part == 3:
                count += events_of_line(value)
            elif part in (4, 5):
                check(value, ENTRY, once=ENTRY)
    return {"records": count}


def events_of_line(line):
    """Without those that sum up others."""
    count = 0
    for field, event in fields(line, LINE, once=(1, 2, 3, 9, 10, 11)):
        if field != 4:
            continue
        parts = list(fields(event, EVENT, once=(1, 2, 3, 5)))
        if not parts:
            raise Complaint("an event of nothing")
        for number, value in parts:
            if number == 4:
                check(value, STAT, once=STAT)
        count += all(number != OCCURRENCES for number, _ in parts)
    return count


TRACE = {1: B}
PACKET = {2: B, 6: B, 8: N, 10: N, 11: B, 12: B, 13: N, 50: B, 58: N, 59: B, 60: B}
TRACK_EVENT = {3: N, 4: B, 9: N, 10: N, 11: N, 22: B, 23: B, 47: F, 48: F}
BEGIN, END, INSTANT = 1, 2, 3


def perfetto_events(data):
    """Slices and marks; every slice that begins must end."""
    open_slices = Counter()
    count = packets_of(data, open_slices)
    if any(open_slices.values()):
        raise Complaint("a slice that does not end")
    return {"records": count}


def packets_of(data, open_slices):
    count = 0
    for _, packet in fields(data, TRACE):
        found = dict(fields(packet, PACKET, once=PACKET))
        if 50 in found:
            try:
                count += packets_of(zlib.decompress(found[50]), open_slices)
            except zlib.error as error:
                raise Complaint(str(error)) from error
        if 11 in found:
            count += track_event(found[11], open_slices)
    return count


def track_event(event, open_slices):
    found = dict(fields(event, TRACK_EVENT, once=(9, 10, 11, 22, 23)))
    track, kind = found.get(11), found.get(9)
    if kind not in (BEGIN, END, INSTANT):
        raise Complaint("an event of no known type")
    if kind == END:
        open_slices[track] -= 1
        if open_slices[track] < 0:
            raise Complaint("an end without a begin")
    open_slices[track] += kind == BEGIN
    return kind != END


# --- in-kernel recordings -------------------------------------------------------------------------

LANES, RECORDS, REGIONS = 3, 5, 6
ITEM_BYTES = {1: 1, 2: 72, LANES: 88, 4: 24, RECORDS: 8, REGIONS: None}


def recorded(data):
    """Records that the lanes of a .lkp file have seen; all that are stored belong to one of them."""
    sections = lkp_sections(data)
    lanes, _ = sections.get(LANES, (b"", 0))
    if len(lanes) % ITEM_BYTES[LANES]:
        raise Complaint("half a lane")
    seen = stored = 0
    for at in range(0, len(lanes), ITEM_BYTES[LANES]):
        of_lane, kept = struct.unpack_from("<QQ", lanes, at + 48)
        seen += of_lane
        stored += kept
    if stored != sum(sections[kind][1] for kind in (RECORDS, REGIONS) if kind in sections):
        raise Complaint("records of no lane")
    return {"records": seen}


def lkp_sections(data):
    """Content and number of items, by kind."""
    if len(data) < 64 or data[:8] != b"LKP1\r\n\x1a\n":
        raise Complaint("no .lkp file")
    version, head, size, count = struct.unpack_from("<IIQI", data, 8)
    if version != 1 or head != 64 or size != len(data) or 64 + 24 * count > len(data):
        raise Complaint("a head that does not fit the file")
    found = {}
    for number in range(count):
        kind, item, at, items = struct.unpack_from("<IIQQ", data, 64 + 24 * number)
        if kind not in ITEM_BYTES or kind in found or ITEM_BYTES[kind] not in (None, item) or at + item * items > len(data):
            raise Complaint("a section that is none")
        found[kind] = data[at:at + item * items], items
    return found

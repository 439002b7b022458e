"""Ways in which disks, copies, editors and people damage files. All are functions of the bytes and of a random source."""

import re

PAGE = 4096


def span_of(data, random, most):
    """A stretch of the data that is not all of it."""
    size = random.randint(1, max(1, min(most, len(data) - 1)))
    begin = random.randint(0, max(0, len(data) - size))
    return begin, begin + size


def put(data, begin, new):
    return data[:begin] + new + data[begin + len(new):]


def zeroed_page(data, random):
    """A page of the file that never reached the disk."""
    page = PAGE if len(data) >= 2 * PAGE else 256
    begin = page * random.randrange((len(data) + page - 1) // page)
    return put(data, begin, bytes(min(page, len(data) - begin)))


def overwritten_bytes(data, random):
    begin, end = span_of(data, random, 16)
    return put(data, begin, random.randbytes(end - begin))


def flipped_bits(data, random):
    changed = bytearray(data)
    for _ in range(random.randint(1, 3)):
        changed[random.randrange(len(changed))] ^= 1 << random.randrange(8)
    return bytes(changed)


def garbage_block(data, random):
    begin, end = span_of(data, random, PAGE)
    return put(data, begin, random.randbytes(end - begin))


def high_garbage(data, random):
    """Bytes that mean nothing to any grammar of text, and no NUL among them."""
    begin, end = span_of(data, random, 1200)
    return put(data, begin, bytes(random.randrange(0x80, 0x100) for _ in range(end - begin)))


def printable_garbage(data, random):
    begin, end = span_of(data, random, 600)
    return put(data, begin, bytes(random.randrange(0x20, 0x7F) for _ in range(end - begin)))


def cut_off(data, random):
    return data[:random.randrange(1, len(data))]


def removed_block(data, random):
    begin, end = span_of(data, random, 2 * PAGE)
    return data[:begin] + data[end:]


def doubled_block(data, random):
    begin, end = span_of(data, random, 2 * PAGE)
    return data[:end] + data[begin:]


def swapped_blocks(data, random):
    size = random.randint(1, max(1, min(PAGE, len(data) // 3)))
    first = random.randint(0, max(0, len(data) - 2 * size))
    second = random.randint(first + size, max(first + size, len(data) - size))
    return put(put(data, first, data[second:second + size]), second, data[first:first + size])


def copied_block(data, random):
    """A block of the file lies in the place of another one, as a disk that wrote to the wrong address leaves it."""
    size = random.randint(1, max(1, min(PAGE, len(data) // 3)))
    source = random.randint(0, max(0, len(data) - size))
    return put(data, random.randint(0, max(0, len(data) - size)), data[source:source + size])


def blanked_block(data, random):
    begin, end = span_of(data, random, PAGE)
    return put(data, begin, b" " * (end - begin))


def removed_sector(data, random):
    """A page of the file that a copy left out."""
    page = PAGE if len(data) >= 2 * PAGE else 256
    begin = page * random.randrange((len(data) + page - 1) // page)
    return data[:begin] + data[begin + page:]


def nul_run(data, random):
    begin, end = span_of(data, random, 600)
    return put(data, begin, bytes(end - begin))


def one_of(data, random, wanted):
    """Where one of the bytes `wanted` stands; none where the data has none."""
    found = border_of(data, random, re.compile(b"[" + re.escape(wanted) + b"]"))
    return None if found is None else found.start()


def border_of(data, random, pattern):
    """The first match behind a random place, or from the front; none where there is none at all."""
    return pattern.search(data, random.randrange(len(data))) or pattern.search(data)


def overwritten_line_end(data, random):
    """A line end, or in files of one line a bracket, becomes another byte."""
    place = one_of(data, random, b"\n")
    if place is None:
        place = one_of(data, random, b"{}[]")
    return None if place is None else put(data, place, random.randbytes(1))


def added_quote(data, random):
    place = random.randrange(len(data))
    return data[:place] + b'"' + data[place + random.randint(0, 1):]


def quote_at_border(data, random):
    """A quote where one counts in a table: behind a comma or a line end."""
    place = one_of(data, random, b",\n")
    return None if place is None else data[:place + 1] + b'"' + data[place + 1:]


def lost_quote(data, random):
    place = one_of(data, random, b'"')
    if place is None:
        return None
    return data[:place] + random.choice((b"", b" ", b"x", b"\0")) + data[place + 1:]


def overwritten_mark(data, random):
    """One byte that holds a text format together becomes another."""
    place = one_of(data, random, b'{}[]:,"\\')
    return None if place is None else put(data, place, random.choice((b" ", b"0", b"}", b"{", b",", b'"', b"\\", b"\xFF")))


OTHER_BRACKET = {b"[": b"{", b"{": b"[", b"]": b"}", b"}": b"]"}
BRACKET = re.compile(rb"[][{}]")
# Where a list or one of its members begins or ends.
LIST_BORDER = re.compile(rb"(?<=[]}])\s*,|[]}](?=\s*[],}])|,(?=\s*[{\[])|\[(?=\s*\{)")
BETWEEN_MEMBERS = re.compile(rb"\}\s*,\s*\{")


def other_bracket(data, random):
    found = border_of(data, random, BRACKET)
    return None if found is None else put(data, found.start(), OTHER_BRACKET[found.group()])


def lost_border(data, random):
    """The mark itself is gone, or a blank stands in its place."""
    found = border_of(data, random, LIST_BORDER)
    if found is None:
        return None
    return data[:found.start()] + random.choice((b"", b" ")) + data[found.end():]


def doubled_border(data, random):
    found = border_of(data, random, LIST_BORDER)
    return None if found is None else data[:found.end()] + found.group() + data[found.end():]


def joined_members(data, random):
    """Two objects of a list become one, or one text without the comma."""
    found = border_of(data, random, BETWEEN_MEMBERS)
    if found is None:
        return None
    return data[:found.start()] + random.choice((b",", b"}{", b"} {", b"},", b",{", b"")) + data[found.end():]


MUTATORS = [zeroed_page, overwritten_bytes, flipped_bits, garbage_block, high_garbage, printable_garbage, cut_off,
            removed_block, doubled_block, swapped_blocks, nul_run, overwritten_line_end, added_quote, quote_at_border,
            lost_quote, overwritten_mark, other_bracket, lost_border, doubled_border, joined_members,
            copied_block, blanked_block, removed_sector]

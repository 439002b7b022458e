"""Fields of protobuf messages, as XSpace and Perfetto are made of them."""

import struct


def varint(value):
    value &= 2**64 - 1
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def number(field, value):
    return varint(field << 3) + varint(value)


def data(field, value):
    """Text, bytes or a message."""
    value = value.encode() if isinstance(value, str) else value
    return varint(field << 3 | 2) + varint(len(value)) + value


def fixed64(field, value):
    return varint(field << 3 | 1) + struct.pack("<Q", value)


def real(field, value):
    return varint(field << 3 | 1) + struct.pack("<d", value)

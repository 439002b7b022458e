"""Reads a cubin without CUDA's tools: the kernels in it, their code and the operations of that code.

A cubin is an ELF file; the code of a kernel is the section .text.NAME, 16 bytes an instruction from
sm_70 on. Bits [8:0] of an instruction name the operation, [11:9] the form of its operands.
"""

import collections
import struct

INSTRUCTION_BYTES = 16
NOBITS = 8  # section type of what takes no bytes in the file

# Bits [8:0] of what the tests look for. opcode_test.py compiles a kernel for each that must hold it.
OPERATIONS = {
    0x005: "CS2R",
    0x006: "VOTE",
    0x118: "NOP",
    0x11D: "BAR",
    0x141: "BSYNC",
    0x145: "BSSY",
    0x147: "BRA",
    0x148: "WARPSYNC",
    0x14D: "EXIT",
    0x181: "LDG",
    0x183: "LDL",
    0x184: "LDS",
    0x186: "STG",
    0x187: "STL",
    0x188: "STS",
    0x189: "SHFL",
    0x18C: "ATOMS",
    0x18F: "CCTL",
    0x192: "MEMBAR",
    0x1A1: "MATCH",
    0x1AB: "ERRBAR",
    0x1BA: "UBLKCP",
}
ALWAYS = 7  # bits [15:12]: predicate register PT, not negated
CLOCK = 0x50  # bits [79:72] of CS2R: the special register that it reads


class Instruction(collections.namedtuple("Instruction", "low high")):
    """One 16-byte instruction as two words."""

    @property
    def operation(self):
        number = self.low & 0x1FF
        return OPERATIONS.get(number, f"{number:#05x}")

    @property
    def is_predicated(self):
        return (self.low >> 12) & 0xF != ALWAYS

    @property
    def reads_clock(self):
        return self.operation == "CS2R" and (self.high >> 8) & 0xFF == CLOCK


class Code:
    """The code of one kernel."""

    def __init__(self, name, text):
        if len(text) % INSTRUCTION_BYTES:
            raise ValueError(f"{name}: {len(text)} bytes of code are no whole instructions")
        self.name = name
        self.text = text
        self.instructions = [Instruction(*pair) for pair in struct.iter_unpack("<QQ", text)]

    @property
    def operations(self):
        return collections.Counter(i.operation for i in self.instructions)

    @property
    def length(self):
        """Instructions up to the branch to itself that ends a kernel, without the padding."""
        length = len(self.instructions)
        while length and self.instructions[length - 1].operation == "NOP":
            length -= 1
        return length


def sections(data):
    """Name and bytes of every section of a 64-bit little-endian ELF file."""
    if data[:6] != b"\x7fELF\x02\x01":
        raise ValueError("not a 64-bit little-endian ELF file")
    table = struct.unpack_from("<Q", data, 0x28)[0]
    entry_bytes, count, names_index = struct.unpack_from("<HHH", data, 0x3A)
    headers = [struct.unpack_from("<IIQQQQ", data, table + i * entry_bytes) for i in range(count)]
    names = headers[names_index][4]
    for name_offset, kind, _, _, offset, size in headers:
        start = names + name_offset
        name = data[start:data.index(0, start)].decode()
        yield name, b"" if kind == NOBITS else data[offset:offset + size]


def kernels(data):
    """Code by the kernel's name, as the linker sees it."""
    prefix = ".text."
    return {name[len(prefix):]: Code(name[len(prefix):], text)
            for name, text in sections(data) if name.startswith(prefix)}

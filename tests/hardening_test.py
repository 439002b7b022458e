#!/usr/bin/env python3
"""Reads from the built files themselves that the release is hardened.

    hardening_test.py FILE...

Every file is an ELF of 64 bits: the program or a shared library. Nothing but Python is needed.
"""

import struct
import sys
import unittest
from pathlib import Path

FILES = []

ET_DYN = 3
PT_LOAD, PT_DYNAMIC, PT_INTERP = 1, 2, 3
PT_GNU_STACK, PT_GNU_RELRO = 0x6474E551, 0x6474E552
PF_X, PF_W = 1, 2
SHT_DYNSYM = 11
DT_STRTAB, DT_RPATH, DT_TEXTREL, DT_BIND_NOW, DT_FLAGS, DT_RUNPATH = 5, 15, 22, 24, 30, 29
DT_FLAGS_1 = 0x6FFFFFFB
DF_TEXTREL, DF_BIND_NOW = 4, 8
DF_1_NOW, DF_1_PIE = 1, 0x08000000


class Elf:
    """The headers, the dynamic section and the names of the symbols that a file asks others for."""

    def __init__(self, data):
        if data[:4] != b"\x7fELF" or data[4] != 2:
            raise ValueError("no ELF of 64 bits")
        self.data = data
        self.order = "<" if data[5] == 1 else ">"
        (self.type, _, _, _, program_at, section_at, _, _, program_size, program_count,
         section_size, section_count, _) = self.unpack("HHIQQQIHHHHHH", 16)
        # type, flags, offset, address, (physical address), size in the file, size in memory
        self.segments = [self.unpack("IIQQQQQ", program_at + i * program_size)
                         for i in range(program_count)]
        # name, type, flags, address, offset, size, link
        self.sections = [self.unpack("IIQQQQI", section_at + i * section_size)
                         for i in range(section_count)]
        self.dynamic = self._dynamic()

    def unpack(self, fields, offset):
        return struct.unpack_from(self.order + fields, self.data, offset)

    def of_type(self, kind):
        return [segment for segment in self.segments if segment[0] == kind]

    def _dynamic(self):
        entries = {}
        for _, _, offset, _, _, size, _ in self.of_type(PT_DYNAMIC):
            for at in range(offset, offset + size, 16):
                tag, value = self.unpack("qQ", at)
                if tag == 0:
                    break
                entries[tag] = value
        return entries

    def text_at(self, offset):
        return self.data[offset:self.data.index(b"\0", offset)].decode()

    def dynamic_text(self, tag):
        """The text that an entry of the dynamic section points at, '' without the entry."""
        if tag not in self.dynamic:
            return ""
        address = self.dynamic[DT_STRTAB]
        for _, _, offset, start, _, size, _ in self.of_type(PT_LOAD):
            if start <= address < start + size:
                return self.text_at(offset + address - start + self.dynamic[tag])
        raise ValueError("the names of the dynamic section are in no segment")

    def imports(self):
        names = set()
        for _, kind, _, _, offset, size, link in self.sections:
            if kind != SHT_DYNSYM:
                continue
            strings_at = self.sections[link][4]
            for at in range(offset, offset + size, 24):
                name, _, _, section = self.unpack("IBBH", at)
                if section == 0 and name:
                    names.add(self.text_at(strings_at + name))
        return names


class Hardening(unittest.TestCase):
    def setUp(self):
        self.assertTrue(FILES, "no file is named")
        self.elves = [(path.name, Elf(path.read_bytes())) for path in FILES]

    def test_is_loaded_at_any_address(self):
        for name, elf in self.elves:
            self.assertEqual(elf.type, ET_DYN, name)
            if elf.of_type(PT_INTERP):
                self.assertTrue(elf.dynamic.get(DT_FLAGS_1, 0) & DF_1_PIE, name)

    def test_what_the_loader_resolved_is_read_only(self):
        for name, elf in self.elves:
            self.assertTrue(elf.of_type(PT_GNU_RELRO), name)
            self.assertTrue(elf.dynamic.get(DT_FLAGS, 0) & DF_BIND_NOW
                            or elf.dynamic.get(DT_FLAGS_1, 0) & DF_1_NOW
                            or DT_BIND_NOW in elf.dynamic, name)

    def test_the_stack_is_not_executable(self):
        for name, elf in self.elves:
            stacks = elf.of_type(PT_GNU_STACK)
            self.assertEqual(len(stacks), 1, name)
            self.assertFalse(stacks[0][1] & PF_X, name)

    def test_nothing_is_both_writable_and_executable(self):
        for name, elf in self.elves:
            self.assertTrue(elf.of_type(PT_LOAD), name)
            for segment in elf.of_type(PT_LOAD):
                self.assertNotEqual(segment[1] & (PF_W | PF_X), PF_W | PF_X, name)

    def test_code_is_not_relocated(self):
        for name, elf in self.elves:
            self.assertNotIn(DT_TEXTREL, elf.dynamic, name)
            self.assertFalse(elf.dynamic.get(DT_FLAGS, 0) & DF_TEXTREL, name)

    def test_stack_and_copies_are_checked(self):
        for name, elf in self.elves:
            imports = elf.imports()
            self.assertTrue("__stack_chk_fail" in imports, f"{name}: no stack is checked")
            fortified = [one for one in imports if one.startswith("__") and one.endswith("_chk")]
            self.assertTrue(fortified, f"{name}: no fortified function is called")

    def test_libraries_are_looked_for_beside_the_file_only(self):
        for name, elf in self.elves:
            self.assertNotIn(DT_RPATH, elf.dynamic, name)
            for folder in filter(None, elf.dynamic_text(DT_RUNPATH).split(":")):
                self.assertRegex(folder, r"^\$ORIGIN(/|$)", name)


if __name__ == "__main__":
    FILES = [Path(name) for name in sys.argv[1:]]
    unittest.main(argv=sys.argv[:1])

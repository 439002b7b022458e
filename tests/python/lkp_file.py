"""A small reader of .lkp files for tests: sections by kind, as docs/formats/lkp.md has them."""

import json
import struct

META, LAUNCH, LANE, ANCHOR, RECORD, REGION = range(1, 7)


class LkpFile:
    def __init__(self, path):
        with open(path, "rb") as file:
            data = file.read()
        assert data[:8] == b"LKP1\r\n\x1a\n", data[:8]
        version, header_bytes, file_bytes, sections = struct.unpack_from("<IIQI", data, 8)
        assert version == 1 and file_bytes == len(data)
        self.sections = {}
        for i in range(sections):
            kind, item, offset, items = struct.unpack_from("<IIQQ", data, header_bytes + 24 * i)
            assert offset % 64 == 0
            self.sections[kind] = [data[offset + item * k:offset + item * (k + 1)]
                                   for k in range(items)]
        self.meta = json.loads(b"".join(self.sections[META]))

    def launches(self):
        """(id, channel, number, kernel, groups, blocks)"""
        found = []
        for item in self.sections.get(LAUNCH, []):
            id_, channel, number, kernel, groups, x, y, z = struct.unpack_from("<IIQIIIII", item)
            found.append((id_, channel, number, kernel, groups, x * y * z))
        return found

    def lanes(self):
        """(launch, block, group, written)"""
        found = []
        for item in self.sections.get(LANE, []):
            launch, _, block, group = struct.unpack_from("<IIQI", item)
            written, = struct.unpack_from("<Q", item, 56)
            found.append((launch, block, group, written))
        return found

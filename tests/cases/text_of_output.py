"""What a command wrote, as text that can be compared line by line."""

import gzip
import re
import subprocess
import zipfile
from xml.etree import ElementTree

SHEETS = {"main": "http://schemas.openxmlformats.org/spreadsheetml/2006/main"}
TRACES = (".pftrace", ".perfetto-trace", ".perfetto", ".pb")


class NoText(Exception):
    """An output that nothing here can show."""


def text_of(path, lockstep):
    """The suffix that tells how it is shown, and the text."""
    name = path.name.removesuffix(".zst")
    if name.removesuffix(".gz").endswith(TRACES) or name != path.name:
        return ".json", as_chrome_json(path, lockstep)
    if name.endswith(".xlsx"):
        return ".txt", cells_of(path)
    data = gzip.decompress(path.read_bytes()) if name.endswith(".gz") else path.read_bytes()
    try:
        return ".txt" if name.endswith(".gz") else "", data.decode("utf-8")
    except UnicodeDecodeError:
        raise NoText("which is binary; teach tests/cases/text_of_output.py to show it") from None


def as_chrome_json(path, lockstep):
    done = subprocess.run([lockstep, "convert", path.name, "--to", "chrome", "-o", "-"], cwd=path.parent,
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise NoText(f"which lockstep cannot read: {done.stderr.strip()}")
    return done.stdout


def cells_of(path):
    """Every cell of a workbook: its sheet, its place, its value."""
    lines = []
    with zipfile.ZipFile(path) as book:
        def root(name):
            return ElementTree.fromstring(book.read(name))

        strings = ["".join(item.itertext()) for item in root("xl/sharedStrings.xml").findall("main:si", SHEETS)]
        sheets = root("xl/workbook.xml").findall("main:sheets/main:sheet", SHEETS)
        for number, sheet in enumerate(sheets, 1):
            lines.append(f"sheet {sheet.get('name')}")
            for cell in root(f"xl/worksheets/sheet{number}.xml").iterfind(".//main:c", SHEETS):
                value = cell.findtext("main:v", "", SHEETS)
                lines.append(f"{cell.get('r')} {strings[int(value)] if cell.get('t') == 's' else value}")
    return re.sub("[ \t]+$", "", "\n".join(lines), flags=re.MULTILINE) + "\n"

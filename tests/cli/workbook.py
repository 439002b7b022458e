"""Opens a workbook as other programs do: its sheets by name, each a list of rows of texts and numbers."""

import re
import zipfile
from xml.etree import ElementTree

MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"


def column_of(place):
    """Of "AB12", counted from 0."""
    number = 0
    for letter in re.match("[A-Z]+", place)[0]:
        number = number * 26 + ord(letter) - ord("A") + 1
    return number - 1


def value_of(cell, strings):
    value = cell.find(MAIN + "v")
    if value is None:
        return None
    assert cell.find(MAIN + "f") is None, "a formula"
    return strings[int(value.text)] if cell.get("t") == "s" else float(value.text)


def sheets(path):
    with zipfile.ZipFile(path) as book:
        assert book.testzip() is None
        texts = ElementTree.fromstring(book.read("xl/sharedStrings.xml"))
        strings = ["".join(entry.itertext()) for entry in texts.iter(MAIN + "si")]
        names = [sheet.get("name") for sheet in ElementTree.fromstring(book.read("xl/workbook.xml")).iter(MAIN + "sheet")]
        found = {}
        for number, name in enumerate(names, 1):
            rows = found.setdefault(name, [])
            for row in ElementTree.fromstring(book.read(f"xl/worksheets/sheet{number}.xml")).iter(MAIN + "row"):
                cells = {column_of(cell.get("r")): value_of(cell, strings) for cell in row.iter(MAIN + "c")}
                rows.append([cells.get(i) for i in range(max(cells, default=-1) + 1)])
        return found


def table(rows):
    """Rows below the titles, as dictionaries."""
    return [dict(zip(rows[0], row + [None] * len(rows[0]))) for row in rows[1:]]

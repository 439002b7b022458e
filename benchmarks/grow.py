"""Makes large files of every format out of the small ones that tests/workload writes: rows are
repeated with later times and new ids until the file is as large as wanted."""

import re
import sqlite3
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "workload"))

from workload import scripted  # noqa: E402


def grow_database(path, tables, target_bytes):
    """Doubles the rows of `tables` until the file has `target_bytes`.

    `tables` gives for each table the columns that count time and those that are ids: {name: (times,
    ids)}. Both grow by more than their range, so that a copy comes later and joins only itself.
    """
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode = OFF")
    connection.execute("PRAGMA synchronous = OFF")
    time_step = id_step = 1
    for table, (times, ids) in tables.items():
        for column in times:
            low, high = connection.execute(f'SELECT min("{column}" + 0), max("{column}" + 0) FROM "{table}"').fetchone()
            time_step = max(time_step, (high or 0) - (low or 0) + 1000)
        for column in ids:
            id_step = max(id_step, (connection.execute(f'SELECT max("{column}") FROM "{table}"').fetchone()[0] or 0) + 1)
    while Path(path).stat().st_size < target_bytes:
        for table, (times, ids) in tables.items():
            columns = [row[1] for row in connection.execute(f'PRAGMA table_info("{table}")')]
            values = [f'"{c}" + {time_step}' if c in times else f'"{c}" + {id_step}' if c in ids else f'"{c}"'
                      for c in columns]
            connection.execute(f'INSERT INTO "{table}" SELECT {", ".join(values)} FROM "{table}"')
        connection.commit()
        time_step *= 2
        id_step *= 2
    connection.close()


def tables_named(path, pattern, times, ids):
    """A table whose name ends in something of its own, such as a GUID."""
    connection = sqlite3.connect(path)
    names = [row[0] for row in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
    connection.close()
    return {name: (times, ids) for name in names if re.fullmatch(pattern, name)}


def grow_csv(path, time_column, target_bytes):
    """Repeats the rows of a CSV with later times; the column holds decimal microseconds."""
    header, *rows = Path(path).read_text().splitlines()
    index = header.split(",").index(time_column)
    cells = [split_row(row) for row in rows]
    starts = [int(cell[index].strip().replace(".", "")) for cell in cells]
    step = max(starts) - min(starts) + 1_000_000
    with open(path, "w", encoding="utf-8", newline="") as out:
        out.write(header + "\n")
        turn = 0
        while out.tell() < target_bytes:
            block = []
            for cell, start in zip(cells, starts):
                ns = start + turn * step
                block.append(",".join(cell[:index] + [f"{ns // 1000}.{ns % 1000:03d}\t"] + cell[index + 1:]))
            out.write("\n".join(block) + "\n")
            turn += 1
    return turn * len(cells)


def split_row(row):
    """The cells of a row with their quotes."""
    return re.findall(r'(?:^|,)((?:"(?:[^"]|"")*"|[^,]*))', row)


def small_workload():
    return scripted(devices=2, steps=8, layers=16)

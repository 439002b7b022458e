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

    `tables` gives for each table the columns that count time, and those that are ids with the family
    that an id belongs to: {name: (times, {column: family})}. Times and ids grow by their range, so
    that a copy comes later and joins only itself, and ids stay as dense as they were.
    """
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode = OFF")
    connection.execute("PRAGMA synchronous = OFF")

    def bounds(table, column):
        low, high = connection.execute(f'SELECT min("{column}" + 0), max("{column}" + 0) FROM "{table}"').fetchone()
        return low or 0, high or 0

    time_step = max(high - low + 1000 for table, (times, _) in tables.items() for low, high in
                    (bounds(table, column) for column in times))
    id_steps = {}
    for table, (_, ids) in tables.items():
        for column, family in ids.items():
            id_steps[family] = max(id_steps.get(family, 1), bounds(table, column)[1] + 1)
    while Path(path).stat().st_size < target_bytes:
        for table, (times, ids) in tables.items():
            columns = [row[1] for row in connection.execute(f'PRAGMA table_info("{table}")')]
            values = [f'"{c}" + {time_step}' if c in times else
                      f'"{c}" + {id_steps[ids[c]]}' if c in ids else f'"{c}"' for c in columns]
            connection.execute(f'INSERT INTO "{table}" SELECT {", ".join(values)} FROM "{table}"')
        connection.commit()
        time_step *= 2
        id_steps = {family: 2 * step for family, step in id_steps.items()}
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
    """Kernels and the calls that launched them, one each."""
    work = scripted(devices=2, steps=8, layers=16)
    work.device_events = work.of_kind("kernel")
    launched = {e.correlation for e in work.device_events}
    work.host_events = [e for e in work.host_of_kind("runtime_call") if e.correlation in launched]
    return work

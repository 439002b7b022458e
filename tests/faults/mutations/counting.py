"""Counts the records of a file with the readers of Python, slowly and strictly. Shares nothing with lockstep.

Each function returns how many records the bytes hold, or raises Complaint: a reader that takes its format at its word
finds something wrong. What it counts need not be what lockstep counts; differences between a file and its mutant are compared.
"""

import csv
import gzip
import io
import json
import sqlite3
import tempfile
import zlib
from decimal import Decimal, InvalidOperation
from pathlib import Path


class Complaint(Exception):
    pass


def text_of(data):
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Complaint(str(error)) from error
    if any(c < " " and c not in "\t\r\n" for c in text):
        raise Complaint("control characters")
    return text


# --- tables ---------------------------------------------------------------------------------------

START_COLUMNS = ("Start Time(us)", "Task Start Time(us)", "task_start(us)")


def table_rows(data):
    """Rows of kernel_details.csv, op_summary and task_time that have a time."""
    try:
        rows = list(csv.reader(io.StringIO(text_of(data), newline=""), strict=True))
    except csv.Error as error:
        raise Complaint(str(error)) from error
    if not rows:
        raise Complaint("empty")
    header = [cell.strip() for cell in rows[0]]
    start = next((header.index(name) for name in START_COLUMNS if name in header), None)
    if start is None:
        raise Complaint("no column of times")
    count = 0
    for row in rows[1:]:
        if not row:
            continue
        if len(row) != len(header):
            raise Complaint("a row of another width")
        if any("\n" in cell for cell in row):
            raise Complaint("a cell over lines")
        try:
            Decimal(row[start].strip())
        except InvalidOperation as error:
            raise Complaint("a row without a time") from error
        count += 1
    return count


# --- JSON -----------------------------------------------------------------------------------------

def no_constant(word):
    raise Complaint(word)


def json_of(data):
    try:
        return json.loads(text_of(data), parse_constant=no_constant, parse_float=Decimal)
    except (ValueError, RecursionError) as error:
        raise Complaint(str(error)) from error


def is_list_of_events(value):
    return isinstance(value, list) and any(isinstance(item, dict) and "ph" in item for item in value[:3])


NO_RECORDS = {"M", "s", "t", "f", "E", "e", "F"}  # names, arrows, the ends of what a B began


def trace_events(data):
    root = json_of(data)
    lists = [root] if isinstance(root, list) else \
        [value for key, value in root.items() if key == "traceEvents" or is_list_of_events(value)] \
        if isinstance(root, dict) else []
    count = 0
    for event in (event for events in lists if isinstance(events, list) for event in events):
        if not isinstance(event, dict):
            raise Complaint("an event that is no object")
        phase = event.get("ph")
        if not event or phase in NO_RECORDS:
            continue
        if not isinstance(phase, str) or "ts" not in event:
            raise Complaint("an event without phase or time")
        count += 1
    return count


def rocprofv3_records(data):
    root = json_of(data)
    count = 0
    try:
        for process in root["rocprofiler-sdk-tool"]:
            records = process["buffer_records"]
            count += sum(len(value) for key, value in records.items() if isinstance(value, list) and key != "names")
    except (KeyError, TypeError, AttributeError) as error:
        raise Complaint(f"no records: {error}") from error
    return count


def communication_operations(data):
    root = json_of(data)
    count = 0
    try:
        for step in root.values():
            for sort in step.values():
                count += sum(not name.startswith("Total Op Info") for name in sort)
    except (TypeError, AttributeError) as error:
        raise Complaint(str(error)) from error
    return count


# --- databases ------------------------------------------------------------------------------------

def database_rows(data):
    """Rows of all tables of a database that passes SQLite's own checks."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "database"
        path.write_bytes(data)
        try:
            connection = sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)
            connection.text_factory = bytes
            try:
                return rows_of(connection)
            finally:
                connection.close()
        except (sqlite3.Error, ValueError, OverflowError) as error:
            raise Complaint(str(error)) from error


def rows_of(connection):
    if connection.execute("PRAGMA integrity_check(1)").fetchone() != (b"ok",):
        raise Complaint("the integrity check fails")
    count = 0
    tables = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall()
    for (name,) in tables:
        quoted = name.decode("utf-8").replace('"', '""')
        count += sum(1 for _ in connection.execute(f'SELECT * FROM "{quoted}"'))
    return count


def inflated(data):
    try:
        return gzip.decompress(data)
    except (OSError, EOFError, zlib.error) as error:
        raise Complaint(str(error)) from error

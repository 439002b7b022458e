"""Counts the records of a file with the readers of Python, slowly and strictly. Shares nothing with lockstep.

Each function returns how many records the bytes hold, and of some formats how many arrows between records and how many
counters, or raises Complaint: a reader that takes its format at its word finds something wrong. Of databases all rows are
counted, of other files what lockstep should find; differences between a file and its mutant are compared.
"""

import csv
import gzip
import io
import json
import re
import sqlite3
import tempfile
import zlib
from decimal import Decimal, InvalidOperation
from pathlib import Path

from arrows import arrows


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
    return {"records": count}


# --- JSON -----------------------------------------------------------------------------------------

def no_constant(word):
    raise Complaint(word)


def whole(pairs):
    """An object. Where a key of an event is there twice, two events may have become one; metadata may repeat itself."""
    made = dict(pairs)
    if len(made) < len(pairs) and ("ph" in made or "correlation_id" in made or "traceEvents" in made):
        raise Complaint("a key is there twice")
    return made


def json_of(data):
    try:
        return json.loads(text_of(data), parse_constant=no_constant, parse_float=Decimal, object_pairs_hook=whole)
    except (ValueError, RecursionError) as error:
        raise Complaint(str(error)) from error


def is_list_of_events(value):
    return isinstance(value, list) and any(isinstance(item, dict) and "ph" in item for item in value[:3])


# Names, arrows, the ends of what a B began, and what Chrome keeps beside its events: objects, samples, memory, clocks.
NO_RECORDS = {"M", "s", "t", "f", "E", "e", "F", "N", "O", "D", "P", "V", "v", "c", "(", ")", "=", ","}
# Of those, what no duration ever belongs to: with one it was a span before its phase was damaged.
TIMELESS = {"M", "N", "O", "D", "P", "V", "v", "c", "(", ")", "=", ","}


def is_record(event):
    phase = event["ph"]
    return phase not in NO_RECORDS or (phase in TIMELESS and "ts" in event and "dur" in event)


def trace_events(data):
    root = json_of(data)
    lists = [root] if isinstance(root, list) else \
        [value for key, value in root.items() if key == "traceEvents" or is_list_of_events(value)] \
        if isinstance(root, dict) else []
    events = [event for events in lists if isinstance(events, list) for event in events]
    if not all(isinstance(event, dict) for event in events):
        raise Complaint("an event that is no object")
    if not all(isinstance(event.get("ph"), str) for event in events if event):
        raise Complaint("an event without phase")
    records = [event for event in events if event and is_record(event)]
    if not all("ts" in event for event in records):
        raise Complaint("an event without time")
    return {"records": len(records), "arrows": arrows(events), "counters": sum(event["ph"] == "C" for event in records)}


def rocprof_v1_events(data):
    """Without arrows: what they lead to is told by names of processes and by times among the arguments."""
    found = trace_events(data)
    del found["arrows"]
    return found


def rocprofv3_records(data):
    """A launch is work that has the correlation of a call whose kind the file names."""
    root = json_of(data)
    count = launches = 0
    try:
        for process in root["rocprofiler-sdk-tool"]:
            records = process["buffer_records"]
            count += sum(len(value) for key, value in records.items() if isinstance(value, list) and key != "names")
            kinds = process.get("strings", {}).get("buffer_records", [])
            named = {number for number, kind in enumerate(kinds) if kind.get("kind", "").startswith(("HIP_", "HSA_"))}
            calls = {correlation_of(call) for call in records.get("hip_api", []) + records.get("hsa_api", [])
                     if call.get("kind") in named} - {None}
            launches += sum(correlation_of(work) in calls
                            for work in records.get("kernel_dispatch", []) + records.get("memory_copy", []))
    except (KeyError, TypeError, AttributeError) as error:
        raise Complaint(f"no records: {error}") from error
    return {"records": count, "arrows": launches}


def correlation_of(record):
    return record.get("correlation_id", {}).get("internal")


def communication_operations(data):
    root = json_of(data)
    count = 0
    try:
        for step in root.values():
            for sort in step.values():
                count += sum(not name.startswith("Total Op Info") for name in sort)
    except (TypeError, AttributeError) as error:
        raise Complaint(str(error)) from error
    return {"records": count}


# --- databases ------------------------------------------------------------------------------------

def database_rows(data):
    """Rows of all tables of a database that passes SQLite's own checks, but for values: one that was overwritten may
    differ from its index or its neighbours, and no row is gone."""
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


IS_OF_VALUES = re.compile(rb" index |^\*\*\* in database main \*\*\*\n[^\n]*: Rowid \d+ out of order$")


def rows_of(connection):
    said = [line for (line,) in connection.execute("PRAGMA integrity_check")]
    if any(line != b"ok" and not IS_OF_VALUES.search(line) for line in said):
        raise Complaint("the integrity check fails")
    count = 0
    tables = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall()
    for (name,) in tables:
        quoted = name.decode("utf-8").replace('"', '""')
        count += sum(1 for _ in connection.execute(f'SELECT * FROM "{quoted}"'))
    return {"records": count}


def inflated(data):
    try:
        return gzip.decompress(data)
    except (OSError, EOFError, zlib.error) as error:
        raise Complaint(str(error)) from error

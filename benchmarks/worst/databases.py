"""Profilers that write SQLite: many tables, columns and texts."""

import sqlite3
import sys
from pathlib import Path

from .shape import shape

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "workload"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import grow  # noqa: E402

NSYS = "Nsight Systems SQLite"


def opened(path):
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode = OFF")
    connection.execute("PRAGMA synchronous = OFF")
    return connection


def nsys(folder):
    import write_nsys
    path = write_nsys.write(grow.small_workload(), folder)
    return path, opened(path)


def closed(path, connection):
    connection.commit()
    connection.close()
    return path


# SQLite's own time is quadratic in them; up to the 16,384 that are read it stays below half a second.
@shape("more tables than are read", NSYS, 20_000, code=3)
def tables(n, folder):
    path, connection = nsys(folder)
    connection.execute("PRAGMA writable_schema = 1")
    connection.executemany("INSERT INTO sqlite_master VALUES ('view', ?, ?, 0, ?)",
                           ((f"v{i}", f"v{i}", f"CREATE VIEW v{i} AS SELECT 1") for i in range(n)))
    return closed(path, connection)


@shape("columns of a table", NSYS, 200)
def columns(n, folder):
    path, connection = nsys(folder)
    for i in range(n):
        names = ", ".join(f"c{c}" for c in range(1500))
        connection.execute(f"CREATE TABLE wide_{i} ({names})")
    return closed(path, connection)


@shape("strings", NSYS, 100_000)
def strings(n, folder):
    path, connection = nsys(folder)
    connection.executemany("INSERT INTO StringIds VALUES (?, ?)", ((10**6 + i, f"name {i}") for i in range(n)))
    return closed(path, connection)


@shape("strings of one id", NSYS, 100_000)
def same_string(n, folder):
    path, connection = nsys(folder)
    connection.executemany("INSERT INTO StringIds VALUES (?, ?)", ((10**6, f"name {i}") for i in range(n)))
    connection.execute("UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET demangledName = 1000000")
    return closed(path, connection)


@shape("texts of 1 MB", NSYS, 20)
def long_texts(n, folder):
    path, connection = nsys(folder)
    connection.executemany("INSERT INTO StringIds VALUES (?, ?)", ((10**6 + i, f"{i}" + "x" * 10**6) for i in range(n)))
    connection.execute("UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET demangledName = 1000000 + rowid % ?", (n,))
    return closed(path, connection)


@shape("kernels of one id", NSYS, 20_000)
def same_correlation(n, folder):
    path, connection = nsys(folder)
    insert = ("INSERT INTO CUPTI_ACTIVITY_KIND_{} (start, [end], {}, correlationId) "
              "VALUES (?, ?, ?, 1)")
    connection.executemany(insert.format("KERNEL", "streamId"), ((i * 10, i * 10 + 8, i % 7) for i in range(n)))
    connection.executemany(insert.format("RUNTIME", "globalTid"), ((i * 10, i * 10 + 8, 1 << 25) for i in range(n)))
    return closed(path, connection)


@shape("streams of one kernel", NSYS, 20_000)
def streams(n, folder):
    path, connection = nsys(folder)
    connection.executemany("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, [end], deviceId, streamId, correlationId) "
                           "VALUES (?, ?, 0, ?, ?)", ((i * 10, i * 10 + 8, i, i) for i in range(n)))
    return closed(path, connection)


@shape("devices of one kernel", NSYS, 20_000)
def devices(n, folder):
    path, connection = nsys(folder)
    connection.executemany("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, [end], deviceId, streamId, correlationId) "
                           "VALUES (?, ?, ?, 7, ?)", ((i * 10, i * 10 + 8, i, i) for i in range(n)))
    return closed(path, connection)


@shape("ranges that never end", NSYS, 20_000)
def open_ranges(n, folder):
    path, connection = nsys(folder)
    connection.executemany("INSERT INTO NVTX_EVENTS (start, eventType, rangeId, text, globalTid) VALUES (?, 59, ?, ?, 1)",
                           ((i * 10, i, f"range {i}") for i in range(n)))
    return closed(path, connection)


def repeated(folder, write, tables, n):
    path = write(grow.small_workload(), folder)
    grow.grow_database(path, tables(path), n)
    return path


@shape("rows of dispatches", "rocpd", 8_000_000)
def rocpd(n, folder):
    import write_rocpd

    def tables(path):
        found = {}
        for table, times, ids in [
                ("rocpd_kernel_dispatch", ("start", "end"),
                 {"id": "dispatch", "dispatch_id": "dispatch", "event_id": "event"}),
                ("rocpd_event", (), {"id": "event", "stack_id": "stack", "parent_stack_id": "stack",
                                     "correlation_id": "stack"})]:
            found |= grow.tables_named(path, table + ".*", times, ids)
        return found
    return repeated(folder, write_rocpd.write, tables, n)


@shape("agents and processes of one kernel", "rocpd", 20_000, gated=True)
def rocpd_agents(n, folder):
    import write_rocpd
    path = write_rocpd.write(grow.small_workload(), folder)
    connection = opened(path)
    suffix = "_" + write_rocpd.GUID.replace("-", "_")
    first = 10**6
    insert = f'INSERT INTO "{{}}{suffix}" ({{}}) VALUES ({{}})'
    connection.executemany(insert.format("rocpd_info_agent", "id, type, absolute_index, name", "?, 'GPU', ?, 'x'"),
                           ((first + i, first + i) for i in range(n)))
    connection.executemany(insert.format("rocpd_info_process", "id, ppid, pid, command, environment",
                                         "?, 1, ?, 'x', '{}'"), ((first + i, first + i) for i in range(n)))
    connection.executemany(
        insert.format("rocpd_kernel_dispatch", 'pid, agent_id, kernel_id, stream_id, start, "end"', "?, ?, 1, 1, ?, ?"),
        ((first + i, first + i, write_rocpd.BOOT_NS + i, write_rocpd.BOOT_NS + i + 1) for i in range(n)))
    return closed(path, connection)


# Of the 16,384 tables that are read.
@shape("sessions of one table", "rocpd", 4_000, gated=True)
def rocpd_sessions(n, folder):
    import write_rocpd
    path = write_rocpd.write(grow.small_workload(), folder)
    connection = opened(path)
    for i in range(n):
        connection.execute(f"CREATE TABLE rocpd_region_{i} (id)")
    return closed(path, connection)


@shape("rows of operations", "RPD", 8_000_000)
def rpd(n, folder):
    import write_rpd
    return repeated(folder, write_rpd.write, lambda _: {
        "rocpd_op": (("start", "end"), {"id": "op"}), "rocpd_api": (("start", "end"), {"id": "api"}),
        "rocpd_api_ops": ((), {"id": "join", "api_id": "api", "op_id": "op"})}, n)


@shape("operations of one call", "RPD", 20_000)
def rpd_one_call(n, folder):
    import write_rpd
    path = write_rpd.write(grow.small_workload(), folder)
    connection = opened(path)
    connection.executemany("INSERT INTO rocpd_api_ops (api_id, op_id) VALUES (1, ?)", ((i,) for i in range(n)))
    return closed(path, connection)


@shape("rows of tasks", "Ascend SQLite", 8_000_000)
def ascend_db(n, folder):
    import write_ascend_db
    return repeated(folder, write_ascend_db.write, lambda _: {
        "TASK": (("startNs", "endNs"), {"connectionId": "call", "globalTaskId": "task"}),
        "COMPUTE_TASK_INFO": ((), {"globalTaskId": "task"})}, n)


@shape("names of one task", "Ascend SQLite", 100_000)
def ascend_same_task(n, folder):
    import write_ascend_db
    path = write_ascend_db.write(grow.small_workload(), folder)
    connection = opened(path)
    connection.executemany("INSERT INTO COMPUTE_TASK_INFO (name, globalTaskId) VALUES (1, ?)",
                           ((1,) for _ in range(n)))
    return closed(path, connection)

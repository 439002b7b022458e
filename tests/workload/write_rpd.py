"""Writes a workload as rocmProfileData (RPD) does.

    write_rpd.py PATH KERNELS

as a program writes a large database: that many launches and kernels, and nothing else.
"""

import gzip
import sqlite3
import sys

from workload import PS_PER_NS

FORMAT = "rpd"
CARRIES = {
    "kernels", "collectives", "copies", "sets", "devices", "streams", "calls", "annotations", "steps", "launches",
    "process", "grid", "bytes",
}
VARIANTS = {
    "work inside graph launches": {"tasks": True},
    "compressed": {"compressed": True},
    "grids in work-items": {"launch": "hipExtModuleLaunchKernel"},
}

BOOT_NS = 8_380_679_962_280_341  # what the node's clock showed when the workload began
# Columns in the order of the real tables.
TABLES = {
    "rocpd_kernelcodeobject": ["id", "vgpr", "sgpr", "fbar"],
    "rocpd_string": ["id", "string"],
    "rocpd_barrierop": ["op_ptr_id", "signalCount", "aquireFence", "releaseFence"],
    "rocpd_copyapi": ["api_ptr_id", "stream", "size", "width", "height", "kind", "dst", "src", "dstDevice",
                      "srcDevice", "sync", "pinned"],
    "rocpd_op_inputSignals": ["id", "from_op_id", "to_op_id"],
    "rocpd_op": ["id", "gpuId", "queueId", "sequenceId", "completionSignal", "start", "end", "description_id",
                 "opType_id"],
    "rocpd_api": ["id", "pid", "tid", "start", "end", "apiName_id", "args_id"],
    "rocpd_api_ops": ["id", "api_id", "op_id"],
    "rocpd_kernelapi": ["api_ptr_id", "stream", "gridX", "gridY", "gridZ", "workgroupX", "workgroupY", "workgroupZ",
                        "groupSegmentSize", "privateSegmentSize", "kernelArgAddress", "aquireFence", "releaseFence",
                        "codeObject_id", "kernelName_id"],
    "rocpd_metadata": ["id", "tag", "value"],
    "rocpd_monitor": ["id", "deviceType", "deviceId", "monitorType", "start", "end", "value"],
}


class Database:
    def __init__(self, path):
        self.connection = sqlite3.connect(path)
        self.strings, self.counts = {}, {}
        for table, columns in TABLES.items():
            rest = ", ".join(f'"{c}"' for c in columns[1:])
            self.connection.execute(f'CREATE TABLE "{table}" ("{columns[0]}" integer NOT NULL PRIMARY KEY, {rest})')
        self.add("rocpd_metadata", tag="schema_version", value="2")
        self.string("")

    def add(self, table, **row):
        first = TABLES[table][0]
        self.counts[table] = row.setdefault(first, self.counts.get(table, 0) + 1)
        columns = [c for c in TABLES[table] if c in row]
        names = ", ".join(f'"{c}"' for c in columns)
        self.connection.execute(f'INSERT INTO "{table}" ({names}) VALUES ({", ".join("?" * len(columns))})',
                                [row[c] for c in columns])
        return row[first]

    def string(self, text):
        if text not in self.strings:
            self.strings[text] = self.add("rocpd_string", string=text)
        return self.strings[text]

    def close(self):
        self.connection.commit()
        self.connection.close()


def times(event):
    return {"start": BOOT_NS + event.start_ps // PS_PER_NS, "end": BOOT_NS + event.end_ps // PS_PER_NS}


def operation(event, tasks):
    """Type and description."""
    if event.kind == "memcpy":
        return ("CopyHostToDevice" if "HtoD" in event.name else "CopyDeviceToHost"), ""
    if event.kind == "memset":
        return "FillBuffer", ""
    return ("Task" if tasks else "KernelExecution"), event.name


def add_launch_facts(database, event, api, counts_items):
    if event.kind == "memcpy":
        database.add("rocpd_copyapi", api_ptr_id=api, stream="0x0", size=event.bytes, kind=1)
    elif event.kind != "memset":
        grid = [g * b for g, b in zip(event.grid, event.block)] if counts_items else event.grid
        database.add("rocpd_kernelapi", api_ptr_id=api, stream="0x0", gridX=grid[0], gridY=grid[1], gridZ=grid[2],
                     workgroupX=event.block[0], workgroupY=event.block[1], workgroupZ=event.block[2],
                     groupSegmentSize=0, privateSegmentSize=0, kernelName_id=database.string(event.name))


def write(work, folder, tasks=False, compressed=False, launch="hipLaunchKernel"):
    path = folder / "trace.rpd"
    database = Database(path)
    apis = {}
    for event in work.host_events:
        if event.kind == "host_op":  # operators of the framework are not recorded
            continue
        is_marker = event.kind == "annotation"
        api = database.add("rocpd_api", pid=work.pid, tid=event.thread, **times(event),
                           apiName_id=database.string("UserMarker" if is_marker else launch),
                           args_id=database.string(event.name if is_marker else ""))
        if event.correlation is not None:
            apis[event.correlation] = api
    for event in work.device_events:
        kind, description = operation(event, tasks)
        op = database.add("rocpd_op", gpuId=event.device, queueId=event.stream, sequenceId=0, completionSignal="",
                          description_id=database.string(description), opType_id=database.string(kind),
                          **times(event))
        api = apis[event.correlation]
        database.add("rocpd_api_ops", api_id=api, op_id=op)
        add_launch_facts(database, event, api, launch == "hipExtModuleLaunchKernel")
    database.add("rocpd_monitor", deviceType="gpu", deviceId=0, monitorType="sclk", start=BOOT_NS, end=BOOT_NS + 9,
                 value="1700")
    database.close()
    if not compressed:
        return path
    packed = folder / "trace.rpd.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    return packed


def check_against_corpus(corpus):
    """Fails where a table of a real database has other columns than ours, or in another order."""
    real = sqlite3.connect(f"file:{corpus}/rocm/rpd_matmul_large.rpd?immutable=1", uri=True)
    names = [row[0] for row in real.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    found = {name: [row[1] for row in real.execute(f'PRAGMA table_info("{name}")')] for name in names
             if not name.startswith("sqlite_")}
    real.close()
    assert found == TABLES, f"{found} != {TABLES}"
    return "columns of all tables in rocm/rpd_matmul_large.rpd"


def write_large(path, kernels):
    database = Database(path)
    connection = database.connection
    connection.commit()
    connection.execute("PRAGMA synchronous = OFF")
    names = [database.string(f"_Z10kernel_{i:03}PKfPfi") for i in range(200)]
    launch, kernel, empty = database.string("hipLaunchKernel"), database.string("KernelExecution"), \
        database.string("")
    numbers = range(kernels)
    connection.executemany('INSERT INTO rocpd_api VALUES (?, 4711, 4712, ?, ?, ?, ?)',
                           ((i + 1, BOOT_NS + 3000 * i, BOOT_NS + 3000 * i + 1200, launch, empty) for i in numbers))
    connection.executemany('INSERT INTO rocpd_op VALUES (?, 2, ?, 0, "", ?, ?, ?, ?)',
                           ((i + 1, i % 3, BOOT_NS + 3000 * i + 2000, BOOT_NS + 3000 * i + 4990, names[i % 200],
                             kernel) for i in numbers))
    connection.executemany('INSERT INTO rocpd_api_ops VALUES (?, ?, ?)', ((i + 1, i + 1, i + 1) for i in numbers))
    connection.executemany(
        'INSERT INTO rocpd_kernelapi VALUES (?, "0x0", 256, 2, 1, 256, 1, 1, 0, 0, "", "", "", 0, ?)',
        ((i + 1, names[i % 200]) for i in numbers))
    database.close()


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    write_large(sys.argv[1], int(sys.argv[2]))

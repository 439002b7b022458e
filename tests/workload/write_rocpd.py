"""Writes a workload as rocprofv3 does with --output-format rocpd (schema 3).

    write_rocpd.py PATH KERNELS

as a program writes a large database: that many launches and kernels, and nothing else.
"""

import sqlite3
import sys
from dataclasses import replace

from workload import PS_PER_NS, scripted

FORMAT = "rocpd"
CARRIES = {
    "kernels", "collectives", "copies", "devices", "device_names", "streams", "calls", "annotations", "steps",
    "launches", "correlation", "process", "rank", "grid", "bytes",
}
VARIANTS = {
    "a second process, which is idle": {"second_session": True, "without": ["rank"]},
    "names without suffix": {"guid": ""},
}

GUID = "00004c1d-6d2a-71aa-9b0e-000000000001"
BOOT_NS = 1_071_420_107_592_003  # what the node's clock showed when the workload began
NODE = 77
# Columns in the order of the real tables.
TABLES = {
    "rocpd_metadata": ["id", "tag", "value"],
    "rocpd_string": ["id", "guid", "string"],
    "rocpd_info_node": ["id", "guid", "hash", "machine_id", "system_name", "hostname", "release", "version",
                        "hardware_name", "domain_name"],
    "rocpd_info_process": ["id", "guid", "nid", "ppid", "pid", "init", "fini", "start", "end", "command",
                           "environment", "extdata"],
    "rocpd_info_thread": ["id", "guid", "nid", "ppid", "pid", "tid", "name", "start", "end", "extdata"],
    "rocpd_info_agent": ["id", "guid", "nid", "pid", "type", "absolute_index", "logical_index", "type_index", "uuid",
                         "name", "model_name", "vendor_name", "product_name", "user_name", "extdata"],
    "rocpd_info_queue": ["id", "guid", "nid", "pid", "name", "extdata"],
    "rocpd_info_stream": ["id", "guid", "nid", "pid", "name", "extdata"],
    "rocpd_info_pmc": ["id", "guid", "nid", "pid", "agent_id", "target_arch", "event_code", "instance_id", "name",
                       "symbol", "description", "long_description", "component", "units", "value_type", "block",
                       "expression", "is_constant", "is_derived", "extdata"],
    "rocpd_info_code_object": ["id", "guid", "nid", "pid", "agent_id", "uri", "load_base", "load_size", "load_delta",
                               "storage_type", "extdata"],
    "rocpd_info_kernel_symbol": ["id", "guid", "nid", "pid", "code_object_id", "kernel_name", "display_name",
                                 "kernel_object", "kernarg_segment_size", "kernarg_segment_alignment",
                                 "group_segment_size", "private_segment_size", "sgpr_count", "arch_vgpr_count",
                                 "accum_vgpr_count", "extdata"],
    "rocpd_track": ["id", "guid", "nid", "pid", "tid", "name_id", "extdata"],
    "rocpd_event": ["id", "guid", "category_id", "stack_id", "parent_stack_id", "correlation_id", "call_stack",
                    "line_info", "extdata"],
    "rocpd_arg": ["id", "guid", "event_id", "position", "type", "name", "value", "extdata"],
    "rocpd_pmc_event": ["id", "guid", "event_id", "pmc_id", "value", "extdata"],
    "rocpd_region": ["id", "guid", "nid", "pid", "tid", "start", "end", "name_id", "event_id", "extdata"],
    "rocpd_sample": ["id", "guid", "track_id", "timestamp", "event_id", "extdata"],
    "rocpd_kernel_dispatch": ["id", "guid", "nid", "pid", "tid", "agent_id", "kernel_id", "dispatch_id", "queue_id",
                              "stream_id", "start", "end", "private_segment_size", "group_segment_size",
                              "workgroup_size_x", "workgroup_size_y", "workgroup_size_z", "grid_size_x",
                              "grid_size_y", "grid_size_z", "region_name_id", "event_id", "extdata"],
    "rocpd_memory_copy": ["id", "guid", "nid", "pid", "tid", "start", "end", "name_id", "dst_agent_id", "dst_address",
                          "src_agent_id", "src_address", "size", "queue_id", "stream_id", "region_name_id",
                          "event_id", "extdata"],
    "rocpd_memory_allocate": ["id", "guid", "nid", "pid", "tid", "agent_id", "type", "level", "start", "end",
                              "address", "size", "queue_id", "stream_id", "event_id", "extdata"],
}
CPU_AGENT, FIRST_GPU = 0, 2


def quoted(name):
    return f'"{name}"'


class Session:
    """The tables of one process."""

    def __init__(self, connection, guid, pid):
        self.connection = connection
        self.guid = guid
        self.suffix = "_" + guid.replace("-", "_") if guid else ""
        self.pid = pid
        self.strings, self.kernels, self.counts = {}, {}, {}
        for table, columns in TABLES.items():
            rest = ", ".join(quoted(c) for c in columns[1:])
            connection.execute(f'CREATE TABLE "{table}{self.suffix}" ("id" INTEGER NOT NULL PRIMARY KEY '
                               f"AUTOINCREMENT, {rest})")
        self.add("rocpd_metadata", tag="schema_version", value="3")
        self.add("rocpd_metadata", tag="uuid", value=self.suffix)
        self.add("rocpd_metadata", tag="guid", value=guid)
        self.add("rocpd_info_node", id=NODE, hash=7, machine_id="m1", system_name="Linux", hostname="node1")
        self.add("rocpd_info_queue", id=0, pid=pid, name="Default Queue")
        self.string("")

    def add(self, table, **row):
        self.counts[table] = row.setdefault("id", self.counts.get(table, 0) + 1)
        row.setdefault("guid", self.guid)
        row.setdefault("nid", NODE)
        row.setdefault("extdata", "{}")
        columns = [c for c in TABLES[table] if c in row]
        self.connection.execute(
            f'INSERT INTO "{table}{self.suffix}" ({", ".join(map(quoted, columns))}) '
            f'VALUES ({", ".join("?" * len(columns))})', [row[c] for c in columns])
        return row["id"]

    def string(self, text):
        if text not in self.strings:
            self.strings[text] = self.add("rocpd_string", string=text)
        return self.strings[text]

    def kernel(self, name):
        if name not in self.kernels:
            self.kernels[name] = self.add("rocpd_info_kernel_symbol", pid=self.pid, code_object_id=1,
                                          kernel_name=name + ".kd", display_name=name, arch_vgpr_count=64)
        return self.kernels[name]

    def event(self, category, stack, extdata="{}"):
        return self.add("rocpd_event", category_id=self.string(category), stack_id=stack, parent_stack_id=0,
                        correlation_id=0, call_stack="{}", line_info="{}", extdata=extdata)

    def times(self, event):
        return {"start": BOOT_NS + event.start_ps // PS_PER_NS, "end": BOOT_NS + event.end_ps // PS_PER_NS}

    def add_host_event(self, event, stack):
        if event.kind == "annotation":
            row = self.event("MARKER_CORE_RANGE_API", stack, '{"message":"%s"}' % event.name)
            name = "roctxThreadRangeA"
        else:
            row, name = self.event("HIP_RUNTIME_API_EXT", event.correlation), "hipLaunchKernel"
        self.add("rocpd_region", pid=self.pid, tid=event.thread, name_id=self.string(name), event_id=row,
                 **self.times(event))

    def add_kernel(self, event, dispatch):
        items = [g * b for g, b in zip(event.grid, event.block)]
        sizes = {f"grid_size_{axis}": n for axis, n in zip("xyz", items)}
        sizes.update({f"workgroup_size_{axis}": n for axis, n in zip("xyz", event.block)})
        self.add("rocpd_kernel_dispatch", pid=self.pid, tid=0, agent_id=FIRST_GPU + event.device,
                 kernel_id=self.kernel(event.name), dispatch_id=dispatch, queue_id=16 + event.device,
                 stream_id=event.stream, private_segment_size=0, group_segment_size=0, region_name_id=1,
                 event_id=self.event("KERNEL_DISPATCH", event.correlation), **sizes, **self.times(event))

    def add_copy(self, event):
        gpu = FIRST_GPU + event.device
        to_device = "HtoD" in event.name
        name = "MEMORY_COPY_HOST_TO_DEVICE" if to_device else "MEMORY_COPY_DEVICE_TO_HOST"
        self.add("rocpd_memory_copy", pid=self.pid, tid=0, name_id=self.string(name),
                 dst_agent_id=gpu if to_device else CPU_AGENT, src_agent_id=CPU_AGENT if to_device else gpu,
                 size=event.bytes, stream_id=event.stream,
                 event_id=self.event("MEMORY_COPY", event.correlation), **self.times(event))


def add_views(connection, sessions):
    """The plain names are views over all sessions."""
    for table in TABLES:
        parts = " UNION ALL ".join(f'SELECT * FROM "{table}{s.suffix}"' for s in sessions)
        connection.execute(f'CREATE VIEW "{table}" AS {parts}')


def add_process(session, work, rank):
    threads = {e.thread for e in work.host_events}
    session.add("rocpd_info_process", id=session.pid, ppid=1, pid=session.pid, init=BOOT_NS, start=BOOT_NS,
                command="python train.py", environment='{"RANK":"%d"}' % rank if rank is not None else "{}")
    for thread in sorted(threads):
        session.add("rocpd_info_thread", id=thread, ppid=1, pid=session.pid, tid=thread, name="")
    session.add("rocpd_info_agent", id=CPU_AGENT, pid=session.pid, type="CPU", absolute_index=0, logical_index=0,
                type_index=0, name="CPU", product_name="CPU")
    for number, name in enumerate(work.devices):
        agent = FIRST_GPU + number
        session.add("rocpd_info_agent", id=agent, pid=session.pid, type="GPU", absolute_index=agent,
                    logical_index=agent, type_index=number, name="gfx942", product_name=name)
    session.add("rocpd_info_code_object", pid=session.pid, agent_id=FIRST_GPU)
    for stream in sorted({e.stream for e in work.device_events}):
        session.add("rocpd_info_stream", id=stream, pid=session.pid, name=f"Stream {stream}")


def fill(session, work, rank):
    add_process(session, work, rank)
    for number, event in enumerate(work.host_events):
        if event.kind != "host_op":  # operators of the framework are not recorded
            session.add_host_event(event, 1_000_000 + number)
    for number, event in enumerate(work.device_events):
        if event.kind == "memcpy":
            session.add_copy(event)
        elif event.kind != "memset":  # a set is a kernel of the runtime
            session.add_kernel(event, number + 1)


def write(work, folder, second_session=False, guid=GUID):
    path = folder / "rocpd.db"
    connection = sqlite3.connect(path)
    sessions = []
    sessions.append(Session(connection, guid, work.pid))
    fill(sessions[0], work, work.rank)
    if second_session:
        # An idle process: its tables are there and empty.
        sessions.append(Session(connection, guid[:-1] + "2", work.pid + 5_000))
        fill(sessions[1], replace(work, device_events=[], host_events=[]), None)
    if guid:
        add_views(connection, sessions)
    connection.commit()
    connection.close()
    return path


def check_against_corpus(corpus):
    """Fails where a table of a real database has other columns than ours, or in another order."""
    real = sqlite3.connect(f"file:{corpus}/rocm/batched_gemm_28_results.db?immutable=1", uri=True)
    names = [row[0] for row in real.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    found = {}
    for name in names:
        for table in TABLES:
            if name.startswith(table + "_0000"):
                found[table] = [row[1] for row in real.execute(f'PRAGMA table_info("{name}")')]
    real.close()
    assert found == TABLES, f"{found} != {TABLES}"
    return "columns of all tables in rocm/batched_gemm_28_results.db"


def write_large(path, kernels):
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA synchronous = OFF")
    connection.execute("PRAGMA journal_mode = OFF")
    session = Session(connection, GUID, 4711)
    add_process(session, scripted(), 0)
    names = [session.kernel(f"_Z{8 + len(str(i))}kernel_{i:03}PKfPfi") for i in range(200)]
    hip, dispatch, launch = session.string("HIP_RUNTIME_API_EXT"), session.string("KERNEL_DISPATCH"), \
        session.string("hipLaunchKernel")
    s = session.suffix
    numbers = range(kernels)
    connection.executemany(
        f'INSERT INTO "rocpd_event{s}" VALUES (?, ?, ?, ?, 0, 0, "{{}}", "{{}}", "{{}}")',
        ((2 * i + 1 + k, GUID, dispatch if k else hip, i + 1) for i in numbers for k in (0, 1)))
    connection.executemany(
        f'INSERT INTO "rocpd_region{s}" VALUES (?, ?, 77, 4711, 4712, ?, ?, ?, ?, "{{}}")',
        ((i + 1, GUID, BOOT_NS + 3000 * i, BOOT_NS + 3000 * i + 1200, launch, 2 * i + 1) for i in numbers))
    connection.executemany(
        f'INSERT INTO "rocpd_kernel_dispatch{s}" VALUES '
        f'(?, ?, 77, 4711, 4712, 2, ?, ?, 16, ?, ?, ?, 0, 0, 256, 1, 1, 65536, 2, 1, 1, ?, "{{}}")',
        ((i + 1, GUID, names[i % 200], i + 1, 7 + i % 3, BOOT_NS + 3000 * i + 2000, BOOT_NS + 3000 * i + 4990,
          2 * i + 2) for i in numbers))
    connection.commit()
    connection.close()


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    write_large(sys.argv[1], int(sys.argv[2]))

"""Writes a workload as Nsight Systems exports it to SQLite: schema 3.25, or 2.9 as a variant."""

import sqlite3

from workload import PS_PER_NS

FORMAT = "nsys"
CARRIES = {
    "kernels", "collectives", "copies", "sets", "devices", "device_names", "streams", "calls", "operators",
    "annotations", "steps", "launches", "correlation", "process", "rank", "epoch", "grid", "bytes",
}
VARIANTS = {
    "schema 2.9": {"schema": "2.9.1"},
    "a process that sees GPUs in another order": {"visible_devices": True},
    "write-ahead log": {"journal": "WAL"},
}

DEVICE = ["start", "end", "deviceId", "contextId", "greenContextId", "streamId", "correlationId", "globalPid"]
# Columns in the order of the real tables; those that schema 2.9 lacks are in NEW.
TABLES = {
    "StringIds": ["id", "value"],
    "ThreadNames": ["nameId", "priority", "globalTid"],
    "PROCESSES": ["globalPid", "pid", "name"],
    "TARGET_INFO_SESSION_START_TIME": ["utcEpochNs", "utcTime", "localTime", "systemClockNs"],
    "CUPTI_ACTIVITY_KIND_KERNEL": DEVICE + [
        "demangledName", "shortName", "mangledName", "launchType", "cacheConfig", "registersPerThread", "gridX",
        "gridY", "gridZ", "blockX", "blockY", "blockZ", "staticSharedMemory", "dynamicSharedMemory",
        "localMemoryPerThread", "localMemoryTotal", "gridId", "sharedMemoryExecuted", "graphNodeId",
        "sharedMemoryLimitConfig", "qmdBulkReleaseDone", "qmdPreexitDone", "qmdLastCtaDone", "graphId", "clusterX",
        "clusterY", "clusterZ", "clusterSchedulingPolicy", "maxPotentialClusterSize", "maxActiveClusters",
        "sharedMemoryRequestedPercentage", "tensorSizeMinusOneElements"],
    "CUPTI_ACTIVITY_KIND_MEMCPY": DEVICE + [
        "bytes", "copyKind", "deprecatedSrcId", "srcKind", "dstKind", "srcDeviceId", "srcContextId", "dstDeviceId",
        "dstContextId", "migrationCause", "graphNodeId", "virtualAddress", "copyCount"],
    "CUPTI_ACTIVITY_KIND_MEMSET": DEVICE + ["value", "bytes", "graphNodeId", "memKind"],
    "CUPTI_ACTIVITY_KIND_RUNTIME": [
        "start", "end", "eventClass", "globalTid", "correlationId", "nameId", "returnValue", "callchainId"],
    "NVTX_EVENTS": [
        "start", "end", "eventType", "rangeId", "category", "color", "text", "globalTid", "endGlobalTid", "textId",
        "domainId", "uint64Value", "int64Value", "doubleValue", "uint32Value", "int32Value", "floatValue",
        "jsonTextId", "jsonText", "binaryData"],
}
# Without a real file in the corpus: columns as Nsight Systems documents them.
DOCUMENTED = {
    "MPI_RANKS": ["globalTid", "rank"],
    "TARGET_INFO_CUDA_DEVICE": ["gpuId", "cudaId", "pid", "uuid", "numMultiprocessors"],
    "TARGET_INFO_GPU": ["vmId", "id", "name", "cuDevice"],
}
NEW = {"greenContextId", "systemClockNs", "copyCount", "binaryData", "qmdBulkReleaseDone", "qmdPreexitDone",
       "qmdLastCtaDone", "graphId", "clusterX", "clusterY", "clusterZ", "clusterSchedulingPolicy",
       "maxPotentialClusterSize", "maxActiveClusters", "sharedMemoryRequestedPercentage",
       "tensorSizeMinusOneElements"}
COPIES = {"HtoD": 1, "DtoH": 2}
MEMORY = {"Pageable": 0, "Pinned": 1, "Device": 2}
VM = 1 << 48


class Database:
    """Rows by column name; what a version does not have is left out."""

    def __init__(self, path, schema):
        self.connection = sqlite3.connect(path)
        self.is_old = schema.startswith("2.")
        self.strings = {}

    def create(self, table):
        columns = self.columns(table)
        self.connection.execute(f"CREATE TABLE {table} ({', '.join(f'{c}' if c != 'end' else '[end]' for c in columns)})")

    def columns(self, table):
        columns = TABLES.get(table) or DOCUMENTED[table]
        return [c for c in columns if not (self.is_old and c in NEW)]

    def add(self, table, **row):
        columns = self.columns(table)
        values = [row.get(c) for c in columns]
        self.connection.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(columns))})", values)

    def string(self, text):
        return self.strings.setdefault(text, len(self.strings) + 1)

    def finish(self):
        for text, number in self.strings.items():
            self.add("StringIds", id=number, value=text)
        self.connection.commit()
        self.connection.close()


def device_row(event, global_pid, cuda_number):
    return {"start": event.start_ps // PS_PER_NS, "end": event.end_ps // PS_PER_NS, "deviceId": cuda_number,
            "contextId": 1 + cuda_number, "streamId": event.stream, "correlationId": event.correlation,
            "globalPid": global_pid, "greenContextId": 0}


def add_device_event(database, event, row):
    name = database.string(event.name)
    if event.kind in ("kernel", "communication"):
        grid = dict(zip(("gridX", "gridY", "gridZ"), event.grid)) | dict(
            zip(("blockX", "blockY", "blockZ"), event.block))
        database.add("CUPTI_ACTIVITY_KIND_KERNEL", **row, **grid, demangledName=name,
                     shortName=database.string(event.name.split("(")[0]), mangledName=name, registersPerThread=64,
                     staticSharedMemory=1024, dynamicSharedMemory=0)
    elif event.kind == "memcpy":
        source, _, target = event.name.split("(")[1].rstrip(")").partition(" -> ")
        database.add("CUPTI_ACTIVITY_KIND_MEMCPY", **row, bytes=event.bytes, copyKind=COPIES[event.name.split()[1]],
                     srcKind=MEMORY[source], dstKind=MEMORY[target], copyCount=1)
    else:
        database.add("CUPTI_ACTIVITY_KIND_MEMSET", **row, bytes=event.bytes, value=0, memKind=MEMORY["Device"])


def add_host_event(database, number, event, global_pid):
    row = {"start": event.start_ps // PS_PER_NS, "end": event.end_ps // PS_PER_NS,
           "globalTid": global_pid | event.thread}
    if event.kind == "runtime_call":
        database.add("CUPTI_ACTIVITY_KIND_RUNTIME", **row, eventClass=0, correlationId=event.correlation,
                     nameId=database.string(event.name + "_v7000"), returnValue=0)
    elif event.kind == "host_op":
        database.add("NVTX_EVENTS", **row, eventType=59, text=f"{event.name}, op_id = {number}", domainId=0)
    else:  # registered strings and plain ones
        name = {"textId": database.string(event.name)} if number % 2 else {"text": event.name}
        database.add("NVTX_EVENTS", **row, eventType=59 + number % 2, domainId=0, **name)


def add_target(database, work, global_pid, visible_devices):
    database.add("TARGET_INFO_SESSION_START_TIME", utcEpochNs=work.origin_ns)
    count = len(work.devices)
    for number, name in enumerate(work.devices):
        database.add("TARGET_INFO_GPU", vmId=VM, id=number, name=name, cuDevice=number)
        if visible_devices:
            database.add("TARGET_INFO_CUDA_DEVICE", gpuId=number, cudaId=count - 1 - number, pid=work.pid)
    database.add("PROCESSES", globalPid=global_pid, pid=work.pid, name="python")
    database.add("MPI_RANKS", globalTid=global_pid | work.pid, rank=work.rank)


def write(work, folder, schema="3.25.0", visible_devices=False, journal="DELETE"):
    path = folder / "nsys.sqlite"
    database = Database(path, schema)
    database.connection.execute(f"PRAGMA journal_mode = {journal}")
    facts = "EXPORT_META_DATA" if database.is_old else "META_DATA_EXPORT"
    database.connection.execute(f"CREATE TABLE {facts} (name, value)")
    database.connection.execute(f"INSERT INTO {facts} VALUES ('EXPORT_SCHEMA_VERSION', ?)", (schema,))
    for table in list(TABLES) + list(DOCUMENTED):
        database.create(table)
    global_pid = VM | work.pid << 24
    add_target(database, work, global_pid, visible_devices)
    last = len(work.devices) - 1
    for event in work.device_events:
        cuda_number = last - event.device if visible_devices else event.device
        add_device_event(database, event, device_row(event, global_pid, cuda_number))
    for number, event in enumerate(work.host_events):
        add_host_event(database, number, event, global_pid)
    database.finish()
    return path


def check_against_corpus(corpus):
    """Fails where a table of a real export has other columns than ours, or in another order."""
    for name, is_old in (("nsysai_h100_2gpu_1s", False), ("pipit_saxpy_mpi_cuda", True)):
        real = sqlite3.connect(f"file:{corpus}/nsys/{name}.sqlite?immutable=1", uri=True)
        for table, columns in TABLES.items():
            columns = [c for c in columns if not (is_old and c in NEW)]
            theirs = [row[1] for row in real.execute(f"PRAGMA table_info({table})")]
            # 2022.2 added a column for names to some tables at the end.
            theirs = [c for c in theirs if not (is_old and c == "name" and table.startswith("CUPTI"))]
            assert theirs == columns, f"{name}: {table}: {theirs} != {columns}"
        real.close()
    return "columns of all tables in nsys/*.sqlite"

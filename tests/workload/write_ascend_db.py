"""Writes a workload as torch_npu and msprof do in SQLite: ascend_pytorch_profiler_<rank>.db."""

import sqlite3

from workload import PS_PER_NS

FORMAT = "ascend_db"
CARRIES = {
    "kernels", "collectives", "copies", "sets", "devices", "device_names", "calls", "operators", "annotations",
    "steps", "launches", "correlation", "process", "rank", "epoch", "bytes", "groups", "messages",
}
VARIANTS = {
    "expanded collectives": {"expanded": True},
    "steps only in STEP_TIME": {"markers": False},
    "newer columns": {"newer": True},
    "write-ahead log": {"journal": "WAL"},
}

TABLES = {
    "STRING_IDS": ["id", "value"],
    "META_DATA": ["name", "value"],
    "NPU_INFO": ["id", "name"],
    "HOST_INFO": ["hostUid", "hostName"],
    "RANK_DEVICE_MAP": ["rankId", "deviceId"],
    "ENUM_HCCL_DATA_TYPE": ["id", "name"],
    "ENUM_API_TYPE": ["id", "name"],
    "TASK": ["startNs", "endNs", "deviceId", "connectionId", "globalTaskId", "globalPid", "taskType", "contextId",
             "streamId", "taskId", "modelId"],
    "COMPUTE_TASK_INFO": ["name", "globalTaskId", "blockDim", "mixBlockDim", "taskType", "opType", "inputFormats",
                          "inputDataTypes", "inputShapes", "outputFormats", "outputDataTypes", "outputShapes",
                          "attrInfo"],
    "COMMUNICATION_OP": ["opName", "startNs", "endNs", "connectionId", "groupName", "opId", "relay", "retry",
                         "dataType", "algType", "count", "opType"],
    "COMMUNICATION_TASK_INFO": ["name", "globalTaskId", "taskType", "planeId", "groupName", "notifyId", "rdmaType",
                                "srcRank", "dstRank", "transportType", "size", "dataType", "linkType", "opId"],
    "CANN_API": ["startNs", "endNs", "type", "globalTid", "connectionId", "name"],
    "PYTORCH_API": ["startNs", "endNs", "globalTid", "connectionId", "name", "sequenceNumber", "fwdThreadId",
                    "inputDtypes", "inputShapes", "callchainId", "type"],
    "CONNECTION_IDS": ["id", "connectionId"],
    "STEP_TIME": ["id", "startNs", "endNs"],
}
# Not in the real file of the corpus: columns as the vendor documents them.
DOCUMENTED = {
    "MSTX_EVENTS": ["startNs", "endNs", "eventType", "rangeId", "category", "message", "globalTid", "endGlobalTid",
                    "domainId", "connectionId"],
    "MEMCPY_INFO": ["globalTaskId", "size", "memcpyOperation"],
}
NEWER = {"COMMUNICATION_OP": ["deviceId"], "COMPUTE_TASK_INFO": ["opState", "hf32Eligible"]}
NONE = 4294967295
TORCH_STRINGS = 1 << 28  # torch_npu counts its own strings from here
DATA_TYPES = {"FP16": 3, "FP32": 4, "BFP16": 11}
HCCL_WORDS = {"BFloat16": "BFP16", "Float": "FP32", "Half": "FP16"}


class Database:
    def __init__(self, path, newer):
        self.connection = sqlite3.connect(path)
        self.newer = newer
        self.strings = {}
        self.tasks = 0

    def columns(self, table):
        return (TABLES.get(table) or DOCUMENTED[table]) + (NEWER.get(table, []) if self.newer else [])

    def create(self, table):
        text = {"startNs", "endNs"} if table == "PYTORCH_API" else set()
        columns = [f"{c} TEXT" if c in text or c == "value" else f"{c} NUMERIC" for c in self.columns(table)]
        self.connection.execute(f"CREATE TABLE {table} ({', '.join(columns)})")

    def add(self, table, **row):
        columns = self.columns(table)
        self.connection.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(columns))})",
                                [row.get(c) for c in columns])

    def string(self, text, base=0):
        return self.strings.setdefault((text, base), base + len(self.strings))

    def add_task(self, work, start, end, event, kind, stream):
        self.tasks += 1
        self.add("TASK", startNs=start, endNs=end, deviceId=event.device, connectionId=event.correlation,
                 globalTaskId=self.tasks, globalPid=work.pid, taskType=self.string(kind), contextId=NONE,
                 streamId=stream, taskId=self.tasks, modelId=NONE)
        return self.tasks

    def finish(self):
        for (text, _), number in self.strings.items():
            self.add("STRING_IDS", id=number, value=text)
        self.connection.commit()
        self.connection.close()


def add_collective(database, work, event, start, end, expanded):
    message = event.message
    name = f"hcom_allReduce__210_{message.sequence}_1"
    database.add("COMMUNICATION_OP", opName=database.string(name), startNs=start, endNs=end,
                 connectionId=event.correlation, groupName=database.string(message.group), opId=message.sequence,
                 relay=0, retry=0, dataType=DATA_TYPES[HCCL_WORDS[message.dtype]], algType=database.string("MESH-RING"),
                 count=message.elements, opType=database.string("hcom_allReduce_"), deviceId=event.device)
    # What runs inside it, and the cover around that: neither is work of its own.
    database.add_task(work, start, end, event, "AI_CORE", event.stream)
    wait = database.add_task(work, start, start + 100, event, "Notify Wait", event.stream)
    database.add("COMMUNICATION_TASK_INFO", name=database.string(name), globalTaskId=wait,
                 taskType=database.string("Notify_Wait"), planeId=0, opId=message.sequence)
    move = database.add_task(work, start + 100, end, event, "SDMA", event.stream)
    database.add("COMMUNICATION_TASK_INFO", name=database.string(name), globalTaskId=move,
                 taskType=database.string("Memcpy"), planeId=1, opId=message.sequence, size=message.elements * 2)
    if expanded:
        kernel = database.add_task(work, start, end, event, "KERNEL_AIVEC", event.stream)
        database.add("COMPUTE_TASK_INFO", name=database.string("hcom_allReduce_AivKernel"), globalTaskId=kernel,
                     taskType=database.string("AI_VECTOR_CORE"))


def add_device_event(database, work, event, expanded):
    start = work.origin_ns + event.start_ps // PS_PER_NS
    end = work.origin_ns + event.end_ps // PS_PER_NS
    if event.kind == "communication":
        add_collective(database, work, event, start, end, expanded)
    elif event.kind == "kernel":
        # A mixed kernel has a cover of its own.
        database.add_task(work, start - 10, end + 10, event, "KERNEL_AICORE", event.stream)
        task = database.add_task(work, start, end, event, "KERNEL_AICORE", event.stream)
        database.add("COMPUTE_TASK_INFO", name=database.string(event.name), globalTaskId=task, blockDim=8,
                     mixBlockDim=16, taskType=database.string("MIX_AIV"), opType=database.string("Op"))
    else:
        kind = "MEMCPY_ASYNC" if event.kind == "memcpy" else "MEMSET_ASYNC"
        task = database.add_task(work, start, end, event, kind, event.stream)
        if event.kind == "memcpy":
            database.add("MEMCPY_INFO", globalTaskId=task, size=event.bytes, memcpyOperation=0)


def add_host_event(database, work, number, event, markers):
    start = work.origin_ns + event.start_ps // PS_PER_NS
    end = work.origin_ns + event.end_ps // PS_PER_NS
    times = {"startNs": start, "endNs": end, "globalTid": work.pid << 32 | event.thread}
    if event.kind == "runtime_call":
        database.add("CANN_API", **times, type=20000, connectionId=event.correlation,
                     name=database.string("aclrtLaunchKernel"))
        database.add("CONNECTION_IDS", id=number, connectionId=event.correlation)
        return
    texts = times | {"startNs": str(start), "endNs": str(end)}
    name = database.string(event.name, TORCH_STRINGS)
    if event.kind == "host_op":
        database.add("PYTORCH_API", **texts, connectionId=number - 1, name=name, type=50001)
    elif "#" not in event.name:
        database.add("MSTX_EVENTS", **times, eventType=1, message=name, domainId=NONE)
    elif markers:
        database.add("PYTORCH_API", **texts, name=name, type=50001)
    if "#" in event.name:
        database.add("STEP_TIME", id=event.step, startNs=start, endNs=end)


def write(work, folder, expanded=False, markers=True, newer=False, journal="DELETE"):
    path = folder / f"ascend_pytorch_profiler_{work.rank}.db"
    database = Database(path, newer)
    database.connection.execute(f"PRAGMA journal_mode = {journal}")
    for table in list(TABLES) + list(DOCUMENTED):
        database.create(table)
    database.add("META_DATA", name="SCHEMA_VERSION", value="1.0.0")
    database.add("HOST_INFO", hostUid="1", hostName="host")
    for name, number in DATA_TYPES.items():
        database.add("ENUM_HCCL_DATA_TYPE", id=number, name=name)
    for number, name in enumerate(work.devices):
        database.add("NPU_INFO", id=number, name=name)
        database.add("RANK_DEVICE_MAP", rankId=work.rank, deviceId=number)
    for event in work.device_events:
        add_device_event(database, work, event, expanded)
    for number, event in enumerate(work.host_events):
        add_host_event(database, work, number, event, markers)
    database.finish()
    return path


def check_against_corpus(corpus):
    """Fails where a table of the real database has other columns than ours, or in another order."""
    folder = corpus / "ascend" / "db_level1_rank1_ascend_pt" / "ASCEND_PROFILER_OUTPUT"
    real = sqlite3.connect(f"file:{folder}/ascend_pytorch_profiler_1.db?immutable=1", uri=True)
    for table, columns in TABLES.items():
        theirs = [row[1] for row in real.execute(f"PRAGMA table_info({table})")]
        assert theirs == columns, f"{table}: {theirs} != {columns}"
    types = dict(real.execute("SELECT name, id FROM ENUM_HCCL_DATA_TYPE"))
    assert all(types[name] == number for name, number in DATA_TYPES.items())
    assert real.execute("SELECT typeof(startNs) FROM PYTORCH_API").fetchone() == ("text",)
    real.close()
    return "columns of all tables in ascend_pytorch_profiler_1.db"

"""Writes a workload as torch_npu and msprof do in text: a *_ascend_pt or PROF_* directory of tables, a
timeline and sums."""

import csv
import json

from workload import PS_PER_NS, scripted

FORMAT = "ascend_text"
CARRIES = {
    "kernels", "collectives", "copies", "sets", "devices", "calls", "operators", "steps", "launches", "correlation",
    "process", "rank", "epoch", "groups", "messages",
}
HOST_ONLY = {"calls", "operators", "launches", "correlation", "process", "steps", "messages"}
VARIANTS = {
    "level 0": {"level": 0, "without": {"calls", "launches", "correlation", "process", "groups", "messages"}},
    "level 2": {"level": 2},
    "header of 2023": {"era": 2023},
    "header of 2024": {"era": 2024},
    "header of 2026": {"era": 2026},
    "collectives told twice": {"expanded": True},
    "unclosed timeline": {"closed": False},
    "tables only": {"timeline": False, "task_time": True, "without": HOST_ONLY},
    "msprof": {"msprof": True, "without": {"operators", "steps", "rank"}},
    "msprof in slices": {"msprof": True, "slices": 2, "without": {"operators", "steps", "rank"}},
    "msprof tables only": {"msprof": True, "timeline": False, "task_time": True, "without": HOST_ONLY | {"rank"}},
}

SHAPES = ["Input Shapes", "Input Data Types", "Input Formats", "Output Shapes", "Output Data Types", "Output Formats",
          "Context ID"]
PIPES_2023 = ["aicore_time(us)", "aic_total_cycles", "aic_l0a_read_bw(GB/s)", "aic_l0a_write_bw(GB/s)",
              "aic_l0b_read_bw(GB/s)", "aic_l0b_write_bw(GB/s)", "aic_l0c_read_bw_cube(GB/s)",
              "aic_l0c_write_bw_cube(GB/s)", "aiv_time(us)", "aiv_total_cycles", "aiv_l0c_read_bw(GB/s)",
              "aiv_l0c_write_bw(GB/s)"]
PIPES = ["aicore_time(us)", "aic_total_cycles", "aic_mac_time(us)", "aic_mac_ratio", "aic_scalar_time(us)",
         "aic_scalar_ratio", "aic_mte1_time(us)", "aic_mte1_ratio", "aic_mte2_time(us)", "aic_mte2_ratio",
         "aic_fixpipe_time(us)", "aic_fixpipe_ratio", "aic_icache_miss_rate", "aiv_time(us)", "aiv_total_cycles",
         "aiv_vec_time(us)", "aiv_vec_ratio", "aiv_scalar_time(us)", "aiv_scalar_ratio", "aiv_mte2_time(us)",
         "aiv_mte2_ratio", "aiv_mte3_time(us)", "aiv_mte3_ratio", "aiv_icache_miss_rate", "cube_utilization(%)"]
TIMES = ["Start Time(us)", "Duration(us)", "Wait Time(us)"]
TASK_TIME = ["Device_id", "kernel_name", "kernel_type", "stream_id", "task_id", "task_time(us)", "task_start(us)",
             "task_stop(us)"]
NONE = 4294967295
HCCL_WORDS = {"BFloat16": "BFP16", "Float": "FP32", "Half": "FP16"}
# The order of lanes in packed process ids.
CANN, HARDWARE, HCCL, OVERLAP = 7, 13, 15, 23


def kernel_header(level, era):
    if level == 0:
        return ["Step Id"] + (["Device_id"] if era >= 2025 else []) + ["Name", "Type", "Accelerator Core"] + TIMES + [
            "Block Num" if era >= 2026 else "Block Dim"]
    block = ["Block Num", "Mix Block Num"] if era >= 2026 else ["Block Dim", "Mix Block Dim"]
    return (["Step Id"] + (["Device_id"] if era >= 2025 else []) + ["Model ID", "Task ID", "Stream ID", "Name", "Type"]
            + (["OP State"] if era >= 2024 else []) + ["Accelerator Core"] + TIMES + block + ["HF32 Eligible"] + SHAPES
            + (PIPES_2023 if era <= 2023 else PIPES))


def op_summary_header():
    return (["Device_id", "Model ID", "Task ID", "Stream ID", "Op Name", "OP Type", "OP State", "Task Type"]
            + ["Task " + t for t in TIMES] + ["Block Num", "Mix Block Num", "HF32 Eligible"] + SHAPES + PIPES)


class Profile:
    """What is written, with times as the profiler writes them."""

    def __init__(self, work, expanded, level):
        self.work = work
        self.expanded = expanded
        self.level = level

    def text(self, ps):
        ns = self.work.origin_ns + ps // PS_PER_NS
        return f"{ns // 1000}.{ns % 1000:03d}"

    @staticmethod
    def microseconds(ps):
        ns = ps // PS_PER_NS
        return f"{ns // 1000}.{ns % 1000:03d}"

    def name(self, event):
        return f"hcom_allReduce__210_{event.message.sequence}_1" if event.message else event.name

    def kernels(self):
        """(event, name, type, core, stream) of every row of a table of kernels."""
        for event in self.work.of_kind("kernel", "communication"):
            if event.message:
                yield event, self.name(event), "hcom_allReduce_", "COMMUNICATION", "N/A"
                if self.expanded:
                    yield event, "hcom_allReduce_AivKernel", "hcom_allReduce_", "AI_VECTOR_CORE", str(event.stream)
            else:
                yield event, event.name, event.name.split("_")[0], "AI_CORE", str(event.stream)

    def row(self, header, event, name, sort, core, stream):
        values = {
            "Step Id": event.step, "Device_id": event.device, "Model ID": NONE,
            "Task ID": "N/A" if stream == "N/A" else event.correlation, "Stream ID": stream, "Type": sort,
            "OP Type": sort, "OP State": "dynamic", "Accelerator Core": core, "Task Type": core, "Name": name,
            "Op Name": name, "Block Dim": 16, "Block Num": 16, "Mix Block Dim": 0, "Mix Block Num": 0,
            "HF32 Eligible": "NO", "Input Shapes": '"4096,1024;1"', "Output Shapes": '"4096,1024"', "Context ID": "N/A",
        }
        if self.level == 0 and core != "COMMUNICATION":
            values["Type"] = values["Accelerator Core"] = "N/A"
        for prefix in ("", "Task "):
            values[prefix + "Start Time(us)"] = self.text(event.start_ps) + "\t"
            values[prefix + "Duration(us)"] = self.microseconds(event.duration_ps)
            values[prefix + "Wait Time(us)"] = "0"
        return [values.get(column, "N/A" if column in SHAPES else "0.0") for column in header]

    def tasks(self):
        for event in self.work.device_events:
            if event.kind == "memcpy":
                yield event, "MEMCPY_ASYNC", "SDMA_SQE"
            elif event.kind == "memset":
                yield event, "MEMSET_ASYNC", "MEMSET_ASYNC"
            elif event.kind == "kernel":
                yield event, event.name, "AI_CORE"

    def pid(self, order, device=0):
        return self.work.pid << 10 | order << 5 | device


def metadata(what, pid, tid, **arguments):
    return {"name": what, "pid": pid, "tid": tid, "args": arguments, "ph": "M"}


def span(profile, event, name, pid, tid, arguments):
    return {"name": name, "pid": pid, "tid": tid, "ts": profile.text(event.start_ps),
            "dur": float(profile.microseconds(event.duration_ps)), "args": arguments, "ph": "X"}


def flow(profile, phase, name, category, number, pid, tid, ps):
    return {"ph": phase, "bp": "e", "name": name, "id": number, "pid": pid, "tid": tid, "ts": profile.text(ps),
            "cat": category}


def framework_part(profile):
    """What torch_npu writes: operators, and arrows from them to the device."""
    work = profile.work
    yield metadata("process_name", work.pid, 0, name="Python")
    yield metadata("process_labels", work.pid, 0, labels="CPU")
    for event in work.host_of_kind("host_op", "annotation"):
        if event.kind == "annotation" and "#" not in event.name:
            continue
        record = span(profile, event, event.name, work.pid, event.thread, {"Sequence number": -1, "Fwd thread id": 0})
        yield record | {"cat": "cpu_op"}


def names(profile):
    work = profile.work
    yield metadata("process_name", profile.pid(CANN), 0, name="CANN")
    yield metadata("process_labels", profile.pid(CANN), 0, labels="CPU")
    for device in range(len(work.devices)):
        for order, name in ((HARDWARE, "Ascend Hardware"), (HCCL, "Communication"), (OVERLAP, "Overlap Analysis")):
            yield metadata("process_name", profile.pid(order, device), 0, name=name)
            yield metadata("process_labels", profile.pid(order, device), 0, labels=f"NPU {device}")
        yield metadata("thread_name", profile.pid(HCCL, device), 0, name="Group 0 Communication")
        yield metadata("thread_name", profile.pid(HCCL, device), 1, name="Plane 0")
        yield metadata("thread_name", profile.pid(OVERLAP, device), 0, name="Computing")


def device_event(profile, event):
    hardware, hccl = profile.pid(HARDWARE, event.device), profile.pid(HCCL, event.device)
    arguments = {"Model Id": NONE, "Task Type": "AI_CORE", "Physic Stream Id": event.stream,
                 "Task Id": event.correlation, "Batch Id": 0, "Subtask Id": NONE, "connection_id": event.correlation}
    if event.message:
        about = {} if profile.level == 0 else {
            "data_type": HCCL_WORDS[event.message.dtype], "alg_type": "MESH-RING", "count": event.message.elements}
        yield span(profile, event, profile.name(event), hccl, 0,
                   {"connection_id": event.correlation, "model id": NONE} | about)
        # What runs inside it is no work of its own.
        yield span(profile, event, "Notify_Wait", hccl, 1, {"notify_id": "0", "stream id": event.stream})
        yield span(profile, event, "SDMA", hardware, event.stream, arguments | {"Task Type": "SDMA", "Subtask Id": 0})
        if profile.expanded:
            yield span(profile, event, "hcom_allReduce_AivKernel", hardware, event.stream, arguments)
        return
    for task, name, sort in profile.tasks():
        if task is event:
            if event.kind == "memcpy" and profile.level == 2:
                arguments = arguments | {"data size(Byte)": event.bytes, "memcpy direction": "host to device"}
            yield span(profile, event, name, hardware, event.stream, arguments | {"Task Type": sort})
    if event.kind == "kernel":
        yield {k: v for k, v in span(profile, event, "Computing", profile.pid(OVERLAP, event.device), 0, {}).items()
               if k != "args"}


def device_part(profile):
    """What msprof writes: runtime calls, hardware, collectives, overlap."""
    work = profile.work
    yield from names(profile)
    for event in work.host_of_kind("runtime_call"):
        if profile.level > 0:
            yield span(profile, event, "AscendCL@aclrtLaunchKernel", profile.pid(CANN), event.thread,
                       {"Thread Id": event.thread, "Mode": "ACL_RTS", "level": "acl", "id": "aclrtLaunchKernel",
                        "item_id": "0", "connection_id": event.correlation})
        yield flow(profile, "s", f"HostToDevice{event.correlation}", "HostToDevice", str(event.correlation),
                   profile.pid(CANN), event.thread, event.start_ps)
    for event in work.device_events:
        yield from device_event(profile, event)
        pid, tid = ((profile.pid(HCCL, event.device), 0) if event.message
                    else (profile.pid(HARDWARE, event.device), event.stream))
        yield flow(profile, "f", f"HostToDevice{event.correlation}", "HostToDevice", str(event.correlation), pid, tid,
                   event.start_ps)


def arrows(profile):
    """From operators to the device; written last."""
    work = profile.work
    calls = {e.correlation: e for e in work.host_of_kind("runtime_call")}
    for event in work.device_events:
        call = calls[event.correlation]
        number = work.origin_ns + event.start_ps // PS_PER_NS
        pid, tid = ((profile.pid(HCCL, event.device), 0) if event.message
                    else (profile.pid(HARDWARE, event.device), event.stream))
        yield flow(profile, "s", "torch_to_npu", "async_npu", number, work.pid, call.thread, call.start_ps)
        yield flow(profile, "f", "torch_to_npu", "async_npu", number, pid, tid, event.start_ps)


def communication(profile):
    ops = {}
    for event in profile.work.of_kind("communication"):
        elapse = event.duration_ps / 10**9
        size = event.message.elements * 2 / 10**6
        ops[f"{profile.name(event)}@{event.message.group}"] = {
            "Communication Time Info": {
                "Start Timestamp(us)": round(float(profile.text(event.start_ps)) * 4) / 4, "Elapse Time(ms)": elapse,
                "Transit Time(ms)": elapse / 2, "Wait Time(ms)": elapse / 4, "Synchronization Time(ms)": 0,
                "Idle Time(ms)": elapse / 4, "Wait Time Ratio": 0.3333, "Synchronization Time Ratio": 0},
            "Communication Bandwidth Info": {
                t: {"Transit Size(MB)": size if t in ("HCCS", "SDMA") else 0, "Transit Time(ms)": 0,
                    "Bandwidth(GB/s)": 0, "Large Packet Ratio": 0, "Size Distribution": {}}
                for t in ("RDMA", "HCCS", "PCIE", "SDMA", "SIO")}}
    return {"step1": {"p2p": {}, "collective": ops}}


def write_table(path, header, rows):
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\r\n")
        writer.writerow(header)
        writer.writerows(rows)


def in_slices(items, slices):
    items = list(items)
    size = -(-len(items) // slices)
    return [items[i:i + size] for i in range(0, len(items), size)]


def slice_name(stem, number, slices, suffix):
    return f"{stem}_slice_{number}_20251115000000{suffix}" if slices > 1 else f"{stem}_20251115000000{suffix}"


def write_sums(profile, output, header_rows):
    counts = {}
    for _, _, sort, core, _ in profile.kernels():
        if core != "COMMUNICATION":
            counts[sort, core] = counts.get((sort, core), 0) + 1
    write_table(output / "op_statistic.csv", ["OP Type", "Core Type", "Count", "Total Time(us)", "Min Time(us)",
                                              "Avg Time(us)", "Max Time(us)", "Ratio(%)"],
                [[sort, core, count, 1, 1, 1, 1, 1] for (sort, core), count in counts.items()])
    write_table(output / "api_statistic.csv", ["Level", "API Name", "Time(us)", "Count", "Avg(us)", "Min(us)", "Max(us)",
                                               "Variance"], [["acl", "aclrtLaunchKernel", 1, header_rows, 1, 1, 1, 0]])
    (output / "communication.json").write_text(json.dumps(communication(profile)))
    (output / "communication_matrix.json").write_text(json.dumps({"step1": {"p2p": {}, "collective": {
        "allreduce-top1@tp": {"0-1": {"Transport Type": "HCCS", "Transit Size(MB)": 1, "Transit Time(ms)": 1,
                                      "Bandwidth(GB/s)": 1, "Op Name": "hcom_allReduce__210_1_1"}}}}}))


def write_tables(profile, output, era, slices, msprof, task_time):
    rows = list(profile.kernels())
    # Tables are not always sorted; a reader must not count on it.
    rows = rows[1::2] + rows[0::2]
    if msprof:
        for number, part in enumerate(in_slices(rows, slices)):
            header = op_summary_header()
            write_table(output / slice_name("op_summary", number, slices, ".csv"), header,
                        [profile.row(header, *row) for row in part])
    else:
        header = kernel_header(profile.level, era)
        write_table(output / "kernel_details.csv", header, [profile.row(header, *row) for row in rows])
    if task_time:
        write_table(output / "task_time_20251115000000.csv", TASK_TIME,
                    [[e.device, name, sort, e.stream, e.correlation, profile.microseconds(e.duration_ps),
                      profile.text(e.start_ps) + "\t", profile.text(e.end_ps) + "\t"] for e, name, sort in profile.tasks()])


def write_timeline(profile, output, slices, msprof, closed):
    if not msprof:
        events = [*framework_part(profile), *device_part(profile), *arrows(profile)]
        text = json.dumps(events)
        (output / "trace_view.json").write_text(text if closed else text[:-1] + ", ")
        return
    fixed = list(names(profile))
    parts = in_slices([e for e in device_part(profile) if e["ph"] != "M"], slices)
    for number, part in enumerate(parts):
        (output / slice_name("msprof", number, slices, ".json")).write_text(json.dumps(fixed + part))


def write(work, folder, level=1, era=2025, expanded=False, closed=True, timeline=True, task_time=False, msprof=False,
          slices=1):
    """Writes the directory and returns it."""
    profile = Profile(work, expanded, level)
    if msprof:
        root = folder / "PROF_000001_20251115000000_ABC"
        output = root / "mindstudio_profiler_output"
        (root / "host" / "data").mkdir(parents=True)
        (root / "host" / "data" / "raw.slice_0").write_text("raw")
    else:
        root = folder / f"host_{work.pid}_20251115000000000_ascend_pt"
        output = root / "ASCEND_PROFILER_OUTPUT"
    output.mkdir(parents=True)
    write_tables(profile, output, era, slices, msprof, task_time)
    if timeline:
        write_timeline(profile, output, slices, msprof, closed)
    if level > 0:
        write_sums(profile, output, len(work.host_of_kind("runtime_call")))
    if not msprof:
        write_table(output / "step_trace_time.csv",
                    ["Device_id", "Step", "Computing", "Communication(Not Overlapped)", "Overlapped", "Communication",
                     "Free", "Stage", "Bubble", "Communication(Not Overlapped and Exclude Receive)", "Preparing"],
                    [[0, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1]])
        (root / f"profiler_info_{work.rank}.json").write_text(json.dumps({
            "config": {"common_config": {"record_shapes": True},
                       "experimental_config": {"_profiler_level": f"Level{level}", "_export_type": "text"}},
            "start_info": {"syscnt_enable": True, "freq": 100, "start_cnt": 1, "start_monotonic": 1},
            "end_info": {"collectionTimeEnd": 1, "MonotonicTimeEnd": 1}, "rank_id": work.rank}))
        (root / "profiler_metadata.json").write_text(json.dumps({"ENV_VARIABLES": {}}))
    return root


def check_against_corpus(corpus):
    """Fails where real tables have another header, or real events and sums other keys, than ours."""
    ascend = corpus / "ascend"
    for folder, era in (("text_level1_rank0_ascend_pt/ASCEND_PROFILER_OUTPUT", 2024), ("llm_step_rank0", 2025),
                        ("old2023_rank0/ASCEND_PROFILER_OUTPUT", 2023)):
        with open(ascend / folder / "kernel_details.csv", newline="", encoding="utf-8") as file:
            real = next(csv.reader(file))
        assert real == kernel_header(1, era), f"{folder}: {real}"
    output = ascend / "text_level1_rank0_ascend_pt" / "ASCEND_PROFILER_OUTPUT"
    profile = Profile(scripted(), False, 1)
    real = json.loads((output / "trace_view.json").read_text())
    ours = [*framework_part(profile), *device_part(profile), *arrows(profile)]
    for what in (lambda e: e.get("cat") == "cpu_op" and e["ph"] == "X",
                 lambda e: e["name"].startswith("AscendCL@") and e["ph"] == "X",
                 lambda e: e.get("args", {}).get("Task Type") == "AI_CORE",
                 lambda e: e["name"].startswith("hcom_") and e["ph"] == "X",
                 lambda e: e.get("cat") == "async_npu", lambda e: e["name"] == "Computing" and e["ph"] == "X"):
        def keys(events):
            event = next(e for e in events if what(e))
            inner = set(event.get("args", {})) - {"Input Dims", "Input type", "Call stack"}
            return set(event), inner
        assert keys(real) == keys(ours), f"{keys(real)} != {keys(ours)}"

    def shape(value):
        """Keys of the first operation, two levels down."""
        op = next(iter(value[next(iter(value))]["collective"].values()))
        return {k: set(v) for k, v in op.items()}
    real = json.loads((output / "communication.json").read_text())
    assert shape(real) == shape(communication(profile)), "communication.json"
    for name in ("op_statistic.csv", "api_statistic.csv"):
        assert (output / name).exists()
    return "headers of kernel_details.csv, keys of trace_view.json and communication.json"

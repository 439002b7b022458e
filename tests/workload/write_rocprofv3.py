"""Writes a workload as rocprofv3 does with --output-format json."""

import gzip
import json

from workload import PS_PER_NS

FORMAT = "rocprofv3_json"
CARRIES = {
    "kernels", "collectives", "copies", "devices", "device_names", "streams", "calls", "annotations", "steps",
    "launches", "correlation", "process", "grid", "bytes",
}
VARIANTS = {
    "records before their names": {"records_first": True},
    "compressed": {"compressed": True},
    "indented": {"indent": 2},
    "a second process, which is idle": {"second_process": True},
}

BOOT_NS = 63_855_948_165_371  # what the node's clock showed when the workload began
CPU_HANDLE, FIRST_GPU_HANDLE = 37_944, 37_946
# The index of a kind is its number.
KINDS = [
    ("NONE", []), ("HIP_RUNTIME_API_EXT", ["hipInit", "hipLaunchKernel"]),
    ("MARKER_CORE_RANGE_API", ["roctxMarkA", "roctxThreadRangeA"]),
    ("MEMORY_COPY", ["MEMORY_COPY_NONE", "MEMORY_COPY_HOST_TO_HOST", "MEMORY_COPY_HOST_TO_DEVICE",
                     "MEMORY_COPY_DEVICE_TO_HOST"]),
    ("KERNEL_DISPATCH", ["KERNEL_DISPATCH_NONE", "KERNEL_DISPATCH_ENQUEUE", "KERNEL_DISPATCH_COMPLETE"]),
]
HIP, MARKER, COPY, DISPATCH = 1, 2, 3, 4
LISTS = ["kernel_dispatch", "hip_api", "hsa_api", "marker_api", "rccl_api", "memory_copy", "memory_allocation",
         "scratch_memory", "rocdecode_api", "rocjpeg_api", "pc_sample_host_trap", "pc_sample_stochastic"]


def record(kind, operation, thread, correlation, event, **rest):
    return {"size": 184, "kind": kind, "operation": operation, "thread_id": thread,
            "correlation_id": {"internal": correlation, "external": 0},
            "start_timestamp": BOOT_NS + event.start_ps // PS_PER_NS,
            "end_timestamp": BOOT_NS + event.end_ps // PS_PER_NS, **rest}


def handle(number):
    return {"handle": number}


def extent(sizes):
    return dict(zip("xyz", sizes))


def kernel_record(event, number, kernel_id):
    info = {"size": 72, "agent_id": handle(FIRST_GPU_HANDLE + event.device), "queue_id": handle(16 + event.device),
            "kernel_id": kernel_id, "dispatch_id": number, "private_segment_size": 0, "group_segment_size": 0,
            "workgroup_size": extent(event.block),
            "grid_size": extent(g * b for g, b in zip(event.grid, event.block))}
    return record(DISPATCH, 2, 0, event.correlation, event, dispatch_info=info, stream_id=handle(event.stream))


def copy_record(event):
    gpu = FIRST_GPU_HANDLE + event.device
    to_device = "HtoD" in event.name
    return record(COPY, 2 if to_device else 3, 0, event.correlation, event,
                  dst_agent_id=handle(gpu if to_device else CPU_HANDLE),
                  src_agent_id=handle(CPU_HANDLE if to_device else gpu), bytes=event.bytes,
                  stream_id=handle(event.stream))


def buffer_records(work, kernel_ids, messages):
    lists = {name: [] for name in LISTS}
    for number, event in enumerate(work.device_events):
        if event.kind == "memcpy":
            lists["memory_copy"].append(copy_record(event))
        elif event.kind != "memset":  # a set is a kernel of the runtime
            kernel_id = kernel_ids.setdefault(event.name, len(kernel_ids) + 1)
            lists["kernel_dispatch"].append(kernel_record(event, number + 1, kernel_id))
    for number, event in enumerate(work.host_events):
        if event.kind == "runtime_call":
            lists["hip_api"].append(record(HIP, 1, event.thread, event.correlation, event))
        elif event.kind == "annotation":
            messages.append({"key": 1_000_000 + number, "value": event.name})
            lists["marker_api"].append(record(MARKER, 1, event.thread, 1_000_000 + number, event))
    return lists


def agents_of(work):
    yield {"size": 312, "id": handle(CPU_HANDLE), "type": 1, "name": "CPU", "vendor_name": "CPU",
           "product_name": "CPU", "model_name": "", "node_id": 0, "logical_node_id": 0, "logical_node_type_id": 0}
    for number, name in enumerate(work.devices):
        yield {"size": 312, "id": handle(FIRST_GPU_HANDLE + number), "type": 2, "name": "gfx950",
               "vendor_name": "AMD", "product_name": name, "model_name": "ip discovery", "node_id": 2 + number,
               "logical_node_id": 2 + number, "logical_node_type_id": number}


def symbol(kernel_id, name):
    descriptor = name + ".kd" if kernel_id else ""
    return {"size": 88, "kernel_id": kernel_id, "code_object_id": 1, "kernel_name": descriptor, "kernel_object": 1,
            "kernarg_segment_size": 0, "kernarg_segment_alignment": 0, "group_segment_size": 0,
            "private_segment_size": 0, "sgpr_count": 0, "arch_vgpr_count": 0, "accum_vgpr_count": 0,
            "kernel_code_entry_byte_offset": 0, "kernel_address": handle(0), "formatted_kernel_name": name or "0",
            "demangled_kernel_name": descriptor or "0", "truncated_kernel_name": name or "0"}


def process_of(work, pid, records_first=False):
    kernel_ids, messages = {}, []
    records = buffer_records(work, kernel_ids, messages)
    document = {
        "metadata": {"node": {"id": 0, "hash": 0, "machine_id": "m1", "system_name": "Linux", "hostname": "node1",
                              "release": "", "version": "", "hardware_name": "x86_64", "domain_name": "(none)"},
                     "pid": pid, "init_time": BOOT_NS, "fini_time": BOOT_NS + work.end_ps() // PS_PER_NS
                     if work.device_events else BOOT_NS, "command": ["/usr/bin/python3", "train.py"], "config": {}},
        "agents": list(agents_of(work)),
        "counters": [],
        "strings": {"callback_records": [],
                    "buffer_records": [{"kind": k, "operations": o} for k, o in KINDS],
                    "marker_api": messages, "correlation_id": {"external": []}, "counters": {"dimension_ids": []},
                    "pc_sample_instructions": [], "pc_sample_comments": [], "att_filenames": [],
                    "code_object_snapshot_filenames": []},
        "code_objects": [],
        "kernel_symbols": [symbol(0, "")] + [symbol(i, n) for n, i in kernel_ids.items()],
        "host_functions": [],
        "summary": [],
        "callback_records": {"counter_collection": []},
        "buffer_records": records,
    }
    return dict(reversed(document.items())) if records_first else document


def write(work, folder, records_first=False, compressed=False, indent=None, second_process=False):
    path = folder / ("results.json.gz" if compressed else "results.json")
    processes = [process_of(work, work.pid, records_first)]
    if second_process:
        from dataclasses import replace
        processes.append(process_of(replace(work, device_events=[], host_events=[]), work.pid + 1))
    separators = (",", ":") if indent is None else None
    text = json.dumps({"rocprofiler-sdk-tool": processes}, indent=indent, separators=separators)
    path.write_bytes(gzip.compress(text.encode()) if compressed else text.encode())
    return path


def check_against_corpus(corpus):
    """Fails where a real file has other keys than ours, or in another order."""
    from workload import scripted
    with gzip.open(corpus / "rocm" / "tl_rocprofv3_908_results.json.gz") as file:
        real = json.load(file)["rocprofiler-sdk-tool"][0]
    ours = process_of(scripted(), 1)
    for path in ([], ["metadata"], ["metadata", "node"], ["strings"], ["kernel_symbols", 0], ["buffer_records"],
                 ["buffer_records", "kernel_dispatch", 0], ["buffer_records", "kernel_dispatch", 0, "dispatch_info"],
                 ["buffer_records", "kernel_dispatch", 0, "correlation_id"], ["callback_records"]):
        theirs, mine = real, ours
        for step in path:
            theirs, mine = theirs[step], mine[step]
        assert list(theirs) == list(mine), f"{path}: {list(theirs)} != {list(mine)}"
    missing = set(ours["agents"][1]) - set(real["agents"][2])
    assert not missing, f"agents: {missing}"
    return "keys of rocm/tl_rocprofv3_908_results.json.gz, in order"

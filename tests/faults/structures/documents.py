"""Small whole documents, one or more for each reader of JSON."""

import json
import sys
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "mutations"), str(HERE.parents[1] / "cli")]

import counting  # noqa: E402
from cli_test_case import complete, launch  # noqa: E402


@dataclass
class Document:
    name: str
    file_name: str
    text: str
    count: object  # of counting: what Python's json finds in it
    sort: str = "trace"  # or "kernel", for read_each
    # Its reader takes text as it stands: numbers and escapes that JSON does not have, and commas that are missing or
    # there twice between records, swallow nothing.
    is_lenient: bool = False


def events():
    """A step, a call and the kernel that it launched, two arrows, a counter, a name."""
    return [{"ph": "M", "name": "process_name", "pid": 9, "tid": 0, "args": {"name": "py"}},
            complete("user_annotation", "ProfilerStep#1", 9, 9, 1000, 50),
            *launch(1, "gemm", 1020, 1100, 9),
            {"ph": "C", "name": "memory", "pid": 9, "ts": 1003, "args": {"used": 7}},
            {"ph": "s", "id": 2, "cat": "fwdbwd", "name": "f", "pid": 9, "tid": 9, "ts": 1001},
            {"ph": "f", "bp": "e", "id": 2, "cat": "fwdbwd", "name": "f", "pid": 100, "tid": 100, "ts": 1021}]


def kineto():
    """As Kineto writes it: facts before and behind the events."""
    return ('{"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "H200"}],\n"traceEvents": [\n'
            + ",\n".join(map(json.dumps, events())) + '\n], "traceName": "a.json", "info": {"a": [1, "b"]}}')


def bare_list():
    return json.dumps(events(), separators=(",", ":"))


def rocprof_v1():
    """Events that begin with a comma, as rocprof writes them, with their times among the arguments."""
    def event(name, pid, at, **more):
        return (f'{{"ph":"X","name":"{name}","pid":"{pid}","tid":"1","ts":"{at}","dur":"5",\n  "args":{{\n    '
                f'"BeginNs":"{at}384",\n    "EndNs":"{at + 5}384",\n    "Name":"{name}"\n  }}\n}}\n')
    names = "".join(f',{{"args":{{"name":"{name}"}},"ph":"M","pid":{pid},"name":"process_name"}}\n'
                    for pid, name in ((2, "CPU HIP API"), (6, "GPU0")))
    arrows = ('{"ts":1002,"ph":"s","cat":"DataFlow","id":0,"pid":"2","tid":"1","name":"dep"}\n'
              ',{"ts":1010,"ph":"t","cat":"DataFlow","id":0,"pid":"6","tid":"1","name":"dep"}\n')
    return ('{ "traceEvents":[{}\n' + names + "," + event("hipLaunchKernel", 2, 1000) + "," + event("gemm", 6, 1010)
            + "," + arrows + '],\n"otherData": {"CMD": "a", "Version": "1"}\n}\n')


def rocprofv3():
    def record(correlation, at, **more):
        return {"kind": 1, "operation": 0, "correlation_id": {"internal": correlation}, "start_timestamp": at,
                "end_timestamp": at + 50, "thread_id": 5, **more}
    dispatch = {"agent_id": {"handle": 3}, "queue_id": {"handle": 16}, "kernel_id": 1, "dispatch_id": 1}
    records = {"kernel_dispatch": [record(1, 2000, dispatch_info=dispatch), record(2, 2100, dispatch_info=dispatch)],
               "hip_api": [record(1, 1000), record(2, 1100)], "memory_copy": []}
    tool = {"metadata": {"pid": 5}, "agents": [{"id": {"handle": 3}, "type": 2, "logical_node_type_id": 0, "name": "gfx90a"}],
            "kernel_symbols": [{"kernel_id": 1, "kernel_name": "gemm"}],
            "strings": {"buffer_records": [{"kind": "NONE", "operations": []}, {"kind": "HIP_RUNTIME_API", "operations": ["hipLaunchKernel"]}]},
            "buffer_records": records}
    return json.dumps({"rocprofiler-sdk-tool": [tool]})


def communication():
    def operation(at):
        return {"Communication Time Info": {"Start Timestamp(us)": at, "Elapse Time(ms)": 2.5, "Transit Time(ms)": 0.5},
                "Communication Bandwidth Info": {"SDMA": {"Transit Size(MB)": 1, "Size Distribution": {"2.0": [12, 1.5]}}}}
    return json.dumps({"step1": {"p2p": {}, "collective": {
        "hcom_allReduce__586_0_1@1752": operation(1736408883732241.5), "hcom_allReduce__586_1_1@1752":
        operation(1736408883811334.5), "Total Op Info": operation(0)}}})


def iket():
    """Names and places in tables, ranges of a launch."""
    places = [{"smId": 4, "ctaId": [0, 0, 0], "warpId": warp} for warp in range(2)]
    ranges = [{"rangeNameIdx": 0, "startTs": 1024 * k, "endTs": 1024 * k + 500, "warpLocIdxs": [k % 2, k % 2]} for k in range(1, 3)]
    launch = {"kernelName": "gemm", "gridId": 7, "ranges": ranges, "markers": [
        {"markerNameIdx": 1, "timestamp": 1504, "locIdx": 1, "payloadType": 0, "payloadVal": 0}]}
    return json.dumps({"stringTable": ["mainloop", "checkpoint"], "locationTable": places, "launches": [launch]})


def iket_records(data):
    root = counting.json_of(data)
    try:
        return {"records": sum(len(launch.get("ranges", [])) + len(launch.get("markers", [])) for launch in root["launches"])}
    except (KeyError, TypeError, AttributeError) as error:
        raise counting.Complaint(str(error)) from error


def ikp():
    events = [{"name": name, "ph": "X", "ts": 100 * k, "dur": 50, "pid": 0, "tid": 0, "args": {"block": k, "warp": 1, "sm": 2}}
              for k, name in enumerate(("load", "mma", "store"))]
    return json.dumps({"traceEvents": events})


def documents():
    return [Document("kineto", "a.json", kineto(), counting.trace_events, is_lenient=True),
            Document("bare list", "a.json", bare_list(), counting.trace_events, is_lenient=True),
            Document("rocprof v1", "a.json", rocprof_v1(), counting.rocprof_v1_events, is_lenient=True),
            Document("rocprofv3", "a_results.json", rocprofv3(), counting.rocprofv3_records, is_lenient=True),
            Document("communication.json", "communication.json", communication(), counting.communication_operations),
            Document("ikp", "a.json", ikp(), counting.trace_events, "kernel"),
            Document("iket", "a.json", iket(), iket_records, "kernel")]

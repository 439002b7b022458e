"""The files that are mutated: the scripted workload in every format, the examples, and real traces where there are any."""

import gzip
import importlib
import json
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import binaries
import counting

TESTS = Path(__file__).resolve().parents[2]
sys.path += [str(TESTS / "workload"), str(TESTS / "cli")]

# Which of the rules hold for a file; see mutation_test.py.
TABLE, JSON, DATABASE, BINARY, KERNEL = "table", "json", "database", "binary", "kernel"


@dataclass
class Subject:
    name: str
    sort: str
    data: bytes
    file_name: str
    count: object = None  # of counting; None where Python has no reader for it
    figure: str = "events"  # of `info`, that must not become smaller; "seen" for records of `kernel decode`
    beside: dict = field(default_factory=dict)  # the other files of its directory, by path below it

    def place(self, data, folder):
        """Writes the file, and what belongs beside it. Returns what lockstep is given."""
        for name, content in self.beside.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        path = folder / self.file_name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        return folder / Path(self.file_name).parts[0]


def compressed(subject):
    """The same file packed: its compressed bytes are mutated. Same bytes at every run."""
    inner = subject.count
    count = None if inner is None else Packed(inner)
    return Subject(subject.name + ".gz", subject.sort, gzip.compress(subject.data, 6, mtime=0), subject.file_name + ".gz", count)


class Packed:
    """Counts what a compressed file holds; a class, so that it can travel to another process."""

    def __init__(self, count):
        self.count = count

    def __call__(self, data):
        return self.count(counting.inflated(data))


def written(writer, folder, steps=6, **how):
    from workload import scripted
    folder.mkdir()
    return importlib.import_module(f"write_{writer}").write(scripted(steps=steps), folder, **how)


def workload(folder):
    """One scripted run, as each profiler would write it."""
    def one(writer, sort, count=None, name=None, **how):
        path = written(writer, folder / (name or writer), **how)
        return Subject(name or writer, sort, path.read_bytes(), path.name, count)
    yield one("kineto", JSON, counting.trace_events)
    yield one("rocprofv1", JSON, counting.rocprof_v1_events)
    yield one("rocprofv3", JSON, counting.rocprofv3_records)
    yield one("nsys", DATABASE, counting.database_rows)
    yield one("rocpd", DATABASE, counting.database_rows)
    yield one("rpd", DATABASE, counting.database_rows)
    yield one("ascend_db", DATABASE, counting.database_rows)
    yield one("perfetto", BINARY, binaries.perfetto_events)
    yield one("perfetto", BINARY, binaries.perfetto_events, name="perfetto_compressed", compressed=True)
    yield one("xspace", BINARY, binaries.xspace_events)


def tables(folder):
    torch = written("ascend_text", folder / "torch", steps=12)
    msprof = written("ascend_text", folder / "msprof", msprof=True, task_time=True, timeline=False)
    for name, where, pattern, sort, count in (
            ("kernel_details", torch, "kernel_details*.csv", TABLE, counting.table_rows),
            ("op_summary", msprof, "op_summary*.csv", TABLE, counting.table_rows),
            ("task_time", msprof, "task_time*.csv", TABLE, counting.table_rows),
            ("trace_view", torch, "trace_view*.json", JSON, counting.trace_events),
            ("communication", torch, "communication.json", JSON, counting.communication_operations)):
        path = next(where.rglob(pattern))
        yield Subject(name, sort, path.read_bytes(), path.name, count)
    yield in_directory("bundle_kernel_details", torch, "kernel_details.csv", TABLE, counting.table_rows)
    yield in_directory("bundle_trace_view", torch, "trace_view.json", JSON, counting.trace_events)


def in_directory(name, root, wanted, sort, count):
    """A file of a directory that is read as one profile."""
    files = {str(path.relative_to(root.parent)): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}
    file_name = next(path for path in files if Path(path).name == wanted)
    # Kernels that the table has lost stay as annotations of the timeline.
    figure = "kernels" if sort == TABLE else "events"
    return Subject(name, sort, files.pop(file_name), file_name, count, figure, files)


def generated(program, folder):
    """A trace of the generator, where it was built."""
    if not program:
        return
    path = folder / "generated.json"
    subprocess.run([program, "--passes", "3", "--layers", "4", "--quirk", "counters", "-o", str(path)], check=True)
    yield Subject("generated", JSON, path.read_bytes(), path.name, counting.trace_events)


def kernels():
    import kernel_file
    yield Subject("kernel_pipeline", KERNEL, kernel_file.three_launches(), "pipeline.lkp", binaries.recorded, "seen")
    for path in sorted((TESTS.parent / "examples" / "kernel-profiler" / "recordings").glob("*.lkp")):
        yield Subject(path.stem, KERNEL, path.read_bytes(), path.name, binaries.recorded, "seen")
    yield Subject("ikp", JSON, ikp_json(), "ikp.json", counting.trace_events, "seen")


def ikp_json():
    """What intra-kernel-profiler writes: a list of regions by block and warp."""
    events = [{"name": ("load", "mma", "store")[k], "ph": "X", "ts": 1000 * block + 100 * k + 7 * warp, "dur": 50 + k,
               "pid": 0, "tid": 8 * block + warp, "args": {"block": block, "warp": warp, "sm": block % 4}}
              for block in range(16) for warp in range(8) for k in range(3)]
    return json.dumps({"traceEvents": events}).encode()


def nested_json():
    """Events whose arguments are lists in lists and objects in objects."""
    events = [{"ph": "X", "cat": "cpu_op", "name": f"op {i}", "pid": 1, "tid": 1 + i % 3, "ts": 100 + 10 * i, "dur": 5,
               "args": {"External id": i, "Concrete Inputs": ["", "[1, 8]", "1"], "Input Dims": [[1, 8], [[2, 3], []], []],
                        "Input type": ["float", "", "Scalar"], "more": {"a": [{"q": i}, {}], "b": {"c": {"d": None}}}}}
              for i in range(250)]
    return json.dumps(events).encode()


def indented(name, data, most=700):
    """A trace as people print it, the first of its events."""
    root = json.loads(data, parse_float=str)
    root["traceEvents"] = [{**event, **{key: float(event[key]) for key in ("ts", "dur") if isinstance(event.get(key), str)}}
                           for event in root["traceEvents"][:most]]
    return Subject(name, JSON, json.dumps(root, indent=2).encode(), name + ".json", counting.trace_events)


def in_members(subject, piece=8192):
    """The same file packed in pieces, as pigz and bgzip do."""
    pieces = [subject.data[at:at + piece] for at in range(0, len(subject.data), piece)]
    packed = b"".join(gzip.compress(one, 6, mtime=0) for one in pieces)
    return Subject(subject.name + "_members.gz", subject.sort, packed, subject.file_name + ".gz", Packed(subject.count))


REAL = [
    ("ascend/text_level1_rank0_ascend_pt/ASCEND_PROFILER_OUTPUT/kernel_details.csv", TABLE, counting.table_rows),
    ("ascend/llm_step_rank0/kernel_details.csv", TABLE, counting.table_rows),
    ("ascend/old2023_rank0/ASCEND_PROFILER_OUTPUT/communication.json", JSON, counting.communication_operations),
    ("ascend/trace_view_msprof_analyze.json.gz", JSON, counting.trace_events),
    ("kineto/tl_mi210_gpu_only.json.gz", JSON, counting.trace_events),
    ("kineto/tl_vllm_decode_full_graph_execution.json.gz", JSON, counting.trace_events),
    ("kineto/hta_mi250_minitoy_rocm6_2.json.gz", JSON, counting.trace_events),
    ("kineto/old2021_gpu_metrics.json.gz", JSON, counting.trace_events),
    ("kineto/hta_cuda_event_sync_multi_stream.json.gz", JSON, counting.trace_events),
    ("h200/proton_cupti.chrome_trace", JSON, counting.trace_events),
    ("rocm/rocprofv1_hip_trace_results.json", JSON, counting.rocprof_v1_events),
    ("rocm/rpd_matmul_large.rpd", DATABASE, counting.database_rows),
    ("rocm/batched_gemm_28_results.db", DATABASE, counting.database_rows),
    ("nsys/pipit_saxpy_mpi_cuda.sqlite", DATABASE, counting.database_rows),
    ("ascend/db_level1_rank1_ascend_pt/ASCEND_PROFILER_OUTPUT/ascend_pytorch_profiler_1.db", DATABASE,
     counting.database_rows),
    ("h200/jax_train.xplane.pb.gz", BINARY, binaries.xspace_events),
    ("xspace/tl_jax08_attention_mi300.xplane.pb", BINARY, binaries.xspace_events),
]


INDENTED = "kineto/hta_cuda_event_sync_multi_stream.json.gz"


def real(corpus):
    """Traces of real machines. What is packed is mutated packed and unpacked."""
    yield indented("real_indented", gzip.decompress((corpus / INDENTED).read_bytes()))
    for place, sort, count in REAL:
        path = corpus / place
        name = "real_" + place.split("/")[1 if sort != DATABASE else 0] + ("_" + path.stem if sort == DATABASE else "")
        data = path.read_bytes()
        if path.suffix == ".gz":
            plain = Subject(name.removesuffix(".gz"), sort, gzip.decompress(data), path.stem, count)
            yield plain
            yield Subject(name, sort, data, path.name, None if count is None else Packed(count))
        else:
            yield Subject(name, sort, data, path.name, count)


def all_subjects(folder, generator, corpus):
    made = [*workload(folder), *tables(folder), *generated(generator, folder), *kernels()]
    by_name = {subject.name: subject for subject in made}
    made += [compressed(by_name[name]) for name in ("kineto", "rocprofv3", "kernel_details", "xspace")]
    made += [in_members(by_name[name]) for name in ("kernel_details", "kineto")]
    made.append(Subject("nested", JSON, nested_json(), "nested.json", counting.trace_events))
    made.append(indented("kineto_indented", by_name["kineto"].data))
    if corpus:
        made += real(Path(corpus))
    return made

"""Ascend's tables and folders: endless lines and cells, many columns, many files."""

import sys
from pathlib import Path

from .shape import shape, write

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "workload"))

READER = "Ascend CSV"
COLUMNS = ["Step Id", "Device_id", "Model ID", "Task ID", "Stream ID", "Name", "Type", "OP State",
           "Accelerator Core", "Start Time(us)", "Duration(us)", "Wait Time(us)", "Block Dim"]
HEADER = ",".join(COLUMNS) + "\n"


def row(i, name="MatMul", device=0, stream=3):
    return f"1,{device},1,{i},{stream},{name},MatMul,static,AI_CORE,{1000 + 10 * i}.000,8.0,1.0,8\n"


def table(folder, *parts):
    return write(folder / "kernel_details.csv", *parts)


@shape("rows", READER, 50_000)
def rows(n, folder):
    return table(folder, HEADER, (row(i) for i in range(n)))


@shape("one line that never ends", READER, 16_000_000)
def endless_line(n, folder):
    return table(folder, HEADER, row(0), ("a", n))


@shape("commas that never end", READER, 16_000_000)
def endless_commas(n, folder):
    return table(folder, HEADER, row(0), (",", n), "\n", row(1))


@shape("a quoted cell that never ends", READER, 16_000_000)
def endless_cell(n, folder):
    return table(folder, HEADER, row(0), '1,0,1,1,3,"', ("a\n", n // 2))


@shape("quotes", READER, 16_000_000)
def quotes(n, folder):
    return table(folder, HEADER, row(0), ('"', n), "\n", row(1))


@shape("lines without content", READER, 8_000_000)
def empty_lines(n, folder):
    return table(folder, HEADER, row(0), ("\n", n), row(1))


@shape("lines that are too short", READER, 1_000_000)
def short_lines(n, folder):
    return table(folder, HEADER, row(0), ("1,2\n", n), row(1))


# A line beyond 1 MiB is no head, and no row.
@shape("columns", READER, 400_000, code=3)
def columns(n, folder):
    wide = "".join(f",column {i}" for i in range(n))
    return table(folder, HEADER[:-1], wide, "\n", (row(i)[:-1] + "," * 100 + "\n" for i in range(n // 100)))


@shape("one column again and again", READER, 1_000_000, code=3)
def same_column(n, folder):
    return table(folder, HEADER[:-1], (",Name", n), "\n", row(0), row(1))


@shape("devices of one row", READER, 20_000)
def devices(n, folder):
    return table(folder, HEADER, (row(i, device=i) for i in range(n)))


@shape("streams of one row", READER, 20_000)
def streams(n, folder):
    return table(folder, HEADER, (row(i, stream=i) for i in range(n)))


@shape("rows of zero bytes", READER, 16_000_000)
def zero_bytes(n, folder):
    return table(folder, HEADER, row(0), (b"\0", n), "\n", row(1))


@shape("a folder of tables", "Ascend folder", 300)
def folder_of_tables(n, folder):
    top = folder / "many"
    for i in range(n):
        place = top / f"rank{i}_ascend_pt" / "ASCEND_PROFILER_OUTPUT"
        place.mkdir(parents=True)
        write(place / "kernel_details.csv", HEADER, row(i), row(i + 1))
    return top


def collective(i):
    return (f"1,0,1,{i},N/A,hcom_allReduce__5_{i}_1,hcom_allReduce_,static,COMMUNICATION,{1000 + 10 * i}.000,"
            "8.0,1.0,8\n")


def profile(top, name):
    place = top / f"{name}_ascend_pt" / "ASCEND_PROFILER_OUTPUT"
    place.mkdir(parents=True)
    return place


@shape("ranks behind one of many collectives", "Ascend folder", 500, gated=True)
def ranks_behind_collectives(n, folder):
    top = folder / "many"
    write(profile(top, "rank0") / "kernel_details.csv", HEADER, (collective(i) for i in range(200 * n)))
    for i in range(1, n):
        write(profile(top, f"rank{i}") / "kernel_details.csv", HEADER, collective(0))
    return top


# A table of more than 20,000 rows is no table of sums.
@shape("types of operators, counted in two tables", "Ascend folder", 5_000, gated=True)
def counted_types(n, folder):
    top = folder / "many"
    types = [f"{'x' * 40}{100_000 + i}" for i in range(min(n, 20_000))]
    for rank in range(max(1, n // 20_000)):
        place = profile(top, f"rank{rank}")
        write(place / "op_statistic.csv", "Device_id,OP Type,Core Type,Count,Total Time(us)\n",
              (f"0,{name},AI_CORE,1,8\n" for name in types))
        write(place / "kernel_details.csv", HEADER,
              (row(i).replace(",MatMul,static", f",{name},static") for i, name in enumerate(types)))
    return top


@shape("kernels that all begin at once", "Ascend folder", 20_000, gated=True)
def equal_starts(n, folder):
    place = profile(folder, "rank0")
    kernel = ('{"ph":"X","name":"MatMul","pid":1,"tid":3,"ts":"1000.000","dur":8.0,'
              '"args":{"Task Type":"AI_CORE","Stream Id":3}},')
    write(place / "trace_view.json", '[{"ph":"M","name":"process_name","pid":1,"args":{"name":"Ascend Hardware"}},',
          (kernel, n - 1), kernel[:-1], "]")
    write(place / "kernel_details.csv", HEADER, (row(0), n))
    return place.parent


@shape("a folder of other files", "folders", 5_000, code=3)
def folder_of_others(n, folder):
    top = folder / "many"
    top.mkdir()
    for i in range(n):
        (top / f"{i}.txt").write_text("x")
    return top

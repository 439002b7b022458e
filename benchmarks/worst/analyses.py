"""What loops, comparisons, idle times and writers find hardest: many devices, steps, names, crossings."""

import random

from .json_traces import HEAD, TAIL, document, span
from .shape import shape, write

ANOMALIES = ("anomalies", "IN", "--json")
CYCLES = ("cycles", "IN", "--json")
COMPARE = ("compare", "IN", "--json")
TO_JSON = ("convert", "IN", "-o", "OUT.json")
TO_PERFETTO = ("convert", "IN", "-o", "OUT.pftrace")
TO_XSPACE = ("convert", "IN", "-o", "OUT.xplane.pb")


def kernels(names, **place):
    return (span(i, name, **place) + "," for i, name in enumerate(names))


def two_files(folder, first, second):
    paths = []
    for number, names in enumerate((first, second)):
        paths.append(write(folder / f"{number}.json", HEAD, kernels(names), span(10**7), TAIL))
    return paths


def devices_of(n):
    return (span(i, "kernel", pid=i) + "," for i in range(n))


def steps_of(n, width=10):
    return (f'{{"ph":"X","cat":"user_annotation","name":"ProfilerStep#{i}","pid":"host","tid":1,'
            f'"ts":{1000 + width * i},"dur":{width}}},' for i in range(n))


def launched(n, call="cudaLaunchKernel", device=lambda i: 0):
    """Kernels with the calls that launched them."""
    for i in range(n):
        yield (f'{{"ph":"X","cat":"cuda_runtime","name":"{call}","pid":"host","tid":1,"ts":{1000 + 10 * i},'
               f'"dur":4,"args":{{"correlation":{i + 1}}}}},')
        yield span(i, f"kernel {i % 5}", pid=device(i), rest=f',"args":{{"correlation":{i + 1}}}') + ","


@shape("ranks of one kernel and call", "XSpace", 500, *TO_XSPACE, gated=True)
def many_ranks(n, folder):
    top = folder / "many"
    top.mkdir()
    for i in range(n):
        write(top / f"rank_{i}.json", HEAD, launched(1), span(1), TAIL)
    return top


@shape("devices", "anomalies", 4_000, *ANOMALIES)
def devices(n, folder):
    return document(folder, devices_of(n), span(n))


@shape("devices that graphs feed", "anomalies", 3_000, *ANOMALIES)
def graph_devices(n, folder):
    return document(folder, launched(n, "cudaGraphLaunch", lambda i: i), span(n))


@shape("devices that communicate", "anomalies", 4_000, *ANOMALIES)
def talking_devices(n, folder):
    rows = (span(i, "ncclDevKernel_AllReduce_Sum_f32_RING_LL", pid=i) + "," for i in range(n))
    return document(folder, rows, span(n))


@shape("devices and steps", "anomalies", 1_000, *ANOMALIES)
def devices_and_steps(n, folder):
    return document(folder, devices_of(n), steps_of(n), span(n))


@shape("steps", "anomalies", 4_000, *ANOMALIES)
def steps(n, folder):
    return document(folder, launched(n), steps_of(n), span(n))


@shape("threads", "anomalies", 10_000, *ANOMALIES)
def threads(n, folder):
    rows = (span(i, "aten::op", pid='"host"', tid=i, category="cpu_op") + "," for i in range(n))
    return document(folder, launched(n // 10), rows, span(n))


@shape("a stack of calls", "anomalies", 10_000, *ANOMALIES)
def deep_stack(n, folder):
    rows = (f'{{"ph":"X","cat":"cpu_op","name":"f","pid":"host","tid":1,"ts":{1000 + i},"dur":{20 * n - 2 * i}}},'
            for i in range(n))
    return document(folder, launched(n // 2), rows, span(n))


@shape("gaps between all kernels", "anomalies", 10_000, *ANOMALIES)
def gaps(n, folder):
    rows = (span(100 * i, f"kernel {i % 3}") + "," for i in range(n))
    return document(folder, rows, span(100 * n))


@shape("names, all different", "anomalies", 20_000, *ANOMALIES)
def anomaly_names(n, folder):
    return document(folder, kernels(f"kernel {i}" for i in range(n)), span(n))


@shape("one kernel again and again", "cycles", 50_000, *CYCLES)
def one_kernel(n, folder):
    return document(folder, kernels("k" for _ in range(n)), span(n))


def fibonacci(n):
    a, b = "a", "ab"
    while len(b) < n:
        a, b = b, b + a
    return b[:n]


@shape("a Fibonacci word", "cycles", 30_000, *CYCLES)
def fibonacci_word(n, folder):
    return document(folder, kernels(fibonacci(n)), span(n))


@shape("kernels at random", "cycles", 30_000, *CYCLES)
def random_kernels(n, folder):
    rng = random.Random(1)
    return document(folder, kernels(f"k{rng.randrange(4)}" for _ in range(n)), span(n))


@shape("names, all different", "cycles", 30_000, *CYCLES)
def cycle_names(n, folder):
    return document(folder, kernels(f"kernel {i}" for i in range(n)), span(n))


@shape("loops in loops", "cycles", 30_000, *CYCLES)
def nested_loops(n, folder):
    word, letter = "", 0
    while len(word) < n:
        word = word * 3 + chr(97 + letter % 26)
        letter += 1
    return document(folder, kernels(word[:n]), span(n))


@shape("streams", "cycles", 10_000, *CYCLES)
def streams(n, folder):
    return document(folder, (span(i, "kernel", tid=i) + "," for i in range(n)), span(n))


@shape("streams and steps", "cycles", 1_500, *CYCLES)
def streams_and_steps(n, folder):
    return document(folder, (span(i, "kernel", tid=i) + "," for i in range(n)), steps_of(n), span(n))


@shape("annotations, all different", "cycles", 20_000, *CYCLES)
def annotations(n, folder):
    rows = (span(i, f"region {i}", pid='"host"', category="user_annotation") + "," for i in range(n))
    return document(folder, rows, launched(n // 4), span(n))


@shape("ranks", "cycles", 200, *CYCLES)
def ranks(n, folder):
    top = folder / "ranks"
    top.mkdir()
    for rank in range(n):
        write(top / f"{rank}.json", f'{{"schemaVersion":1,"distributedInfo":{{"rank":{rank}}},"traceEvents":[',
              span(0, "a"), ",", span(1, "b"), TAIL)
    return top


@shape("ranks", "anomalies", 200, *ANOMALIES)
def anomaly_ranks(n, folder):
    return ranks(n, folder)


@shape("ranks with steps", "info", 200)
def ranks_with_steps(n, folder):
    top = folder / "ranks"
    top.mkdir()
    for rank in range(n):
        write(top / f"{rank}.json", f'{{"schemaVersion":1,"distributedInfo":{{"rank":{rank}}},"traceEvents":[',
              steps_of(50), span(0, "a"), TAIL)
    return top


# Beyond what is aligned exactly, which is quadratic and has an end of its own: some two seconds.
@shape("kernels at random on both sides", "compare", 40_000, *COMPARE)
def compare_random(n, folder):
    one, other = random.Random(1), random.Random(2)
    return two_files(folder, [f"k{one.randrange(4)}" for _ in range(n)], [f"k{other.randrange(4)}" for _ in range(n)])


@shape("names, all different", "compare", 3_000, *COMPARE)
def compare_names(n, folder):
    # Every second one is on both sides: with nothing in common, nothing would be aligned.
    return two_files(folder, *([f"{'both' if i % 2 else side} {i}" for i in range(n)] for side in "ab"))


@shape("one kernel against two", "compare", 10_000, *COMPARE)
def compare_loops(n, folder):
    return two_files(folder, ["a"] * n, ["a", "b"] * (n // 2))


@shape("names in another order", "compare", 3_000, *COMPARE)
def compare_shuffled(n, folder):
    names = [f"kernel {i}" for i in range(n)]
    return two_files(folder, names, random.Random(1).sample(names, n))


@shape("devices", "compare", 2_000, *COMPARE)
def compare_devices(n, folder):
    return [write(folder / f"{side}.json", HEAD, devices_of(n), span(n), TAIL) for side in range(2)]


def crossing(n):
    """Spans of one thread that all cross: each ends behind the begin of the last."""
    return (f'{{"ph":"X","cat":"cpu_op","name":"f","pid":1,"tid":1,"ts":{1000 + i},"dur":{n}}},' for i in range(n))


@shape("spans that cross", "to Chrome JSON", 20_000, *TO_JSON)
def crossing_json(n, folder):
    return document(folder, crossing(n), span(n))


@shape("spans that cross", "to Perfetto", 20_000, *TO_PERFETTO)
def crossing_perfetto(n, folder):
    return document(folder, crossing(n), span(n))


@shape("spans that cross", "to XSpace", 20_000, *TO_XSPACE)
def crossing_xspace(n, folder):
    return document(folder, crossing(n), span(n))


def processes_of(n):
    return (span(i, "f", pid=i, tid=i, category="cpu_op") + "," for i in range(n))


@shape("processes of one event", "to Chrome JSON", 20_000, *TO_JSON)
def processes_json(n, folder):
    return document(folder, processes_of(n), span(n))


@shape("processes of one event", "to Perfetto", 20_000, *TO_PERFETTO)
def processes_perfetto(n, folder):
    return document(folder, processes_of(n), span(n))


@shape("devices", "to XSpace", 20_000, *TO_XSPACE)
def devices_xspace(n, folder):
    return document(folder, devices_of(n), span(n))


@shape("names of control characters", "to Chrome JSON", 20_000, *TO_JSON)
def control_names(n, folder):
    return document(folder, (span(i, "\\u0001" * 40 + str(i)) + "," for i in range(n)), span(n))


@shape("devices", "info", 20_000)
def info_devices(n, folder):
    return document(folder, devices_of(n), span(n))


@shape("steps", "info", 20_000)
def info_steps(n, folder):
    return document(folder, steps_of(n), span(n))


@shape("names, all different", "info", 30_000)
def info_names(n, folder):
    return document(folder, kernels(f"kernel {i}" for i in range(n)), span(n))


@shape("one device of many", "selection", 20_000, "convert", "IN", "--devices", "5", "-o", "OUT.json")
def selected(n, folder):
    return document(folder, devices_of(n), span(n))

"""Names that are hard to read or to tell apart, and passes of which no two are alike."""

from .analyses import COMPARE, CYCLES, kernels
from .json_traces import HEAD, TAIL, document, span
from .shape import shape, write

ALL_NAMES = ("info", "IN", "--top", "0")  # as text: only there names are shortened
CYCLES_TEXT = ("cycles", "IN", "--all")
COMPARE_TEXT = ("compare", "IN")
# Levels of templates: what the demangler still reads, and what costs more than it may.
DEEP, TOO_DEEP = 120, 200


def run_of(names, folder):
    names = list(names)
    return document(folder, kernels(names), span(len(names)))


def mangled_template(inside, depth):
    """kernel<A<A<...<inside>...>>>()"""
    return "_Z6kernelI" + depth * "1AI" + inside + depth * "E" + "Evv"


def scopes(i):
    return "_ZN" + 120 * "10namespaces" + f"{len(str(i)) + 6}kernel{i}Ev"


def one_argument(i, arguments=60):
    """Alike but for one template argument, each name at another place and with another number."""
    words = [f"Type{k}" for k in range(arguments)]
    words[i % arguments] = str(i)
    return f"void kernel<{', '.join(words)}>(int)"


@shape("mangled names of many scopes", "info", 400, *ALL_NAMES)
def many_scopes(n, folder):
    return run_of((scopes(i) for i in range(n)), folder)


@shape("mangled names, templates nested deep", "info", 400, *ALL_NAMES)
def nested_templates(n, folder):
    return run_of((mangled_template(f"Li{i}E", DEEP) for i in range(n)), folder)


@shape("mangled names, templates nested deep", "cycles", 400, *CYCLES)
def nested_templates_in_cycles(n, folder):
    return run_of((mangled_template(f"Li{i}E", DEEP) for i in range(n)), folder)


@shape("mangled names, nested too deep to be read", "cycles", 400, *CYCLES)
def unread_templates(n, folder):
    return run_of((mangled_template(f"Li{i}E", TOO_DEEP) for i in range(n)), folder)


@shape("templates of many arguments", "info", 2_000, *ALL_NAMES)
def wide_templates(n, folder):
    types = ", ".join(f"Type{k}" for k in range(n))
    return run_of((f"void kernel<{types}, {i}>(int)" for i in range(8)), folder)


@shape("names that differ in one of 60 places", "info", 2_000, *ALL_NAMES)
def one_place(n, folder):
    return run_of(map(one_argument, range(n)), folder)


@shape("names that differ in one of 60 places", "cycles", 2_000, *CYCLES_TEXT)
def one_place_in_cycles(n, folder):
    return run_of((one_argument(i % (n // 2)) for i in range(n)), folder)


@shape("names that differ in one of 60 places", "compare", 1_000, *COMPARE_TEXT)
def one_place_in_compare(n, folder):
    sides = [[one_argument(i) for i in range(n)], [one_argument(i + n // 2) for i in range(n)]]
    return [write(folder / f"{side}.json", HEAD, kernels(names), span(n), TAIL) for side, names in enumerate(sides)]


@shape("64 names that each have a place of their own", "info", 500, *ALL_NAMES)
def own_places(n, folder):
    names = []
    for i in range(64):
        words = [f"Type{k}" for k in range(64 + n)]
        words[i] = "int"
        names.append(f"void kernel<{', '.join(words)}>(int)")
    return run_of(names, folder)


def cut_alike(i):
    """Two names a group whose cuts to the width of a table are alike; groups differ where a number takes the room."""
    group, last = divmod(i, 2)
    place = "".join(chr(97 + group // 26 ** digit % 26) for digit in (3, 2, 1, 0))
    return "k" * 18 + place + 60 * "m" + "xy"[last] + 60 * "m" + 40 * "e"


@shape("names that are cut to the same", "info", 2_000, *ALL_NAMES)
def cut_names(n, folder):
    return run_of(map(cut_alike, range(n)), folder)


def small_pass(i, layers=4):
    """A pass of a model that no other pass is like by name."""
    layer = [f"rms_norm_kernel_{i}", f"qkv_gemm_{i}", f"flash_fwd_kernel_{i}", f"out_gemm_{i}"]
    return [f"embedding_{i}", *layers * layer, f"argmax_kernel_{i}"]


def passes(n, layers=lambda i: 4):
    return [name for i in range(n) for name in small_pass(i, layers(i))]


@shape("passes, no two alike", "cycles", 1_000, *CYCLES)
def unlike_passes(n, folder):
    return run_of(passes(n), folder)


@shape("passes, no two alike, as text", "cycles", 1_000, *CYCLES_TEXT)
def unlike_passes_as_text(n, folder):
    return run_of(passes(n), folder)


@shape("passes of all numbers of layers", "cycles", 1_000, *CYCLES)
def families_of_passes(n, folder):
    return run_of(passes(n, lambda i: 2 + i % 40), folder)


@shape("small passes behind a large one", "cycles", 1_000, *CYCLES)
def behind_a_large_pass(n, folder):
    large = small_pass(0)
    large[1:1] = [f"elementwise_{i}" for i in range(20 * n)]
    return run_of(large + passes(n), folder)


@shape("passes that come again in another order", "cycles", 1_000, *CYCLES)
def passes_in_another_order(n, folder):
    order = list(range(n)) + [i * 7919 % n for i in range(n)]
    return run_of([name for i in order for name in small_pass(i)], folder)


@shape("passes, no two alike", "compare", 500, *COMPARE)
def compare_unlike_passes(n, folder):
    sides = [passes(n), [name for i in range(n, 2 * n) for name in small_pass(i)]]
    return [write(folder / f"{side}.json", HEAD, kernels(names), span(10**6), TAIL) for side, names in enumerate(sides)]


@shape("passes, no two alike", "info", 1_000, *ALL_NAMES)
def info_unlike_passes(n, folder):
    return run_of(passes(n), folder)

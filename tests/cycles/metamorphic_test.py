"""What must not change when a trace changes: `lockstep cycles` on traces that were cut, renamed, shuffled,
disturbed by a kernel or put together, against what it says of the trace as it was.

Inputs are the examples of the repository and made-up traces; with LOCKSTEP_CORPUS also real ones.
"""
import json
import math
import os
import random
import shutil
import subprocess

from metamorphic_case import EXAMPLES, MetamorphicTestCase, corpus, place, shape  # first: it finds the others
from cli_test_case import PROGRAM, main, some_of

import loop_oracle
from trace_edit import PASS, LAYER, LAYERS, HEAD, KernelTrace, hashed, is_kernel, made_up, \
    model_run

EXAMPLE = EXAMPLES[0]
# Of the example: the first pass, kernels of a pass, passes; its layers; where they begin in a pass.
FIRST, PERIOD, PASSES = 664, 695, 24
LAYERS_OF_EXAMPLE, LAYER_OF_EXAMPLE, HEAD_OF_EXAMPLE = 16, 42, 13
PREFILL = (14, 16, 40)  # its layers: start, complete, period
CUTS = 50
PASS_TOLERANCE = len(PASS) // 20  # kernels of a made-up pass that may differ: 5 %


class ModelTestCase(MetamorphicTestCase):
    def assert_model(self, loops, passes, start, exceptions=0, period=len(PASS), slack=0,
                     inner=(LAYERS, len(LAYER))):
        """One loop of passes, with whole layers in it."""
        found = [loop for loop in loops if loop["depth"] == 0 and loop["period"] == period]
        self.assertEqual([(loop["complete"], loop["exceptions"]) for loop in found],
                         [(passes, exceptions)], [place(loop) for loop in loops])
        self.assertIn(found[0]["start"], range(start, start + slack + 1))
        self.assertIn(inner, [(loop["complete"], loop["period"]) for loop in loops
                              if loop["depth"] == 1 and loop["parent"] == found[0]["id"]])
        return found[0]


class Examples(MetamorphicTestCase):
    """Traces as they are on disk, changed as a whole."""

    def paths(self):
        return [EXAMPLE, *corpus("h200/[!l]*.json.gz", "kineto/tl_*.json.gz", "kineto/hta_ns*.json.gz",
                                 "pairs/[bq]*.json.gz", "ranks/megatron_kineto_0.json.gz")]

    def traces(self):
        for path in self.paths():
            with self.subTest(path=os.path.basename(path)):
                yield path, loop_oracle.load(path)

    def document_on(self, path):
        return json.loads(self.succeed("cycles", "--json", path))

    def written(self, document, events):
        return json.dumps(dict(document, traceEvents=events), default=float)

    def test_spelling_of_names_does_not_matter_to_exact_loops(self):
        for path, document in self.traces():
            renamed = [dict(event, name=hashed(event["name"])) if is_kernel(event) else event
                       for event in document["traceEvents"]]
            before, after = self.document_on(path), self.cycles(self.written(document, renamed))
            # What is alike by role only is lost with the names, and so may be what it held.
            if all(loop["exact"] for s in before["streams"] for loop in s["loops"]):
                self.assertEqual(shape(after), shape(before))
                continue
            for one, other in zip(before["streams"], after["streams"]):
                found = [place(loop) for loop in other["loops"] if loop["depth"] == 0]
                for loop in one["loops"]:
                    if loop["exact"] and loop["depth"] == 0 and loop["complete"] > 2:
                        self.assertIn(place(loop), found)

    def test_order_in_the_file_does_not_matter(self):
        for _, document in self.traces():
            events = document["traceEvents"]
            # The first event with a time stays: it is the zero of the trace.
            zero = next(i for i, event in enumerate(events) if event.get("ts", 0) > 0) + 1
            shuffled = events[zero:]
            random.Random(4).shuffle(shuffled)
            outputs = []
            for order in (events, events[:zero] + shuffled):
                path = self.write("same.json", self.written(document, order))
                outputs.append(self.succeed("cycles", "--json", path))
            self.assertEqual(*outputs)

    def test_runs_and_processors_do_not_matter(self):
        for path, _ in self.traces():
            first = self.succeed("cycles", "--json", path)
            self.assertEqual(self.succeed("cycles", "--json", path), first)
            if shutil.which("taskset"):
                alone = subprocess.run(["taskset", "-c", "0", PROGRAM, "cycles", "--json", path],
                                       capture_output=True, check=False, timeout=120)
                if alone.returncode == 0:  # not every machine lets us choose processor 0
                    self.assertEqual(alone.stdout.decode(), first)


class Example(ModelTestCase):
    """One real trace, kernel by kernel and without annotations."""

    @classmethod
    def setUpClass(cls):
        cls.trace = KernelTrace.read(EXAMPLE)

    def assert_decode(self, loops, passes, start, exceptions=0, slack=0):
        return self.assert_model(loops, passes, start, exceptions, PERIOD, slack,
                                 (LAYERS_OF_EXAMPLE, LAYER_OF_EXAMPLE))

    def test_as_it_is(self):
        loops = self.loops(self.trace.part(0, None), check=True)
        self.assert_decode(loops, PASSES, FIRST)
        self.assertIn(PREFILL, [place(loop) for loop in loops])

    def test_cut_at_its_begin(self):
        size = len(self.trace.kernels)
        for cut in some_of(range(CUTS)):
            at = (2 * cut + 1) * size // (2 * CUTS)
            whole = PASSES - max(0, math.ceil((at - FIRST) / PERIOD))
            if whole < 2:
                continue
            with self.subTest(first_kernel=at):
                loops = self.loops(self.trace.part(at, None), check=cut % 10 == 0)
                self.assert_decode(loops, whole, size - whole * PERIOD - at)

    def test_cut_at_its_end(self):
        for cut in some_of(range(CUTS)):
            at = (2 * cut + 1) * len(self.trace.kernels) // (2 * CUTS)
            whole = (at - FIRST) // PERIOD
            if whole < 2:
                continue
            with self.subTest(kernels=at):
                loops = self.loops(self.trace.part(0, at), check=cut % 10 == 0)
                # Of two passes no gap is typical: the border may be anywhere before the layers.
                self.assert_decode(loops, whole, FIRST, slack=HEAD_OF_EXAMPLE if whole == 2 else 0)
                self.assertIn(PREFILL, [place(loop) for loop in loops])

    def places(self):
        for number in (0, 1, 11, 12):
            for offset in (0, 1, 36, 300, 685, 694):
                yield number, offset, FIRST + number * PERIOD + offset
        # Not its last two: whether the pass lacks its end or the loop begins that much early is
        # anybody's guess, because what comes before the loop ends alike.
        for offset in (0, 36, 300, 685):
            yield 23, offset, FIRST + 23 * PERIOD + offset

    def test_a_foreign_kernel_in_a_pass(self):
        for number, offset, at in some_of(self.places()):
            with self.subTest(number=number, offset=offset):
                loops = self.loops(self.trace.with_foreign(at), check=offset == 36)
                # Before the first kernel of the first pass it is in no pass; behind that it may be
                # taken for it.
                self.assert_decode(loops, PASSES, FIRST, 0 if at == FIRST else 1,
                                   slack=int(at in (FIRST, FIRST + 1)))
                self.assertIn(PREFILL, [place(loop) for loop in loops])

    def test_a_missing_kernel_in_a_pass(self):
        for number, offset, at in some_of(self.places()):
            with self.subTest(number=number, offset=offset):
                loops = self.loops(self.trace.without(at), check=offset == 36)
                # Without its last kernel the pass before the loop lends its own to every pass.
                self.assert_decode(loops, PASSES, FIRST - 1, 1, slack=1)
                self.assertIn(PREFILL, [place(loop) for loop in loops])


class Together(MetamorphicTestCase):
    def test_a_trace_twice_is_a_loop_of_two(self):
        trace = KernelTrace.read(EXAMPLE)
        size = len(trace.kernels)
        loops = self.loops(trace.document(
            trace.moved_to(1000) + trace.moved_to(2000 + trace.length_us())), check=True)
        found = {(loop["depth"], *place(loop)): loop for loop in loops}
        self.assertIn((0, 0, 2, size), found)
        self.assertEqual(found[1, FIRST, PASSES, PERIOD]["instances"], 2)
        self.assertEqual(found[1, *PREFILL]["instances"], 2)

    def test_two_traces_keep_their_loops(self):
        paths = [EXAMPLE, *corpus("h200/llama_compiled.json.gz", "h200/gpt2*.json.gz")]
        traces = [KernelTrace.read(path) for path in paths] + [KernelTrace(model_run()[0])]
        alone = [self.loops(trace.document(trace.moved_to(1000)))
                 for trace in traces]
        for i, first in enumerate(traces):
            for j, second in enumerate(traces):
                if i == j:
                    continue
                with self.subTest(first=i, second=j):
                    loops = self.loops(second.document(
                        first.moved_to(1000) + second.moved_to(2000 + first.length_us())))
                    shift = len(first.kernels)
                    want = [(*place(loop), loop["depth"]) for loop in alone[i]] + \
                        [(loop["start"] + shift, loop["complete"], loop["period"], loop["depth"])
                         for loop in alone[j]]
                    found = [(*place(loop), loop["depth"]) for loop in loops]
                    # Small loops at the seam may find their like on the other side.
                    missing = [one for one in want if one not in found and one[2] >= 5]
                    self.assertEqual(missing, [])


class MadeUp(ModelTestCase):
    """A small model run, disturbed everywhere."""

    @classmethod
    def setUpClass(cls):
        document, cls.first = model_run()
        cls.trace = KernelTrace(document)

    def test_as_it_is(self):
        loops = self.loops(self.trace.part(0, None), check=True)
        loop = self.assert_model(loops, PASSES, self.first)
        self.assertEqual((loop["run_start"], loop["slack"]), (self.first - 1, 1))
        self.assertEqual(loop["border_evidence"], "gap")

    def test_cut_anywhere_at_its_begin(self):
        for offset in some_of(range(len(PASS))):
            with self.subTest(offset=offset):
                at = self.first + 20 * len(PASS) + offset
                whole = 4 if offset == 0 else 3
                loops = self.loops(self.trace.part(at, None), check=offset % 10 == 0)
                self.assert_model(loops, whole, len(self.trace.kernels) - whole * len(PASS) - at)

    def test_cut_anywhere_at_its_end(self):
        # But for the last kernels: the prefill has one like the last, so that with it four passes
        # lack no more than passes may.
        for offset in some_of(range(len(PASS) - 1 - PASS_TOLERANCE)):
            with self.subTest(offset=offset):
                at = self.first + 3 * len(PASS) + offset
                loops = self.loops(self.trace.part(0, at), check=offset % 10 == 0)
                self.assert_model(loops, 3, self.first)

    def test_a_foreign_kernel_anywhere(self):
        for number in (0, 1, 11, 12, 23):
            for offset in some_of(range(0, len(PASS), 3)):
                at = self.first + number * len(PASS) + offset
                if at == len(self.trace.kernels) - 1:
                    continue  # all passes are whole, one kernel earlier
                with self.subTest(number=number, offset=offset):
                    loops = self.loops(self.trace.with_foreign(at), check=offset % 12 == 0)
                    self.assert_model(loops, PASSES, self.first, 0 if at == self.first else 1,
                                      slack=int(at == self.first))

    def test_a_missing_kernel_anywhere(self):
        for number in (0, 1, 11, 12, 22):
            for offset in some_of(range(0, len(PASS), 3)):
                with self.subTest(number=number, offset=offset):
                    at = self.first + number * len(PASS) + offset
                    loops = self.loops(self.trace.without(at), check=offset % 12 == 0)
                    self.assert_model(loops, PASSES, self.first - 1, 1, slack=1)

    def test_an_annotation_beats_the_gap(self):
        names = 10 * PASS + PASS[:20]
        marks = {p * len(PASS) + 2: "iteration" for p in range(10)}
        # Most pauses are elsewhere; annotations open before the third kernel of a pass.
        pauses = {p * len(PASS): 30 for p in range(11)}
        loops = self.loops(json.dumps(made_up(names, pauses, marks)))
        loop = self.assert_model(loops, 10, 2)
        self.assertEqual(loop["border_evidence"], "annotation")

    def test_random_names_hold_to_their_word(self):
        """Whatever is found in noise, it is true."""
        for seed in some_of(range(40)):
            with self.subTest(seed=seed):
                dice = random.Random(seed)
                names = [f"k{dice.randrange(2 + seed % 4)}" for _ in range(dice.randrange(2, 120))]
                self.cycles(json.dumps(made_up(names)), check=True)

    def test_noisy_loops_hold_to_their_word(self):
        for seed in some_of(range(20)):
            with self.subTest(seed=seed):
                dice = random.Random(seed)
                names = [name if dice.random() > 0.01 else f"noise_{dice.randrange(3)}"
                         for _ in range(dice.randrange(4, 12)) for name in PASS]
                self.cycles(json.dumps(made_up(names)), check=True)


class OracleSeesFaults(MetamorphicTestCase):
    """A check that never fails checks nothing."""

    def test_every_number_counts(self):
        text = json.dumps(model_run(passes=5)[0])
        path = self.write("trace.json", text)
        document = json.loads(self.succeed("cycles", "--json", path))
        self.assertEqual(loop_oracle.faults(document, path), [])
        passes = next(loop for loop in document["streams"][0]["loops"]
                      if loop["period"] == len(PASS))
        for key in ("start", "end", "run_start", "run_end", "slack", "period", "repetitions",
                    "complete", "instances", "coverage", "start_ns", "end_ns"):
            for by in (-1, 1):
                with self.subTest(key=key, by=by):
                    before = passes[key]
                    passes[key] = before + by
                    self.assertNotEqual(loop_oracle.faults(document, path), [])
                    passes[key] = before
        for kind, key in [("iterations", "start"), ("iterations", "end"), ("iterations", "wall_ns"),
                          ("iterations", "busy_ns"), ("positions", "mean_ns"),
                          ("positions", "min_ns"), ("positions", "max_ns"), ("positions", "count"),
                          ("positions", "share")]:
            with self.subTest(kind=kind, key=key):
                passes[kind][2][key] += 1
                self.assertNotEqual(loop_oracle.faults(document, path), [])
                passes[kind][2][key] -= 1
        for key in ("wall_ns", "busy_ns", "kernel_sum_ns", "idle_ns"):
            for part in ("p50", "p95", "min", "max"):
                with self.subTest(key=key, part=part):
                    passes[key][part] += 1
                    self.assertNotEqual(loop_oracle.faults(document, path), [])
                    passes[key][part] -= 1
        passes["exact"] = False
        self.assertNotEqual(loop_oracle.faults(document, path), [])


if __name__ == "__main__":
    main()

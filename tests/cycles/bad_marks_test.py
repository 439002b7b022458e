"""`lockstep cycles` on marks that do not fit: optimizers twice a step or in some steps only, captures that begin inside
a step, requests that are cut at both ends, annotations that overlap or lie on another thread."""
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "cli"))
from cli_test_case import CliTestCase, main  # noqa: E402

from trace_edit import HEAD, LAYER, LAYERS, TAIL  # noqa: E402

BACKWARD = ["norm_backward_kernel", "down_gemm_dgrad", "silu_backward_kernel", "up_gemm_dgrad", "flash_bwd_kernel",
            "qkv_gemm_dgrad", "add_backward_kernel"]
LOSS = ["nll_loss_kernel", "nll_loss_backward_kernel"]
UPDATE = 3 * ["multi_tensor_apply_kernel<AdamFunctor>"]
FORWARD_AND_BACK = HEAD + LAYERS * LAYER + LOSS + LAYERS * BACKWARD
STEP = FORWARD_AND_BACK + UPDATE
PASS = HEAD + LAYERS * LAYER + TAIL
PREFILL = HEAD[:1] + LAYERS * ["long_" + name for name in LAYER] + TAIL
OPTIMIZER = "Optimizer.step#AdamW.step"
EVERY_US, LAG_US = 10, 500


def trace(names, annotations=()):
    """Kernels of these names, launched one by one, far ahead of the device. An annotation is a name, the first kernel
    that is launched inside it, the first behind it, and the thread that makes it."""
    events = []
    for i, name in enumerate(names):
        at = 1000 + EVERY_US * i
        events.append({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": at,
                       "dur": 2, "args": {"correlation": i + 1}})
        events.append({"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7, "ts": at + LAG_US, "dur": 5,
                       "args": {"device": 0, "stream": 7, "correlation": i + 1}})
    for name, first, last, thread in annotations:
        events.append({"ph": "X", "cat": "user_annotation", "name": name, "pid": 1, "tid": thread,
                       "ts": 1000 + EVERY_US * first - 1, "dur": EVERY_US * (last - first), "args": {}})
    return json.dumps({"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "made up"}], "traceEvents": events})


class BadMarksTestCase(CliTestCase):
    def stream(self, names, annotations=()):
        path = self.write("trace.json", trace(names, annotations))
        self.succeed("cycles", path)
        (stream,) = json.loads(self.succeed("cycles", path, "--json"))["streams"]
        return stream

    def steps(self, stream):
        return [(loop["start"], loop["complete"], loop["period"]) for loop in stream["loops"] if loop["role"] == "step"]


class Optimizers(BadMarksTestCase):
    def test_two_in_every_step_close_one_step(self):
        names = 8 * (FORWARD_AND_BACK + 2 * UPDATE)
        period = len(FORWARD_AND_BACK) + 2 * len(UPDATE)
        ends = [step * period + len(FORWARD_AND_BACK) for step in range(8)]
        marks = [(OPTIMIZER, at + k * len(UPDATE), at + (k + 1) * len(UPDATE), 1) for at in ends for k in (0, 1)]
        self.assertEqual(self.steps(self.stream(names, marks)), [(0, 8, period)])

    def test_in_some_steps_only_leave_the_loop_what_it_is(self):
        names, marks = [], []
        for step in range(9):
            names += FORWARD_AND_BACK
            if step % 3 == 2:
                marks.append((OPTIMIZER, len(names), len(names) + len(UPDATE), 1))
                names += UPDATE
        stream = self.stream(names, marks)
        (around,) = [loop for loop in stream["loops"] if loop["depth"] == 0]
        self.assertEqual((around["complete"], around["period"], around["role"]),
                         (3, 3 * len(FORWARD_AND_BACK) + len(UPDATE), "step"))
        (micro,) = [loop for loop in stream["loops"] if loop["role"] == "micro_step"]
        self.assertEqual((micro["complete"], micro["period"]), (3, len(FORWARD_AND_BACK)))
        self.assertEqual({phase["layers"] for phase in stream["phases"]}, {LAYERS})

    def test_behind_unlike_numbers_of_micro_steps_close_steps(self):
        names, marks = [], []
        for micro_steps in (1, 3, 2, 1, 4, 2, 3):
            names += micro_steps * FORWARD_AND_BACK
            marks.append((OPTIMIZER, len(names), len(names) + len(UPDATE), 1))
            names += UPDATE
        stream = self.stream(names, marks)
        (step,) = [loop for loop in stream["loops"] if loop["role"] == "step"]
        self.assertEqual([one["end"] for one in step["iterations"]], [last for _, _, last, _ in marks])
        self.assertEqual({phase["phase"] for phase in stream["phases"]}, {"training"})


class MarkedSteps(BadMarksTestCase):
    def test_of_which_one_does_something_else_are_steps(self):
        names, marks = [], []
        for number in range(8):
            first = len(names)
            names += 2 * PASS if number == 5 else STEP
            marks.append((f"ProfilerStep#{number}", first, len(names), 1))
        stream = self.stream(names, marks)
        (around,) = [loop for loop in stream["loops"] if loop["depth"] == 0]
        self.assertEqual([one["start"] for one in around["iterations"]], [first for _, first, _, _ in marks])
        # What the others run is not looked for in it.
        begin, end = marks[5][1:3]
        for loop in stream["loops"][1:]:
            self.assertFalse([one for one in loop["iterations"] if begin <= one["start"] < end], loop["role"])


class CutOff(BadMarksTestCase):
    def test_a_capture_that_begins_inside_a_step(self):
        cut = len(STEP) // 2
        ends = [(step + 1) * len(STEP) - cut for step in range(7)]
        marks = [(OPTIMIZER, end - len(UPDATE), end, 1) for end in ends]
        stream = self.stream((7 * STEP)[cut:], marks)
        self.assertEqual(self.steps(stream), [(ends[0], 6, len(STEP))])
        self.assertEqual({phase["phase"] for phase in stream["phases"]}, {"training"})

    def test_a_request_that_is_cut_at_both_ends(self):
        names = PREFILL[len(PREFILL) // 2:] + 6 * PASS + PASS[:len(PASS) // 2]
        stream = self.stream(names)
        (loop,) = [loop for loop in stream["loops"] if loop["role"] == "pass"]
        self.assertEqual((loop["complete"], loop["period"]), (6, len(PASS)))
        told = [(a_class["phase"], len(a_class["passes"]), family["layers"]) for family in stream["families"]
                for a_class in family["classes"] if family["layers"] == LAYERS]
        self.assertEqual([count for _, count, _ in told], [6])


class Annotations(BadMarksTestCase):
    def test_that_overlap_do_not_move_borders(self):
        marks = []
        for i in range(8):
            marks.append(("one", i * len(PASS), (i + 1) * len(PASS) + 5, 1))
            marks.append(("other", i * len(PASS) + 7, (i + 1) * len(PASS) + 9, 1))
        stream = self.stream(8 * PASS, marks)
        (loop,) = [loop for loop in stream["loops"] if loop["depth"] == 0]
        self.assertEqual((loop["complete"], loop["period"]), (8, len(PASS)))

    def test_of_another_thread_tell_nothing(self):
        marks = [("decode", 3 + 17 * i, 11 + 17 * i, 99) for i in range(20)]
        with_marks, without = self.stream(8 * PASS, marks), self.stream(8 * PASS)
        places = [[(loop["start"], loop["complete"], loop["period"], loop["phase"]) for loop in stream["loops"]]
                  for stream in (with_marks, without)]
        self.assertEqual(*places)


if __name__ == "__main__":
    main()

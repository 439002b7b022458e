"""Times from outside: they count from the earliest event, are never negative, and --slice takes them."""

import json

from cli_test_case import BASE_NS, CliTestCase, kineto, launch, main, small_events


def times_in(value):
    """Every number under a key that names a time."""
    if isinstance(value, list):
        return [time for one in value for time in times_in(one)]
    if not isinstance(value, dict):
        return []
    times = []
    for key, one in value.items():
        if key.endswith(("start_ns", "end_ns", "at_ns", "start_us", "end_us")) and isinstance(one, (int, float)):
            times.append(one)
        else:
            times += times_in(one)
    return times


def late_first_events():
    """Those of the small trace with the latest first: the first in the file is not the earliest."""
    head = [event for event in small_events() if event["ph"] == "M"]
    others = [event for event in small_events() if event["ph"] != "M"]
    return head + sorted(others, key=lambda event: -event["ts"])


class TimesOfATrace(CliTestCase):
    def late_first(self, name="late.json", **facts):
        return self.write(name, kineto(late_first_events(), **facts))

    def document(self, command, *inputs):
        return json.loads(self.run_lockstep(command, *inputs, "--json").stdout)

    def test_the_order_of_events_does_not_move_the_zero(self):
        expected = self.info(self.small_trace())
        found = self.info(self.late_first())
        self.assertEqual(found["origin_ns"], str(BASE_NS + 1_000_000))
        self.assertEqual(found["origin_ns"], expected["origin_ns"])
        self.assertEqual(found["steps"], expected["steps"])
        self.assertEqual(found["steps"][0], {"name": "ProfilerStep#1", "start_ns": 0, "end_ns": 500_000, "kernels": 2,
                                             "device_start_ns": 100_000, "device_end_ns": 300_000})

    def test_no_time_is_negative(self):
        trace = self.late_first()
        for command in ("info", "cycles", "anomalies"):
            with self.subTest(command=command):
                times = times_in(self.document(command, trace))
                if command != "cycles":  # there is no loop in it
                    self.assertTrue(times)
                self.assertTrue(all(time >= 0 for time in times), times)

    def test_absolute_times_survive_conversion(self):
        trace = self.late_first()
        expected = self.info(trace)
        for name in ("out.json", "out.pftrace", "out.xplane.pb"):
            with self.subTest(name=name):
                self.succeed("convert", trace, "-o", self.folder / name)
                found = self.info(self.folder / name)
                for key in ("origin_ns", "steps", "span_ns", "device_busy_ns"):
                    self.assertEqual(found[key], expected[key], key)

    def test_a_printed_time_slices_its_event_again_and_again(self):
        trace = self.late_first()
        whole = self.info(trace)
        second = whole["steps"][1]
        for name in ("part.json", "part.pftrace", "part.xplane.pb"):
            with self.subTest(name=name):
                part = self.folder / name
                again = self.folder / ("again_" + name)
                self.succeed("convert", trace, "-o", part, "--slice",
                             f"{second['start_ns']}ns..{second['end_ns']}ns")
                of_part = self.info(part)
                self.assertEqual([step["name"] for step in of_part["steps"]], ["ProfilerStep#2"])
                step = of_part["steps"][0]
                self.assertEqual(step["start_ns"], 0)
                self.assertEqual(int(of_part["origin_ns"]) + step["start_ns"],
                                 int(whole["origin_ns"]) + second["start_ns"])
                # Of the part, the kernel that runs 100 us behind its start: by the times of the part.
                self.succeed("convert", part, "-o", again, "--slice", "100us..101us", "--kinds", "kernel")
                of_again = self.info(again)
                self.assertEqual([k["name"] for k in of_again["top_kernels"]], ["gemm"])
                # Chrome JSON knows the step by its annotation, which is no kernel; the others keep it.
                first_us = 1_600 if name == "part.json" else 1_500
                self.assertEqual(int(of_again["origin_ns"]), BASE_NS + first_us * 1_000)

    def test_ranks_share_the_earliest_event_of_all(self):
        first = self.late_first("rank0.json", distributedInfo={"rank": 0})
        late = [dict(event, ts=event["ts"] + 250) if "ts" in event else event for event in late_first_events()]
        second = self.write("rank1.json", kineto(late, distributedInfo={"rank": 1}))
        found = self.info(second, first)
        self.assertEqual(found["origin_ns"], str(BASE_NS + 1_000_000))
        self.assertEqual(sorted(step["start_ns"] for step in found["steps"]), [0, 250_000, 500_000, 750_000])

    def test_a_trace_that_counts_from_its_own_start_keeps_its_zero(self):
        events = [dict(event, ts=event["ts"] - 1000) if "ts" in event else event for event in late_first_events()]
        trace = self.write("session.json", json.dumps({"traceEvents": events + launch(9, "last", 900, 950, 1)}))
        expected = self.info(trace)
        self.assertEqual(expected["steps"][0]["start_ns"], 0)
        self.succeed("convert", trace, "-o", self.folder / "out.json")
        text = (self.folder / "out.json").read_text()
        self.assertIn('"name": "ProfilerStep#1", "pid": 100, "tid": 100, "ts": 0.000', text)
        self.assertEqual(self.info(self.folder / "out.json")["steps"], expected["steps"])


if __name__ == "__main__":
    main()

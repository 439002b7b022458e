"""One stall, written in every format that lockstep reads: `lockstep anomalies` finds it in all of them, as long as it
is and between the kernels where it is, and calls the steps by their markers where the format has them."""

import importlib
import json
from dataclasses import replace
from pathlib import Path

import stalled_workload
from stalled_workload import PS_PER_NS, STALLED_STEP, call_of, largest_gap, stalled

TESTS = Path(__file__).resolve().parents[1]
stalled_workload.sys.path.insert(0, str(TESTS / "cli"))

import schema_check  # noqa: E402
from cli_test_case import CliTestCase, main  # noqa: E402

SCHEMA = json.loads((TESTS.parent / "docs/reference/anomalies.schema.json").read_text())
WRITERS = [importlib.import_module(path.stem) for path in sorted((TESTS / "workload").glob("write_*.py"))]


class Formats(CliTestCase):
    def discover(self, path):
        done = self.run_lockstep("anomalies", "--json", "--bubbles", "all", path)
        self.assertEqual(done.returncode, 0, done.stderr)  # one variant loses its last bracket, and says so
        document = json.loads(done.stdout)
        self.assertEqual(list(schema_check.faults(document, SCHEMA)), [])
        return document["anomaly_discovery"]

    def check_stall(self, found, carries):
        before, after = largest_gap(self.work)
        begin, end = before.end_ps // PS_PER_NS, after.start_ps // PS_PER_NS
        longest = max(found["bubble_windows"], key=lambda bubble: bubble["duration_ns"])
        self.assertLessEqual(abs(longest["duration_ns"] - (end - begin)), 1)
        # What else is in its name differs from format to format.
        self.assertIn("llReduce", after.name)
        self.assertIn("llReduce", longest["kernels_after"][0]["name"])
        if "launches" in carries:
            host_part = call_of(self.work, after).end_ps // PS_PER_NS - begin
            self.assertLessEqual(abs(longest["host_part_ns"] - host_part), 1)
            self.assertEqual(longest["host_part_ns"] + longest["queued_part_ns"], longest["duration_ns"])
        if "steps" in carries:
            self.assertEqual([step["name"] for step in found["steps"]],
                             [f"ProfilerStep#{number}" for number in (1, 2, 3)])
            [step] = [step for step in found["steps"] if step["step_id"] == longest["step_id"]]
            self.assertEqual(step["name"], f"ProfilerStep#{STALLED_STEP}")
            self.assertEqual(longest["scope"], "step_internal")

    def test_the_stall_is_found_in_every_format(self):
        self.work = stalled()
        for writer in WRITERS:
            for name, variant in [("plain", {}), *writer.VARIANTS.items()]:
                with self.subTest(format=writer.FORMAT, variant=name):
                    folder = self.folder / f"{writer.FORMAT} {name}".replace(" ", "_")
                    folder.mkdir()
                    variant = dict(variant)
                    carries = writer.CARRIES - set(variant.pop("without", ()))
                    found = self.discover(writer.write(self.work, folder, **variant))
                    self.check_stall(found, carries)

    def test_ranges_that_people_numbered_are_steps_in_every_format_that_has_ranges(self):
        work = stalled()
        work.host_events = [replace(event, name=event.name.replace("ProfilerStep#", "train_step "))
                            for event in work.host_events]
        seen = 0
        for writer in WRITERS:
            if "annotations" not in writer.CARRIES:
                continue
            with self.subTest(format=writer.FORMAT):
                folder = self.folder / writer.FORMAT
                folder.mkdir()
                found = self.discover(writer.write(work, folder))
                self.assertEqual([(step["name"], step["window"]) for step in found["steps"]],
                                 [(f"train_step {number}", "host") for number in (1, 2, 3)])
                seen += 1
        self.assertGreaterEqual(seen, 4)


if __name__ == "__main__":
    main()

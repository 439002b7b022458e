"""`lockstep anomalies` on made-up traces: every planted stall is found where it is and for what it is, and
nothing else is."""
import json
import random
import sys
import unittest
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "cli"))
from cli_test_case import EVERY, CliTestCase, some_of  # noqa: E402

import planted_oracle as oracle  # noqa: E402
from graph_trace import GraphSimulation  # noqa: E402
from planted_trace import (CAUSES, MS, SCOPES, US, VENDORS, Plant, Shape, Simulation,  # noqa: E402
                           stall_length)

TRACES_A_KIND = 6  # of every scope and cause
MIXED_TRACES = 25
HEALTHY_TRACES = 50
LEAST_PLANTED = 200  # what the score must rest on
# Many short gaps that launching leaves: true of the background of half of the traces.
BACKGROUND = "launch_bound"
HEAVY_TAGS = {"DEVICE_IDLE_GAP_HEAVY", "PRELAUNCH_GAP_HEAVY", "TAIL_GAP_HEAVY",
              "INTERNAL_BUBBLE_HEAVY", "STEP_OUTLIER", "HOST_ORIGINATED_RISK",
              "UNTRACED_HOST_BLOCKING_RISK"}


def any_shape(chance, **fixed):
    """A shape of a trace by chance, but for what is fixed."""
    values = {
        "steps": chance.randrange(8, 13),
        "layers": chance.randrange(3, 6),
        "vendor": chance.choice(sorted(VENDORS)),
        "marker": chance.choice(("ProfilerStep", "Step")),
        "background": chance.choice(("launch_bound", "dense")),
        "has_side_stream": chance.random() < 0.7,
        "has_backward_thread": chance.random() < 0.4,
        "has_frames": chance.random() < 0.2,
        "has_step_sync": chance.random() < 0.6,
        "has_input_copy": chance.random() < 0.3,
        "has_odd_steps": chance.random() < 0.3,
    }
    return Shape(**{**values, **fixed})


def shape_for(chance, scopes, causes):
    fixed = {}
    if "inter_step" in scopes:
        fixed["marker"] = "Step"
    if "prelaunch" in scopes:
        fixed["has_input_copy"] = False  # it would be part of the stall and of its cause
    if "python" in causes:
        fixed["has_frames"] = True
    return any_shape(chance, **fixed)


def plant_at(chance, simulation, step, scope, cause, position=None):
    if position is None:
        position = chance.randrange(1, len(simulation.body)) if scope == "step_internal" else 0
    return Plant(step, scope, cause, position, stall_length(chance, simulation.usual_step()))


def planted(seed, scopes, causes):
    """One to three stalls in different steps: few enough to stand out."""
    chance = random.Random(seed)
    simulation = Simulation(chance, shape_for(chance, scopes, causes))
    # Between steps there is something after all but the last.
    steps = chance.sample(range(simulation.shape.steps - 1), chance.randrange(1, 4))
    return simulation.run([plant_at(chance, simulation, step, chance.choice(scopes),
                                    chance.choice(causes)) for step in steps])


def recurring(seed, scope, cause):
    """The same stall at the same place in most steps."""
    chance = random.Random(seed)
    simulation = Simulation(chance, shape_for(chance, [scope], [cause]))
    # Behind the last kernel of all nobody can tell a stall from work that was not recorded.
    last = simulation.shape.steps - (scope in ("tail", "inter_step"))
    steps = sorted(chance.sample(range(last), chance.randrange(simulation.shape.steps * 7 // 10,
                                                               last + 1)))
    position = chance.randrange(1, len(simulation.body)) if scope == "step_internal" else 0
    return simulation.run([plant_at(chance, simulation, step, scope, cause, position)
                           for step in steps])


class PlantedTestCase(CliTestCase):
    def discover(self, trace):
        """The answer, with times as the generator counts them."""
        path = self.write("planted.json", trace.text())
        document = json.loads(self.succeed("anomalies", path, "--json", "--bubbles", "all"))
        found = document["anomaly_discovery"]
        shift = trace.origin - found["steps"][0]["start_ns"]
        for row in found["steps"] + found["bubble_windows"] + found["findings"]:
            for key in ("start_ns", "end_ns"):
                row[key] = None if row[key] is None else row[key] + shift
        self.numbers = {step["step_id"]: i for i, step in enumerate(found["steps"])}
        return found

    def bubbles(self, trace, found):
        """Heavy bubbles as (step, scope, start, end) and their labels."""
        service = [end - start for start, end in oracle.windows(trace)]
        heavy = {}
        for row in found["bubble_windows"]:
            step = self.numbers[row["step_id"]]
            place = (step, row["scope"], row["start_ns"], row["end_ns"])
            if row["end_ns"] - row["start_ns"] >= oracle.heavy_limit(service[step]):
                heavy[place] = row["candidate_labels"]
        return heavy

    @staticmethod
    def told(found):
        return [row for row in found["findings"] if row["kind"] != BACKGROUND]

    def faults(self, trace):
        """What is wrong with the answer about single stalls, in words; and what is right."""
        found = self.discover(trace)
        faults = []
        windows = [(row["start_ns"], row["end_ns"]) for row in found["steps"]]
        if windows != oracle.windows(trace):
            faults.append("other step windows")
        truth = {(plant.step, plant.scope, *oracle.planted_piece(trace, plant)): plant
                 for plant in trace.plants}
        heavy = self.bubbles(trace, found)
        faults += [f"no bubble for {truth[place]}" for place in truth.keys() - heavy.keys()]
        faults += [f"bubble that nobody planted: {place}" for place in heavy.keys() - truth.keys()]
        for place in truth.keys() & heavy.keys():
            if heavy[place] != [truth[place].label]:
                faults.append(f"{truth[place]} is labelled {heavy[place]}")
        faults += self.figure_faults(trace, found)
        faults += self.finding_faults(found, truth)
        faults += self.tag_faults(trace, found)
        return faults

    def figure_faults(self, trace, found):
        """Figures that differ from the slow ones by a nanosecond or more."""
        faults = []
        for step, (row, figures) in enumerate(zip(found["steps"], oracle.metrics(trace))):
            for key, value in figures.items():
                said = round(row[key] * MS) if key.endswith("_ms") else row[key]
                if said != value:
                    faults.append(f"step {step}: {key} is {said}, not {value}")
        for row in found["bubble_windows"]:
            gap = (row["start_ns"], row["end_ns"])
            part = oracle.host_part(trace, gap)
            queued = None if part is None else gap[1] - gap[0] - part
            if (row["host_part_ns"], row["queued_part_ns"]) != (part, queued):
                faults.append(f"{gap}: host part {row['host_part_ns']}, not {part}")
        return faults

    def finding_faults(self, found, truth):
        faults = []
        by_gap = {place[2:]: plant for place, plant in truth.items()}
        seen = Counter()
        for row in self.told(found):
            plant = by_gap.get((row["start_ns"], row["end_ns"]))
            if plant is None:
                faults.append(f"finding about nothing: {row['kind']}: {row['text']}")
                continue
            seen[(row["start_ns"], row["end_ns"])] += 1
            if self.numbers.get(row["step_id"]) != plant.step:
                faults.append(f"{plant}: finding about step {row['step_id']}")
            if row["scope"] != plant.scope and plant.cause != "copy":
                faults.append(f"{plant}: finding in {row['scope']}")
            if row["labels"] != [plant.label]:
                faults.append(f"{plant}: finding with {row['labels']}")
        faults += [f"{by_gap[gap]}: {seen[gap]} findings" for gap in by_gap if seen[gap] != 1]
        return faults

    def tag_faults(self, trace, found):
        def with_tag(tag):
            return {self.numbers[row["step_id"]] for row in found["steps"] if tag in row["tags"]}

        faults = []
        stands_out = {plant.step for plant in trace.plants}
        copied = {plant.step for plant in trace.plants if plant.cause == "copy"}
        for tag, steps in (("STEP_OUTLIER", stands_out), ("COPY_EXPOSED", copied)):
            if with_tag(tag) != steps:
                faults.append(f"{tag} on {sorted(with_tag(tag))}, not on {sorted(steps)}")
        return faults


class Generator(unittest.TestCase):
    """What is planted is there, and nothing else is nearly as long."""

    def test_planted_gaps_are_the_heavy_ones(self):
        for seed in range(100):
            trace = planted(seed, SCOPES, CAUSES)
            truth = sorted((plant.step, plant.scope, *oracle.planted_piece(trace, plant))
                           for plant in trace.plants)
            self.assertEqual(oracle.heavy_gaps(trace), truth, seed)

    def test_planted_gaps_are_clearly_heavy_and_others_clearly_not(self):
        for seed in range(100):
            trace = planted(seed, SCOPES, CAUSES)
            service = [end - start for start, end in oracle.windows(trace)]
            heavy = oracle.heavy_gaps(trace)
            for gap in oracle.gaps(trace):
                share = (gap[3] - gap[2]) / oracle.heavy_limit(service[gap[0]])
                self.assertTrue(share > 1.4 if gap in heavy else share < 0.5, (seed, gap, share))

    def test_background_gaps_are_20_to_100_us(self):
        chance = random.Random(1)
        simulation = Simulation(chance, any_shape(chance, background="launch_bound"))
        trace = simulation.run([])
        inside = [end - start for _, scope, start, end in oracle.gaps(trace)
                  if scope == "step_internal"]
        self.assertGreater(len(inside), 100)
        self.assertTrue(all(15 * US < gap <= 100 * US for gap in inside), sorted(inside))

    def test_the_same_seed_makes_the_same_trace(self):
        self.assertEqual(planted(7, SCOPES, CAUSES).text(), planted(7, SCOPES, CAUSES).text())


class Planted(PlantedTestCase):
    def test_every_scope_and_cause_is_found_with_its_label(self):
        cases = [(scope, cause, seed) for scope in SCOPES for cause in CAUSES
                 for seed in range(TRACES_A_KIND)]
        count = 0
        for number, (scope, cause, seed) in some_of(enumerate(cases)):
            trace = planted(1000 * number + seed, [scope], [cause])
            count += len(trace.plants) if cause != "lag" else 0
            with self.subTest(scope=scope, cause=cause, seed=1000 * number + seed):
                self.assertEqual(self.faults(trace), [])
        self.assertGreaterEqual(count, LEAST_PLANTED // EVERY)

    def test_stalls_of_different_kinds_in_one_trace(self):
        for seed in some_of(range(MIXED_TRACES)):
            with self.subTest(seed=seed):
                self.assertEqual(self.faults(planted(seed, SCOPES, CAUSES)), [])


class LessEvidence(PlantedTestCase):
    """The same stalls in traces that lack what others have: every gap is found, whatever is known of it."""

    def heavy(self, trace):
        """Heavy bubbles by extent, and the extents that findings point at."""
        found = self.discover(trace)
        service = {row["step_id"]: row["end_ns"] - row["start_ns"] for row in found["steps"]}
        bubbles = {(row["start_ns"], row["end_ns"]): row for row in found["bubble_windows"]
                   if row["end_ns"] - row["start_ns"] >= oracle.heavy_limit(service[row["step_id"]])}
        return bubbles, [(row["start_ns"], row["end_ns"]) for row in self.told(found)]

    def judge(self, seed, is_kept, labels_of):
        trace = planted(seed, SCOPES, CAUSES)
        trace.events = [event for event in trace.events if is_kept(event)]
        trace.origin = min(trace.kernels)[0]  # of the first pass; what lies before it is no gap
        truth = {}  # two stalls on both sides of a marker are one gap without it
        for plant in trace.plants:
            if plant.gap[0] > trace.origin:
                truth.setdefault(plant.gap, set()).update(labels_of(plant))
        with self.subTest(seed=seed):
            bubbles, told = self.heavy(trace)
            self.assertEqual(sorted(bubbles), sorted(truth))
            self.assertEqual(sorted(told), sorted(truth))
            for gap, row in bubbles.items():
                self.assertTrue(set(row["candidate_labels"]) <= truth[gap], row["candidate_labels"])

    def test_without_markers_the_passes_are_the_steps(self):
        for seed in some_of(range(30)):
            self.judge(seed, lambda event: '"user_annotation"' not in event,
                       lambda plant: {plant.label})

    def test_without_a_host_the_evidence_is_insufficient(self):
        def is_device(event):
            return '"cat": "kernel"' in event or '"cat": "gpu_memcpy"' in event

        for seed in some_of(range(30)):
            self.judge(seed, is_device, lambda plant: {"insufficient_evidence"})


class HostRunsAhead(PlantedTestCase):
    """Steps of the host and of the device are apart: kernels run in the windows of later steps."""

    def trace_of(self, seed, scopes):
        chance = random.Random(seed)
        shape = any_shape(chance, marker="ProfilerStep", background="dense", has_step_sync=False,
                          has_input_copy=False, has_frames=True, runs_ahead=True)
        simulation = Simulation(chance, shape)
        plants = [plant_at(chance, simulation, chance.randrange(1, shape.steps - 1), scope,
                           chance.choice(CAUSES)) for scope in scopes]
        for plant in plants:  # the window of its step reaches until the device has caught up
            plant.length += plant.step * simulation.usual_step() // 4
        return simulation.run(plants)

    def test_a_stall_is_found_though_the_device_is_behind(self):
        for seed in some_of(range(30)):
            trace = self.trace_of(seed, [SCOPES[seed % 3]])
            (plant,) = trace.plants
            (gap,) = oracle.heavy_gaps(trace)
            with self.subTest(seed=seed):
                found = self.discover(trace)
                self.assertEqual(self.bubbles(trace, found), {gap: [plant.label]})
                told = [(row["start_ns"], row["end_ns"], row["labels"]) for row in self.told(found)]
                self.assertEqual(told, [(*gap[2:], [plant.label])])

    def test_healthy_traces_have_no_findings(self):
        for seed in some_of(range(10)):
            with self.subTest(seed=seed):
                self.assertEqual(self.discover(self.trace_of(seed, []))["findings"], [])


class Recurring(PlantedTestCase):
    def test_a_stall_that_comes_back_is_one_finding(self):
        for number, (scope, cause) in enumerate((s, c) for s in SCOPES for c in CAUSES):
            trace = recurring(number, scope, cause)
            with self.subTest(scope=scope, cause=cause, seed=number):
                found = self.discover(trace)
                told = [(row["kind"], row["scope"], row["labels"]) for row in self.told(found)]
                self.assertEqual(told, [("recurring_stall", scope, [trace.plants[0].label])])
                tagged = [step for step in found["steps"]
                          if "RECURRING_BUBBLE_PATTERN" in step["tags"]]
                self.assertEqual(len(tagged), len(found["steps"]))


class Healthy(PlantedTestCase):
    def test_healthy_traces_are_at_most_launch_bound(self):
        for seed in range(HEALTHY_TRACES):
            chance = random.Random(seed)
            shape = any_shape(chance)
            trace = Simulation(chance, shape).run([])
            with self.subTest(seed=seed):
                found = self.discover(trace)
                self.assertEqual([(row["kind"], row["text"]) for row in self.told(found)], [])
                self.assertEqual(found["artefacts"], [])
                self.assertEqual(self.tag_faults(trace, found), [])
                if shape.background == "dense":
                    self.assertEqual(found["findings"], [])
                for row in found["findings"]:
                    self.assertEqual(row["labels"], ["possible_host_launch_lag"])
                for step in found["steps"]:
                    self.assertNotIn("UNTRACED_HOST_BLOCKING_RISK", step["tags"])


class NotIdle(PlantedTestCase):
    """Graph replay and unrecorded work: nothing is idle, whatever the gaps look like."""

    def judge(self, trace, kinds):
        found = self.discover(trace)
        self.assertLessEqual({row["kind"] for row in found["findings"]}, kinds)
        for step in found["steps"]:
            self.assertEqual(HEAVY_TAGS & set(step["tags"]), set(), step["tag_reasons"])
        return found

    def test_gaps_inside_a_graph_launch_are_no_idle_time(self):
        for seed in range(12):
            with self.subTest(seed=seed):
                simulation = GraphSimulation(random.Random(seed))
                longest = (8 * US, 60 * US, 2 * MS)[seed % 3]
                trace = simulation.run_graphs(lambda: simulation.replay_with_gaps(longest))
                self.assertEqual(self.judge(trace, set())["artefacts"], [])

    def test_graph_that_shows_hardly_any_kernels(self):
        for seed in range(8):
            with self.subTest(seed=seed):
                simulation = GraphSimulation(random.Random(seed))
                trace = simulation.run_graphs(lambda: simulation.opaque_replay(6 * MS))
                found = self.judge(trace, {"artefact"})
                self.assertEqual({row["tag"] for row in found["artefacts"]},
                                 {"GRAPH_REPLAY_OPAQUE"})

    def test_work_that_was_not_recorded(self):
        for seed in range(8):
            with self.subTest(seed=seed):
                simulation = GraphSimulation(random.Random(seed))
                trace = simulation.run_graphs(lambda: simulation.unrecorded_work(20 * MS))
                found = self.judge(trace, {"artefact"})
                self.assertEqual({row["tag"] for row in found["artefacts"]}, {"UNRECORDED_WORK"})


if __name__ == "__main__":
    unittest.main()

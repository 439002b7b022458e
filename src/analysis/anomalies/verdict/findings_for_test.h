// Steps that something is to be told of, for tests of what is found and of how it reads. All
// times in microseconds.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "analysis/anomalies/steps/steps_for_test.h"
#include "analysis/anomalies/verdict/findings.h"

namespace lockstep::analysis::anomalies {

// 4 ms of work with gaps before the first and the last kernel.
[[nodiscard]] inline std::vector<PlannedKernel> planned_step(std::int64_t first,
                                                             std::int64_t last) {
  return {{.name = "a", .gap = first, .duration = 2000},
          {.name = "b", .duration = 1000},
          {.name = "c", .gap = last, .duration = 1000}};
}

// Many kernels of 10 us with a gap before each.
[[nodiscard]] inline std::vector<PlannedKernel> many_kernels(std::int64_t gap,
                                                             std::size_t count = 100) {
  return std::vector<PlannedKernel>(count, PlannedKernel{.name = "k", .gap = gap});
}

// Every kernel behind a gap was launched when the gap was over, or before it began.
inline void launch_late(TestSteps& steps) {
  for (Bubble& bubble : steps.device.bubbles) {
    bubble.has_launch = true;
    bubble.host_part = bubble.length();
  }
}
inline void launch_in_time(TestSteps& steps) {
  for (Bubble& bubble : steps.device.bubbles) {
    bubble.has_launch = true;
    bubble.queued_part = bubble.length();
  }
}

template <typename Findings>
[[nodiscard]] std::vector<FindingKind> kinds_of(const Findings& findings) {
  std::vector<FindingKind> kinds;
  for (const Finding& finding : findings) kinds.push_back(finding.kind);
  return kinds;
}

[[nodiscard]] inline TestSteps steps_alike(int count, const std::vector<PlannedKernel>& kernels) {
  TestSteps steps;
  for (int i = 0; i < count; ++i) steps.add(kernels);
  return steps;
}

// A step for each gap, which lies before the first kernel.
[[nodiscard]] inline TestSteps steps_starting_late(std::initializer_list<std::int64_t> gaps) {
  TestSteps steps;
  for (const std::int64_t gap : gaps) steps.add(planned_step(gap, 0));
  return steps;
}

// A step for each gap, which lies before the last kernel.
[[nodiscard]] inline TestSteps steps_stalling(std::initializer_list<std::int64_t> gaps) {
  TestSteps steps;
  for (const std::int64_t gap : gaps) steps.add(planned_step(0, gap));
  return steps;
}

// Each a group of its own, with one heavy gap.
[[nodiscard]] inline TestSteps steps_without_peers(int count) {
  TestSteps steps;
  for (int i = 0; i < count; ++i)
    steps.add({{.name = "a" + std::to_string(i)}, {.name = "b", .gap = 2000}});
  return steps;
}

// Step 1 of four spends 8 ms more in a collective than the others.
[[nodiscard]] inline TestSteps steps_with_a_long_collective() {
  TestSteps steps;
  for (const std::int64_t collective : {500, 8500, 500, 500})
    steps.add(
        {{.name = "a", .duration = 9000},
         {.name = "ncclReduce", .duration = 10, .kind = trace::Kind::kCommunication},
         {.name = "ncclAllReduce", .duration = collective, .kind = trace::Kind::kCommunication}});
  return steps;
}

// A collective that step 1 launched holds up step 2 for 3 ms.
[[nodiscard]] inline TestSteps steps_with_a_late_collective() {
  TestSteps steps =
      steps_alike(4, {{.name = "a", .duration = 9000},
                      {.name = "ncclReduce", .duration = 10, .kind = trace::Kind::kCommunication}});
  steps.device.timeline.kernels[3].end += us(3000);
  steps.device.steps[2].facts.gaps.computing = us(6000);
  return steps;
}

// One step with two heavy gaps inside it, 5 ms together.
[[nodiscard]] inline TestSteps step_with_heavy_gaps() {
  TestSteps steps;
  auto kernels = planned_step(0, 2000);
  kernels[1].gap = 3000;
  steps.add(kernels);
  return steps;
}

// One step whose heavy gap begins with the capture.
[[nodiscard]] inline TestSteps step_at_the_edge() {
  TestSteps steps = steps_starting_late({2000});
  steps.device.bubbles.front().touches_edge = true;
  steps.device.steps.front().facts.gaps.artefact_idle = us(2000);
  return steps;
}

// One step that idles for half of its time, in 20 gaps of 2 ms and one of them 2.5 ms.
[[nodiscard]] inline TestSteps step_with_gaps_of_milliseconds() {
  TestSteps steps;
  auto kernels = many_kernels(0, 20);
  for (PlannedKernel& kernel : kernels) kernel = {.name = "k", .gap = 2000, .duration = 2000};
  kernels[7].gap = 2500;
  steps.add(kernels);
  return steps;
}

// One step whose collectives take 2 ms and move data for `transit` of them.
[[nodiscard]] inline TestSteps step_with_waiting_collectives(std::int64_t transit) {
  TestSteps steps;
  AnomalyStep& step = steps.add(planned_step(0, 0));
  step.tags = {Tag::kCommStallMasked};
  step.facts.gaps.computing = us(2000);
  step.facts.comm.elapsed = us(2000);
  step.facts.comm.transit = us(transit);
  return steps;
}

// The same, and other collectives of 7 ms whose transit is not known.
[[nodiscard]] inline TestSteps step_with_unmeasured_collectives() {
  TestSteps steps = step_with_waiting_collectives(100);
  steps.device.steps.front().facts.comm.elapsed = us(9000);
  steps.device.steps.front().facts.comm.unmeasured = us(7000);
  return steps;
}

// One step that waits for two operators on the AI CPU, of which one is b, and hides c.
[[nodiscard]] inline TestSteps step_with_exposed_aicpu() {
  TestSteps steps;
  AnomalyStep& step = steps.add(planned_step(0, 0));
  step.tags = {Tag::kAicpuExposedRisk};
  step.facts.aicpu = {.exposed = us(300), .exposed_count = 2, .touches_bubble = false};
  AicpuRow row;
  row.kernel = 1;
  row.duration = us(300);
  steps.device.ops.aicpu.push_back(row);
  row.kernel = 2;
  row.aicpu = AicpuClass::kMasked;
  steps.device.ops.aicpu.push_back(row);
  return steps;
}

// One step of which 9 ms look idle for want of a record.
[[nodiscard]] inline TestSteps step_with_unrecorded_work() {
  TestSteps steps = steps_stalling({9000});
  steps.device.bubbles.front().is_unrecorded = true;
  steps.device.steps.front().facts.gaps.artefact_idle = us(9000);
  steps.device.artefacts.push_back({Tag::kUnrecordedWork, 0, us(9000), 0});
  return steps;
}

}  // namespace lockstep::analysis::anomalies

// Steps that run the same kernels belong together; what they have in common and which stand out.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "analysis/anomalies/anomalies.h"

namespace lockstep::analysis::anomalies {

// Groups steps by the sequence of their kernels' names: equal ones, then those nearly equal to the
// most frequent sequence of a group (at most group_distance of the kernels to insert, delete or
// replace). Sets AnomalyStep::group and fills id, steps, template_step, kernels, total_service; by
// total service time, greatest first (then by first step). Ids are `id_prefix` and a number, "g0"
// or "r1.d0.g0": the prefix makes them unique over devices.
[[nodiscard]] std::vector<StepGroup> group_steps(const trace::Trace& trace,
                                                 const DeviceTimeline& timeline,
                                                 std::vector<AnomalyStep>& steps,
                                                 std::string_view id_prefix,
                                                 const Thresholds& thresholds);

// Spreads of all metrics, recurrence (with stable position), idle pattern; from the steps' facts
// and the bubbles with their labels. Before tags.
void aggregate(const trace::Trace& trace, const DeviceTimeline& timeline,
               std::span<const AnomalyStep> steps, std::span<const Bubble> bubbles,
               const Thresholds& thresholds, std::span<StepGroup> groups);

// Tags of at least half of the steps, follow-up. After tags.
void aggregate_tags(std::span<const AnomalyStep> steps, std::span<StepGroup> groups);

// One way in which a step stands out of its group.
struct StepOutlier {
  enum class Cause : std::uint8_t { kPrelaunch, kTail, kInterStep, kCopy, kGap, kCommunication };
  Cause cause{};
  std::uint32_t step = 0;
  std::uint32_t bubble = kNoKernel;  // of the bubbles: the one to look at, if any
  Time value;
  Time median;  // of the group
  [[nodiscard]] Time excess() const { return value - median; }
};

// Steps of groups of at least recurring_steps whose prelaunch (by launch), tail, inter-step gap,
// exposed copies, gap at one kernel position or exposed communication exceed the group's median by
// max(outlier_us, outlier_share of the step's service). Sets StepFacts::outlier_excess of steps of
// such groups. Artefacts do not count. A gap that is mostly the exposed copy of the same step is
// told once, as the copy. By (step, cause).
[[nodiscard]] std::vector<StepOutlier> find_outliers(
    const trace::Trace& trace, const DeviceTimeline& timeline, std::span<const KernelGaps> waits,
    std::span<const StepGroup> groups, std::span<const Bubble> bubbles,
    const Thresholds& thresholds, std::vector<AnomalyStep>& steps);

}  // namespace lockstep::analysis::anomalies

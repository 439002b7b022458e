// Steps that stand out of their group.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analysis/anomalies/evidence/bubble.h"
#include "analysis/anomalies/steps/measured_steps.h"
#include "analysis/anomalies/timeline/device_timeline.h"
#include "analysis/anomalies/timeline/kernel_gaps.h"
#include "analysis/anomalies/verdict/thresholds.h"
#include "trace/trace.h"

namespace lockstep::analysis::anomalies {

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
// max(outlier_us, outlier_share of the step's service). Artefacts do not count. A gap that is
// mostly the exposed copy of the same step is told once, as the copy. By (step, cause).
[[nodiscard]] std::vector<StepOutlier> find_outliers(
    const trace::Trace& trace, const DeviceTimeline& timeline, std::span<const KernelGaps> waits,
    const MeasuredSteps& steps, std::span<const Bubble> bubbles, const Thresholds& thresholds);

// The greatest excess of each step, by step; nothing in groups that are too small to tell.
[[nodiscard]] std::vector<std::optional<Time>> outlier_excesses(
    const MeasuredSteps& steps, std::span<const StepOutlier> outliers,
    const Thresholds& thresholds);

}  // namespace lockstep::analysis::anomalies

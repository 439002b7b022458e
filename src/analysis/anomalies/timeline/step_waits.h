// What the operators of one step say about waiting: facts for its tags.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/anomalies/steps/step.h"
#include "analysis/anomalies/steps/step_facts.h"
#include "analysis/anomalies/timeline/op_table.h"

namespace lockstep::analysis::anomalies {

struct StepWaits {
  bool has_wait_anchor = false;     // a kernel of a wait anchor lies in it
  bool has_wait_pollution = false;  // or one whose waits are communication
  AicpuEvidence aicpu;              // of exposed AI CPU kernels
};

// `kernels` are those of the step, ascending. An AI CPU kernel touches a bubble when it begins
// right after, or ends right before, a gap of the device of at least significant_us.
[[nodiscard]] StepWaits step_waits(const DeviceTimeline& timeline, std::span<const KernelGaps> gaps,
                                   const OpTable& ops, std::span<const std::uint32_t> kernels,
                                   const Thresholds& thresholds);
// By step.
[[nodiscard]] std::vector<StepWaits> waits_of_steps(const DeviceTimeline& timeline,
                                                    std::span<const KernelGaps> gaps,
                                                    const OpTable& ops,
                                                    std::span<const StepFrame> steps,
                                                    const Thresholds& thresholds);

}  // namespace lockstep::analysis::anomalies

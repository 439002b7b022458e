// Waits before kernels know nothing of what the gaps are that they lie in.
#pragma once

#include <span>
#include <vector>

#include "analysis/anomalies/evidence/bubble.h"
#include "analysis/anomalies/steps/step.h"
#include "analysis/anomalies/timeline/op_table.h"
#include "analysis/anomalies/verdict/thresholds.h"

namespace lockstep::analysis::anomalies {

// The table with waits that are no idle time told apart: OpRow::artefact_wait and OpTable::small.
[[nodiscard]] OpTable set_waits_apart(OpTable ranked, const DeviceTimeline& timeline,
                                      std::span<const KernelGaps> waits,
                                      std::span<const Bubble> bubbles,
                                      std::span<const StepFrame> steps,
                                      const Thresholds& thresholds);

}  // namespace lockstep::analysis::anomalies

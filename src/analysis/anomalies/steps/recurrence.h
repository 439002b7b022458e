// Gaps that come back at the same place of the steps of a group.
#pragma once

#include <span>
#include <vector>

#include "analysis/anomalies/evidence/bubble.h"
#include "analysis/anomalies/steps/group.h"
#include "analysis/anomalies/steps/measured_steps.h"
#include "analysis/anomalies/steps/step_sequence.h"

namespace lockstep::analysis::anomalies {

// Places where at least recurring_share of the steps of a group of recurring_steps have a
// significant bubble, by group; those of one group by total, greatest first. Artefacts do not
// count. A bubble inside a step is placed by the kernel after it; one before the first kernel,
// after the last or between steps by that kernel's name. RecurringGap::steps counts steps, not
// bubbles.
[[nodiscard]] std::vector<std::vector<RecurringGap>> recurring_gaps(const trace::Trace& trace,
                                                                    const DeviceTimeline& timeline,
                                                                    const MeasuredSteps& steps,
                                                                    std::span<const Bubble> bubbles,
                                                                    const Thresholds& thresholds);

}  // namespace lockstep::analysis::anomalies

// What the steps of a group have in common.
#pragma once

#include <span>
#include <vector>

#include "analysis/anomalies/evidence/bubble.h"
#include "analysis/anomalies/steps/group.h"
#include "analysis/anomalies/steps/measured_steps.h"
#include "analysis/anomalies/timeline/device_timeline.h"
#include "analysis/anomalies/verdict/thresholds.h"
#include "trace/trace.h"

namespace lockstep::analysis::anomalies {

// By group: spreads of all metrics, recurrence (with stable position), idle pattern.
[[nodiscard]] std::vector<GroupStatistics> group_statistics(const trace::Trace& trace,
                                                            const DeviceTimeline& timeline,
                                                            const MeasuredSteps& steps,
                                                            std::span<const Bubble> bubbles,
                                                            const Thresholds& thresholds);

}  // namespace lockstep::analysis::anomalies

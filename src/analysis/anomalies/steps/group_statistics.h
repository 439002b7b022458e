// What the steps of a group have in common.
#pragma once

#include <span>

#include "analysis/anomalies/evidence/bubble.h"
#include "analysis/anomalies/steps/group.h"
#include "analysis/anomalies/steps/step.h"
#include "analysis/anomalies/timeline/device_timeline.h"
#include "analysis/anomalies/verdict/thresholds.h"
#include "trace/trace.h"

namespace lockstep::analysis::anomalies {

// Spreads of all metrics, recurrence (with stable position), idle pattern; from the steps' facts
// and the bubbles with their labels. Before tags.
void aggregate(const trace::Trace& trace, const DeviceTimeline& timeline,
               std::span<const AnomalyStep> steps, std::span<const Bubble> bubbles,
               const Thresholds& thresholds, std::span<StepGroup> groups);

// Tags of at least half of the steps, follow-up. After tags.
void aggregate_tags(std::span<const AnomalyStep> steps, std::span<StepGroup> groups);

}  // namespace lockstep::analysis::anomalies

// The gaps of a device in each step: exact metrics of all of them, and the significant ones.
#pragma once

#include <vector>

#include "analysis/anomalies/evidence/bubble.h"
#include "analysis/anomalies/steps/step.h"
#include "analysis/anomalies/timeline/device_timeline.h"
#include "analysis/anomalies/verdict/thresholds.h"
#include "trace/trace.h"

namespace lockstep::analysis::anomalies {

// Fills StepFacts::gaps (but for artefact_idle) and StepFacts::kernels, python_frames aside, of
// every step. Returns the significant gaps that are no dispatch gaps, by start, with scope, kernels
// around, position, touches_edge and copied.
[[nodiscard]] std::vector<Bubble> find_bubbles(const trace::Trace& trace,
                                               const DeviceTimeline& timeline,
                                               const Thresholds& thresholds,
                                               std::vector<AnomalyStep>& steps);

}  // namespace lockstep::analysis::anomalies

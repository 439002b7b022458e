// What the bubbles and collectives of a step add up to: facts for its tags.
#pragma once

#include <span>
#include <vector>

#include "analysis/anomalies/evidence/bubble.h"
#include "analysis/anomalies/steps/step.h"
#include "analysis/anomalies/timeline/device_index.h"
#include "analysis/anomalies/verdict/thresholds.h"

namespace lockstep::analysis::anomalies {

// Fills StepFacts::bubbles and AnomalyStep::labels from bubbles that have labels and artefact
// flags.
void sum_up_bubbles(std::span<const Bubble> bubbles, const Thresholds& thresholds,
                    std::vector<AnomalyStep>& steps);

// Fills StepFacts::comm: collectives that begin in the window, whole, with the transit time where
// the profiler knows it, and how long they waited for notifications of peers.
void sum_up_communication(const DeviceIndex& index, const DeviceTimeline& timeline,
                          std::vector<AnomalyStep>& steps);

}  // namespace lockstep::analysis::anomalies

// What the bubbles and collectives of a step add up to: facts for its tags.
#pragma once

#include <span>
#include <vector>

#include "analysis/anomalies/evidence/bubble.h"
#include "analysis/anomalies/steps/step.h"
#include "analysis/anomalies/timeline/device_index.h"
#include "analysis/anomalies/verdict/thresholds.h"

namespace lockstep::analysis::anomalies {

struct StepBubbles {
  BubbleEvidence evidence;
  SoftLabels labels;  // of its heavy bubbles, else of most of its bubble time
};
// By step.
[[nodiscard]] std::vector<StepBubbles> sum_up_bubbles(std::span<const Bubble> bubbles,
                                                      const Thresholds& thresholds,
                                                      std::span<const StepFrame> steps);

// By step: collectives that begin in the window, whole, with the transit time where the profiler
// knows it, and how long they waited for notifications of peers.
[[nodiscard]] std::vector<CommEvidence> sum_up_communication(const DeviceIndex& index,
                                                             const DeviceTimeline& timeline,
                                                             std::span<const StepFrame> steps);

}  // namespace lockstep::analysis::anomalies

// The gaps of a device in each step: exact metrics of all of them, and the significant ones.
#pragma once

#include <span>
#include <vector>

#include "analysis/anomalies/evidence/bubble.h"
#include "analysis/anomalies/steps/step.h"
#include "analysis/anomalies/timeline/device_timeline.h"
#include "analysis/anomalies/verdict/thresholds.h"
#include "trace/trace.h"

namespace lockstep::analysis::anomalies {

struct FoundGaps {
  std::vector<MeasuredGaps> by_step;
  std::vector<Gap> significant;  // that are no dispatch gaps, by start
};
[[nodiscard]] FoundGaps find_gaps(const trace::Trace& trace, const DeviceTimeline& timeline,
                                  const Thresholds& thresholds, std::span<const StepFrame> steps);

// What was found out about gaps; all by gap.
struct GapEvidence {
  std::vector<HostCoverage> host;
  std::vector<LaunchSplit> launches;
  std::vector<trace::EventId> inside;  // Bubble::inside_op
  std::vector<SoftLabels> labels;
  std::vector<ArtefactMark> artefacts;
};
[[nodiscard]] std::vector<Bubble> join_bubbles(std::span<const Gap> gaps, GapEvidence evidence);

// As long as a heavy gap of its step, which takes `service`, and no artefact.
[[nodiscard]] bool is_heavy(const Bubble& bubble, Time service, const Thresholds& thresholds);

}  // namespace lockstep::analysis::anomalies

// From facts and tags to what people read first: findings, causes, five answers, recommendations.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "analysis/anomalies/anomalies.h"
#include "analysis/anomalies/steps/step_groups.h"

namespace lockstep::analysis::anomalies {

// Fills findings, causes, requires_host_followup, confidence and answers of a device whose other
// fields are complete.
//
// One finding for each outlier; one for each place where a group stalls heavily again and again;
// one for all the rest of a group's idle time when it is high (launch bound, or starved for another
// reason), never one a step.
void conclude(const trace::Trace& trace, std::span<const StepOutlier> outliers,
              const Thresholds& thresholds, DeviceAnomalies& device);

// P0 first; each with its scope, whether somebody must look further, and what is not known.
[[nodiscard]] std::vector<Recommendation> recommend(const trace::Trace& trace,
                                                    std::span<const DeviceAnomalies> devices);

// What the inputs lack (markers, shapes, stacks, host events, flows, communication.json, kernel
// table, several passes), and what that costs the answer.
[[nodiscard]] std::vector<std::string> evidence_gaps(const trace::Trace& trace,
                                                     std::span<const DeviceAnomalies> devices);

}  // namespace lockstep::analysis::anomalies

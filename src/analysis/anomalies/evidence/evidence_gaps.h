// What the inputs lack, and what that costs.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "analysis/anomalies/verdict/thresholds.h"
#include "trace/trace.h"

namespace lockstep::analysis::anomalies {

struct DeviceAnomalies;

// What the inputs lack (markers, shapes, stacks, host events, flows, communication.json, kernel
// table, several passes), and what that costs the answer.
[[nodiscard]] std::vector<std::string> evidence_gaps(const trace::Trace& trace,
                                                     std::span<const DeviceAnomalies> devices,
                                                     const Thresholds& thresholds = {});

}  // namespace lockstep::analysis::anomalies

// Operators on the AI CPU, and how much of them the AI cores hide.
#pragma once

#include <vector>

#include "analysis/anomalies/timeline/op_table.h"

namespace lockstep::analysis::anomalies {

// One for each AI CPU kernel, in the order of the timeline.
[[nodiscard]] std::vector<AicpuRow> aicpu_rows(const DeviceTimeline& timeline,
                                               const Thresholds& thresholds);

}  // namespace lockstep::analysis::anomalies

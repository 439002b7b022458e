// Findings about what is spread over a group: short gaps, waiting communication, AI CPU work; and
// idle time that is none.
#pragma once

#include <vector>

#include "analysis/anomalies/verdict/finding_parts.h"

namespace lockstep::analysis::anomalies {

// The rest of the idle time of a group, where it is high: many gaps, none of them heavy. Launch
// bound or starved where they are short; a heavy_bubble finding where most of their time lies in
// gaps of heavy_gap_us and more.
[[nodiscard]] std::vector<Finding> short_gaps(const FindingInput& input);
[[nodiscard]] std::vector<Finding> comm_stalls(const FindingInput& input);
[[nodiscard]] std::vector<Finding> exposed_aicpu(const FindingInput& input);
[[nodiscard]] std::vector<Finding> artefact_findings(const FindingInput& input);

}  // namespace lockstep::analysis::anomalies

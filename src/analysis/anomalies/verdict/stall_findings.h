// Findings about single gaps: those that come back, those that make a step stand out, and the rest
// that is heavy.
#pragma once

#include <vector>

#include "analysis/anomalies/verdict/finding_parts.h"

namespace lockstep::analysis::anomalies {

// Places where steps of a group stall heavily again and again. Those told are marked in `told` (by
// bubble), with all bubbles at the place.
[[nodiscard]] std::vector<Finding> recurring_stalls(const FindingInput& input,
                                                    std::vector<char>& told);
// Steps that stand out, but for what a recurring stall tells already.
[[nodiscard]] std::vector<Finding> step_outliers(const FindingInput& input,
                                                 std::vector<char>& told);
// Heavy bubbles that neither tells, one finding for each group and scope.
[[nodiscard]] std::vector<Finding> heavy_bubbles(const FindingInput& input,
                                                 std::vector<char>& told);

}  // namespace lockstep::analysis::anomalies

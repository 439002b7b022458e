// Findings about single gaps: those that come back, those that make a step stand out, and the rest
// that is heavy.
#pragma once

#include <vector>

#include "analysis/anomalies/verdict/finding_parts.h"

namespace lockstep::analysis::anomalies {

struct ToldFindings {
  std::vector<Finding> findings;
  std::vector<char> told;  // by bubble: whether a finding tells it, of these or of those before
};

// Places where steps of a group stall heavily again and again. All bubbles at such a place are
// told.
[[nodiscard]] ToldFindings recurring_stalls(const FindingInput& input);
// Steps that stand out, but for bubbles that are `told` already.
[[nodiscard]] ToldFindings step_outliers(const FindingInput& input, std::vector<char> told);
// Heavy bubbles that are not `told` yet, one finding for each group and scope.
[[nodiscard]] ToldFindings heavy_bubbles(const FindingInput& input, std::vector<char> told);

}  // namespace lockstep::analysis::anomalies

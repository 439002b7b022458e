// Findings about copies that run while no kernel does.
#pragma once

#include <vector>

#include "analysis/anomalies/verdict/finding_parts.h"

namespace lockstep::analysis::anomalies {

// Copies of steps in which `told` bubbles do not tell them.
[[nodiscard]] std::vector<Finding> exposed_copies(const FindingInput& input,
                                                  const std::vector<char>& told);

}  // namespace lockstep::analysis::anomalies

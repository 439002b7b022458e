// What labels mean, and what would confirm them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analysis/anomalies/verdict/tags.h"

namespace lockstep::report::anomalies {

// In the order of the enumerators.
[[nodiscard]] std::vector<analysis::anomalies::SoftLabel> members_of(
    analysis::anomalies::SoftLabels labels);
// What would confirm it or rule it out.
[[nodiscard]] std::string_view check_of(analysis::anomalies::SoftLabel label);
// "Possible: a; b."
[[nodiscard]] std::string label_words(analysis::anomalies::SoftLabels labels);

}  // namespace lockstep::report::anomalies

// What speaks for a cause, as sentences.
#pragma once

#include <string>
#include <vector>

#include "analysis/anomalies/verdict/causes.h"

namespace lockstep::report::anomalies {

// Its share of the gaps first, what would confirm it last.
[[nodiscard]] std::vector<std::string> cause_words(const analysis::anomalies::SoftCause& cause);

}  // namespace lockstep::report::anomalies

// Why a step has a tag, as a sentence.
#pragma once

#include <string>

#include "analysis/anomalies/verdict/tag_reason.h"
#include "analysis/anomalies/verdict/thresholds.h"

namespace lockstep::report::anomalies {

// "underfeed ratio 0.745 >= 0.3; tail gap 2.000 ms >= 1.000 ms"
[[nodiscard]] std::string reason_words(const analysis::anomalies::TagReason& reason,
                                       const analysis::anomalies::Thresholds& thresholds);

}  // namespace lockstep::report::anomalies

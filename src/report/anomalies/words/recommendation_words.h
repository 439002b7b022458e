// What to do, as sentences.
#pragma once

#include <string>

#include "analysis/anomalies/verdict/recommendations.h"
#include "trace/trace.h"

namespace lockstep::report::anomalies {

struct RecommendationWords {
  std::string target;        // "g0, g1 and 2 more"; empty for global
  std::string action;        // what to do
  std::string evidence_gap;  // what is not known; empty when nothing is missing
};

[[nodiscard]] RecommendationWords recommendation_words(
    const trace::Trace& trace, const analysis::anomalies::Recommendation& one);

}  // namespace lockstep::report::anomalies

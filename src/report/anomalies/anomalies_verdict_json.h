// Causes, advice and the five answers in the JSON of `anomalies`.
#pragma once

#include <string>
#include <vector>

#include "report/anomalies/anomalies_view.h"
#include "report/sinks/json_text.h"

namespace lockstep::report::anomalies {

// Elements of an array that is open.
void write_cause(const analysis::anomalies::SoftCause& cause,
                 const std::vector<std::string>& evidence, sinks::JsonText& text);
void write_recommendation(const analysis::anomalies::Recommendation& one,
                          const RecommendationWords& words, sinks::JsonText& text);

// A member of an object that is open.
void write_answers(const AnswerWords& answers, sinks::JsonText& text);

}  // namespace lockstep::report::anomalies

// The five questions answered, each in sentences that stand alone.
#pragma once

#include <array>
#include <string>

#include "analysis/anomalies/device_anomalies.h"
#include "trace/trace.h"

namespace lockstep::report::anomalies {

using AnswerWords = std::array<std::string, analysis::anomalies::kFiveQuestions.size()>;

[[nodiscard]] AnswerWords answer_words(const trace::Trace& trace,
                                       const analysis::anomalies::DeviceAnomalies& device);

}  // namespace lockstep::report::anomalies

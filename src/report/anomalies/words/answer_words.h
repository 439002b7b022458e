// The five questions, each answered in sentences that stand alone.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "analysis/anomalies/device_anomalies.h"
#include "trace/trace.h"

namespace lockstep::report::anomalies {

inline constexpr std::array<std::string_view, 5> kFiveQuestions = {
    "Are there significant device idle bubbles?",
    "Which step type or group do they concentrate in?",
    "Are they prelaunch, tail, internal or inter-step?",
    "Is there a risk that comes from the host?",
    "Is the evidence enough for a root cause?",
};

using AnswerWords = std::array<std::string, kFiveQuestions.size()>;

[[nodiscard]] AnswerWords answer_words(const trace::Trace& trace,
                                       const analysis::anomalies::DeviceAnomalies& device);

}  // namespace lockstep::report::anomalies

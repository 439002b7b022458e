// The five questions and their answers.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace lockstep::analysis::anomalies {

struct FindingInput;

// Answers to the five questions, for people.
struct FiveAnswers {
  std::array<std::string, 5> texts;
};
inline constexpr std::array<std::string_view, 5> kFiveQuestions = {
    "Are there significant device idle bubbles?",
    "Which step type or group do they concentrate in?",
    "Are they prelaunch, tail, internal or inter-step?",
    "Is there a risk that comes from the host?",
    "Is the evidence enough for a root cause?",
};

// After findings and causes.
[[nodiscard]] FiveAnswers five_answers(const FindingInput& input);

}  // namespace lockstep::analysis::anomalies

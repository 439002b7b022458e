// What is said of a device in the end.
#pragma once

#include <vector>

#include "analysis/anomalies/verdict/answers.h"
#include "analysis/anomalies/verdict/causes.h"
#include "analysis/anomalies/verdict/finding.h"
#include "analysis/anomalies/verdict/tags.h"

namespace lockstep::analysis::anomalies {

struct Conclusion {
  std::vector<Finding> findings;  // the most important first
  std::vector<SoftCause> causes;
  bool requires_host_followup = false;
  Confidence confidence = Confidence::kLow;
  FiveAnswers answers;
};

}  // namespace lockstep::analysis::anomalies

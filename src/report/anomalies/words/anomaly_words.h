// All that is said of anomalies in sentences: what analysis found in figures and names, worded.
// Tags of steps have theirs in reason_words.h: there may be many, and only one sink asks for them.
#pragma once

#include <string>
#include <vector>

#include "analysis/anomalies/anomalies.h"
#include "report/anomalies/words/answer_words.h"
#include "report/anomalies/words/finding_words.h"
#include "report/anomalies/words/recommendation_words.h"
#include "trace/trace.h"

namespace lockstep::report::anomalies {

// Each list at the indices of what it words.
struct DeviceWords {
  AnswerWords answers;
  std::vector<FindingWords> findings;
  std::vector<std::vector<std::string>> causes;
  std::vector<std::string> artefacts;
  std::string small_ops;
};

struct AnomalyWords {
  std::vector<DeviceWords> devices;
  std::vector<RecommendationWords> recommendations;
  std::vector<std::string> evidence_gaps;
};

[[nodiscard]] AnomalyWords anomaly_words(const analysis::anomalies::Anomalies& anomalies,
                                         const trace::Trace& trace);

}  // namespace lockstep::report::anomalies

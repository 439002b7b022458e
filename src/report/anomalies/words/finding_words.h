// A finding as a sentence, and the chain of its evidence.
#pragma once

#include <string>
#include <vector>

#include "analysis/anomalies/device_anomalies.h"
#include "trace/trace.h"

namespace lockstep::report::anomalies {

struct FindingWords {
  std::string text;                   // one declarative sentence
  std::vector<std::string> evidence;  // from the fact to the guess
};

[[nodiscard]] FindingWords finding_words(const trace::Trace& trace,
                                         const analysis::anomalies::DeviceAnomalies& device,
                                         const analysis::anomalies::Finding& finding);

}  // namespace lockstep::report::anomalies

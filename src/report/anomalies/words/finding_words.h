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

// Whether it tells of short gaps, which many groups may have alike.
[[nodiscard]] bool is_of_short_gaps(const analysis::anomalies::Finding& finding);
// One sentence for the short gaps of one group or several; the findings are of one kind.
[[nodiscard]] std::string short_gaps_words(
    const analysis::anomalies::DeviceAnomalies& device,
    const std::vector<const analysis::anomalies::Finding*>& findings);

[[nodiscard]] FindingWords finding_words(const trace::Trace& trace,
                                         const analysis::anomalies::DeviceAnomalies& device,
                                         const analysis::anomalies::Finding& finding);

}  // namespace lockstep::report::anomalies

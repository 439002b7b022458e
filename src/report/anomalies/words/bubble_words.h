// Sentences about a bubble: where it lies, how its time splits, what may be behind it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analysis/anomalies/device_anomalies.h"
#include "trace/trace.h"

namespace lockstep::report::anomalies {

// The chain from the fact to the guess: when and where, the split by launch, what ran on the host
// meanwhile, the labels, what would confirm them.
// Of a gap at the edge of the capture, the facts only.
[[nodiscard]] std::vector<std::string> bubble_evidence(
    const trace::Trace& trace, const analysis::anomalies::DeviceTimeline& timeline,
    const analysis::anomalies::Bubble& bubble);

// "before the first kernel of ProfilerStep#3", "inside the capture", ...
[[nodiscard]] std::string gap_words(analysis::anomalies::BubbleScope scope,
                                    const analysis::anomalies::AnomalyStep& step);

}  // namespace lockstep::report::anomalies

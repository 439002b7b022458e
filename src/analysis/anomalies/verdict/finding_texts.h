// Sentences about bubbles: where one lies, how its time splits, what may be behind it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/anomalies/evidence/bubble.h"
#include "analysis/anomalies/steps/step.h"
#include "analysis/anomalies/timeline/device_timeline.h"
#include "analysis/anomalies/verdict/tags.h"
#include "base/text.h"
#include "trace/trace.h"

namespace lockstep::analysis::anomalies {

[[nodiscard]] std::string time_text(WideTime ps);                     // "40.872 ms"
[[nodiscard]] std::string share_text(WideTime part, WideTime whole);  // "38.9 %"
// "a", "a and b", "a, b and c"
[[nodiscard]] std::string listed(const std::vector<std::string>& words);

// A name that is short enough for a sentence: without parameters and result, if need be without
// template arguments and namespaces.
[[nodiscard]] std::string short_name(std::string_view name);
[[nodiscard]] std::string kernel_text(const trace::Trace& trace, const DeviceTimeline& timeline,
                                      std::uint32_t kernel);
[[nodiscard]] std::string event_text(const trace::Trace& trace, trace::EventId event);
// "between a and b", "before b", "after a"; empty when it has no neighbours.
[[nodiscard]] std::string place_text(const trace::Trace& trace, const DeviceTimeline& timeline,
                                     std::uint32_t before, std::uint32_t after);

// Its name; "the capture" for one over all of it.
[[nodiscard]] std::string step_text(const AnomalyStep& step);

// Whether the host spends a bubble inside the operator that launches the next kernel, and nothing
// that was recorded inside of it.
[[nodiscard]] bool is_slow_operator(const Bubble& bubble);
[[nodiscard]] std::string slow_operator_text(std::string_view name);

// "before the first kernel of ProfilerStep#3", "inside the capture", ...
[[nodiscard]] std::string gap_text(BubbleScope scope, const AnomalyStep& step);

// What a label means, for "Possible: ...".
[[nodiscard]] std::string_view meaning_of(SoftLabel label);
// What would confirm or rule it out.
[[nodiscard]] std::string_view check_of(SoftLabel label);
// "Possible: a; b."
[[nodiscard]] std::string labels_text(SoftLabels labels);

// The chain from the fact to the guess: when and where, the split by launch, what ran on the host
// meanwhile, the labels, what would confirm them.
// Of a gap at the edge of the capture, the facts only.
[[nodiscard]] std::vector<std::string> bubble_evidence(const trace::Trace& trace,
                                                       const DeviceTimeline& timeline,
                                                       const Bubble& bubble);

}  // namespace lockstep::analysis::anomalies

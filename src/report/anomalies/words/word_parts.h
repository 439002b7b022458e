// Words that all sentences on anomalies are made of: times, shares, lists, names and places.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/anomalies/device_anomalies.h"
#include "base/time.h"
#include "trace/trace.h"

namespace lockstep::report::anomalies {

[[nodiscard]] std::string time_words(WideTime ps);                     // "40.872 ms"
[[nodiscard]] std::string share_words(WideTime part, WideTime whole);  // "38.9 %"
// "a", "a and b", "a, b and c"
[[nodiscard]] std::string listed(const std::vector<std::string>& words);
// "a (2.000 ms) and b (1.000 ms)"
[[nodiscard]] std::string listed(std::span<const analysis::anomalies::NamedTime> names);

// The short names of a kernel of the timeline and of an event; empty where there is none.
[[nodiscard]] std::string kernel_words(const trace::Trace& trace,
                                       const analysis::anomalies::DeviceTimeline& timeline,
                                       std::uint32_t kernel);
[[nodiscard]] std::string event_words(const trace::Trace& trace, trace::EventId event);
// "between a and b", "before b", "after a"; empty when it has no neighbours.
[[nodiscard]] std::string place_words(const trace::Trace& trace,
                                      const analysis::anomalies::DeviceTimeline& timeline,
                                      std::uint32_t before, std::uint32_t after);

// "ProfilerStep#3", "decode 4", "pass 2", "capture".
[[nodiscard]] std::string step_label(const analysis::anomalies::AnomalyStep& step);
// The same inside of a sentence: "the capture".
[[nodiscard]] std::string step_name(const analysis::anomalies::AnomalyStep& step);

}  // namespace lockstep::report::anomalies

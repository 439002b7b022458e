// Which anomalies a sink shows, and what it calls them: shared by all of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/anomalies/anomalies.h"
#include "formats/input/load.h"
#include "report/anomalies/words/anomaly_words.h"
#include "trace/trace.h"

namespace lockstep::report::anomalies {

// What every sink is given: the answer, the question, what names stand for, and the answer's words.
struct AnomaliesReport {
  const analysis::anomalies::Anomalies& anomalies;  // has a device
  const analysis::anomalies::AnomaliesOptions& options;
  const trace::Trace& trace;
  std::span<const formats::input::InputFacts> inputs;
  AnomalyWords words = anomaly_words(anomalies, trace);

  // Of one of its devices.
  [[nodiscard]] const DeviceWords& words_of(
      const analysis::anomalies::DeviceAnomalies& device) const {
    return words.devices[static_cast<std::size_t>(&device - anomalies.devices.data())];
  }
};

// Bubbles of each group to show.
using BubbleLimit = std::size_t;
inline constexpr BubbleLimit kBubblesPerGroup = 5;
inline constexpr BubbleLimit kAllBubbles = std::numeric_limits<BubbleLimit>::max();

// "rank 1, device 0"
[[nodiscard]] std::string device_words(const analysis::anomalies::DeviceTimeline& timeline);

// What the ids of this device begin with: nothing where it is the only one.
[[nodiscard]] std::string_view id_prefix(const analysis::anomalies::DeviceAnomalies& device);
[[nodiscard]] std::string bubble_id(const analysis::anomalies::DeviceAnomalies& device,
                                    std::size_t bubble);

// Indices of bubbles, by group and then the longest first.
[[nodiscard]] std::vector<std::uint32_t> shown_bubbles(
    const analysis::anomalies::DeviceAnomalies& device, BubbleLimit limit);
// The longest `count` of all, the longest first.
[[nodiscard]] std::vector<std::uint32_t> longest_bubbles(
    const analysis::anomalies::DeviceAnomalies& device, std::size_t count);

// Kernels of the timeline next to a bubble, each list in time order: the last one before it ended
// last, the first one after it is the one that the device waited for.
struct KernelsAround {
  std::vector<std::uint32_t> before;
  std::vector<std::uint32_t> after;
};
[[nodiscard]] KernelsAround kernels_around(const analysis::anomalies::DeviceAnomalies& device,
                                           const analysis::anomalies::Bubble& bubble,
                                           std::size_t count);

// What the file calls the kind of a kernel of the timeline.
[[nodiscard]] std::string_view kernel_type(const analysis::anomalies::DeviceAnomalies& device,
                                           std::uint32_t kernel);
[[nodiscard]] std::string kernel_name(const trace::Trace& trace,
                                      const analysis::anomalies::DeviceWork& work);  // demangled
[[nodiscard]] std::string_view stream_id(const trace::Trace& trace, trace::TrackId track);
// The name of a thread, or its id where it has none.
[[nodiscard]] std::string_view thread_words(const trace::Trace& trace, trace::TrackId track);

// In the order of the enumerators.
[[nodiscard]] std::vector<std::string_view> names_of(analysis::anomalies::Tags tags);
[[nodiscard]] std::vector<std::string_view> names_of(analysis::anomalies::SoftLabels labels);
[[nodiscard]] std::vector<std::string_view> names_of(analysis::anomalies::ClockReadings readings);

[[nodiscard]] std::string_view name_of(
    analysis::anomalies::AnomalyRules rules);  // "rulebook", "script"

// Whether some finding is of this priority or a higher one.
[[nodiscard]] bool has_finding(const analysis::anomalies::Anomalies& anomalies,
                               analysis::anomalies::Priority least);

}  // namespace lockstep::report::anomalies

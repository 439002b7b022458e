// Which anomalies a sink shows, and what it calls them: shared by all of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/anomalies/anomalies.h"
#include "formats/load.h"
#include "trace/trace.h"

namespace lockstep {

// What every sink is given: the answer, the question, and what names stand for.
struct AnomaliesReport {
  const Anomalies& anomalies;  // has a device
  const AnomaliesOptions& options;
  const Trace& trace;
  std::span<const InputFacts> inputs;
};

inline constexpr std::size_t kBubblesPerGroup = 5;

// Bubbles of each group to show; nothing for all.
using BubbleLimit = std::optional<std::size_t>;

// "rank 1, device 0"
[[nodiscard]] std::string device_words(const DeviceTimeline& timeline);

// What the ids of this device begin with: nothing where it is the only one.
[[nodiscard]] std::string_view id_prefix(const DeviceAnomalies& device);
[[nodiscard]] std::string bubble_id(const DeviceAnomalies& device, std::size_t bubble);

// Indices of bubbles, by group and then the longest first.
[[nodiscard]] std::vector<std::uint32_t> shown_bubbles(const DeviceAnomalies& device,
                                                       BubbleLimit limit);
// The longest `count` of all, the longest first.
[[nodiscard]] std::vector<std::uint32_t> longest_bubbles(const DeviceAnomalies& device,
                                                         std::size_t count);

// Kernels of the timeline next to a bubble, each list in time order: the last one before it ended
// last, the first one after it is the one that the device waited for.
struct KernelsAround {
  std::vector<std::uint32_t> before;
  std::vector<std::uint32_t> after;
};
[[nodiscard]] KernelsAround kernels_around(const DeviceAnomalies& device, const Bubble& bubble,
                                           std::size_t count);

// What the file calls the kind of each kernel.
class KernelTypes {
 public:
  explicit KernelTypes(const OpTable& ops);
  [[nodiscard]] std::string_view of(const DeviceWork& work) const;

 private:
  struct Entry {
    StringId name{};
    Kind kind = Kind::kKernel;
    std::string_view type;
  };
  std::vector<Entry> entries_;  // by (name, kind)
};

[[nodiscard]] std::string kernel_name(const Trace& trace, const DeviceWork& work);  // demangled
[[nodiscard]] std::string_view stream_id(const Trace& trace, TrackId track);
// The name of a thread, or its id where it has none.
[[nodiscard]] std::string_view thread_words(const Trace& trace, TrackId track);

// In the order of the enumerators.
[[nodiscard]] std::vector<std::string_view> names_of(Tags tags);
[[nodiscard]] std::vector<std::string_view> names_of(SoftLabels labels);
[[nodiscard]] std::vector<std::string_view> names_of(ClockReadings readings);

[[nodiscard]] std::string_view name_of(AnomalyRules rules);  // "rulebook", "script"

// Whether some finding is of this priority or a higher one.
[[nodiscard]] bool has_finding(const Anomalies& anomalies, Priority least);

}  // namespace lockstep

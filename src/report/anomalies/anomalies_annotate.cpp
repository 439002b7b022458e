// One track a lane and device, made when its first event comes.
#include "report/anomalies/anomalies_annotate.h"

#include <array>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.h"
#include "report/anomalies/anomalies_view.h"
#include "report/anomalies/words/word_parts.h"
#include "report/layout/quantities.h"
#include "report/sinks/annotation_lane.h"

namespace lockstep::report::anomalies {
namespace {

enum class Lane : std::uint8_t { kSteps, kBubbles, kTags };
constexpr std::array<std::string_view, 3> kLaneNames = {"lockstep steps", "lockstep bubbles",
                                                        "lockstep tags"};

class DeviceAnnotator {
 public:
  DeviceAnnotator(const analysis::anomalies::DeviceAnomalies& device, trace::Trace& trace)
      : device_(device) {
    for (const std::string_view name : kLaneNames) {
      lanes_.emplace_back(
          trace, device.timeline.kernels.front().track,
          fmt::format("{} of {}", name, layout::with_id("device", device.timeline.device_id)));
    }
  }

  void add_all() {
    for (const analysis::anomalies::AnomalyStep& step : device_.steps) {
      // Not named like a marker, or the trace would have every step twice when it is read again.
      add(Lane::kSteps, fmt::format("step {}: {}", step.id, step_label(step)), step.start,
          step.end);
      if (step.tags.empty()) continue;
      add(Lane::kTags, fmt::format("{}", fmt::join(names_of(step.tags), ", ")), step.start,
          step.end);
    }
    for (const analysis::anomalies::Bubble& bubble : device_.bubbles) {
      add(Lane::kBubbles,
          fmt::format("{} {}: {}", name_of(bubble.scope), human_time(bubble.length()),
                      fmt::join(labels_of(bubble), ", ")),
          bubble.start, bubble.end);
    }
  }

 private:
  [[nodiscard]] static std::vector<std::string_view> labels_of(
      const analysis::anomalies::Bubble& bubble) {
    if (bubble.is_unrecorded) return {name_of(analysis::anomalies::Tag::kUnrecordedWork)};
    if (bubble.is_opaque) return {name_of(analysis::anomalies::Tag::kGraphReplayOpaque)};
    return names_of(bubble.labels);
  }

  void add(Lane lane, std::string_view name, Time start, Time end) {
    lanes_[static_cast<std::size_t>(lane)].add(name, start, end - start);
  }

  const analysis::anomalies::DeviceAnomalies& device_;
  std::vector<sinks::AnnotationLane> lanes_;  // by Lane
};

}  // namespace

void annotate_anomalies(const analysis::anomalies::Anomalies& anomalies, trace::Trace& trace) {
  for (const analysis::anomalies::DeviceAnomalies& device : anomalies.devices) {
    if (!device.timeline.kernels.empty()) DeviceAnnotator(device, trace).add_all();
  }
}

}  // namespace lockstep::report::anomalies

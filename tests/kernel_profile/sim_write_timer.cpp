// Profilers that record the whole timer: IKP's 16-byte events (a ring per warp), and the JSON of
// NVIDIA's run-iket (ranges and markers by warp).
#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "sim_writers.h"

namespace lockstep::sim {
namespace {

struct IkpEvent {
  std::uint64_t timer = 0;
  std::uint16_t event = 0;
  std::uint16_t type = 0;
  std::uint16_t block = 0;
  std::uint16_t place = 0;
};
static_assert(sizeof(IkpEvent) == 16);

IkpEvent event_of(const TrueExecution& execution, const TrueLane& lane, const TrueMarker& marker) {
  IkpEvent out;
  out.timer = static_cast<std::uint64_t>(execution.timer.read_ns(marker.at_ps));
  out.event = static_cast<std::uint16_t>(marker.event);
  out.type = marker.type == trace::RecordType::kEnd       ? 1
             : marker.type == trace::RecordType::kInstant ? 2
                                                          : 0;
  out.block = static_cast<std::uint16_t>(lane.block);
  out.place = static_cast<std::uint16_t>(lane.group | lane.sm << 6);
  return out;
}

std::uint32_t power_of_two_below(std::uint32_t value) {
  std::uint32_t power = 1;
  while (power <= value / 2) power *= 2;
  return power;
}

// Pairs of begin and end of one lane, as a stack: what run-iket knows as ranges.
struct Range {
  TrueMarker begin;
  TrueMarker end;
};

std::vector<Range> ranges_of(const TrueLane& lane) {
  std::vector<Range> ranges;
  std::vector<TrueMarker> open;
  for (const TrueMarker& marker : lane.markers) {
    if (marker.type == trace::RecordType::kBegin) {
      open.push_back(marker);
    } else if (marker.type == trace::RecordType::kEnd && !open.empty() &&
               open.back().event == marker.event) {
      ranges.push_back({open.back(), marker});
      open.pop_back();
    }
  }
  return ranges;
}

class IketText {
 public:
  explicit IketText(const TrueExecution& execution) : execution_(execution) {}

  SimFile write() {
    for (std::size_t i = 0; i < execution_.lanes.size(); ++i) {
      if (execution_.lanes[i].launch == 0) add_lane(i);
    }
    std::string names;
    for (const std::string& name : execution_.event_names) {
      names += (names.empty() ? "\"" : ", \"") + name + "\"";
    }
    const SimOptions& options = execution_.options;
    file_.format = "iket";
    file_.bytes =
        "{\"stringTable\": [" + names + "], \"locationTable\": [" + places_ +
        "],\n\"launches\": [{\"kernelName\": \"simulated\", \"gridDimX\": " +
        std::to_string(options.blocks) + ", \"gridDimY\": 1, \"gridDimZ\": 1, \"blockDimX\": " +
        std::to_string(32 * options.groups) +
        ", \"blockDimY\": 1, \"blockDimZ\": 1,\n\"ranges\": [" + ranges_ + "],\n\"markers\": [" +
        markers_ + "],\n\"warpLifetimes\": [" + lifetimes_ + "]}]}\n";
    return std::move(file_);
  }

 private:
  static void join(std::string& list, const std::string& item) {
    list += (list.empty() ? "" : ",\n") + item;
  }
  [[nodiscard]] std::string time(std::int64_t at_ps) const {
    return std::to_string(execution_.timer.read_ns(at_ps));
  }

  void add_lane(std::size_t index) {
    const TrueLane& lane = execution_.lanes[index];
    const std::string place = std::to_string(file_.lanes.size());
    join(places_, "{\"smId\": " + std::to_string(lane.sm) + ", \"tpcId\": 0, \"gpcId\": 0, " +
                      "\"ctaId\": [" + std::to_string(lane.block) +
                      ", 0, 0], \"warpId\": " + std::to_string(lane.group) + "}");
    ExpectedLane expected{.true_lane = index, .seen = 0, .markers = {}};
    for (const Range& range : ranges_of(lane)) {
      join(ranges_, "{\"rangeNameIdx\": " + std::to_string(range.begin.event) + ", \"startTs\": " +
                        time(range.begin.at_ps) + ", \"endTs\": " + time(range.end.at_ps) +
                        ", \"warpLocIdxs\": [" + place + "]}");
      TrueMarker region = range.begin;
      region.type = trace::RecordType::kRegion;
      region.end_ps = range.end.at_ps;
      expected.markers.push_back(region);
    }
    for (const TrueMarker& marker : lane.markers) {
      if (marker.type != trace::RecordType::kInstant) continue;
      join(markers_, "{\"markerNameIdx\": " + std::to_string(marker.event) +
                         ", \"timestamp\": " + time(marker.at_ps) + ", \"locIdx\": " + place + "}");
      expected.markers.push_back(marker);
    }
    join(lifetimes_, "{\"startTs\": " + time(lane.start_ps) + ", \"endTs\": " + time(lane.end_ps) +
                         ", \"locIdx\": " + place + "}");
    std::ranges::stable_sort(expected.markers, {}, &TrueMarker::at_ps);
    expected.seen = expected.markers.size();
    file_.lanes.push_back(std::move(expected));
  }

  const TrueExecution& execution_;
  std::string places_, ranges_, markers_, lifetimes_;
  SimFile file_;
};

}  // namespace

SimFile write_ikp(const TrueExecution& execution) {
  const SimOptions& options = execution.options;
  const std::uint32_t room =
      power_of_two_below(std::min<std::uint32_t>(options.capacity, 4 * options.max_markers));
  SimFile file;
  std::vector<IkpEvent> events;
  std::string counters;
  for (std::size_t i = 0; i < std::size_t{options.blocks} * options.groups; ++i) {
    const TrueLane& lane = execution.lanes[i];
    std::vector<IkpEvent> ring(room);
    for (std::size_t k = 0; k < lane.markers.size(); ++k) {
      ring[k % room] = event_of(execution, lane, lane.markers[k]);
    }
    events.insert(events.end(), ring.begin(), ring.end());
    counters += (counters.empty() ? "" : ", ") + std::to_string(lane.markers.size());
    const auto kept = static_cast<std::ptrdiff_t>(std::min<std::size_t>(lane.markers.size(), room));
    file.lanes.push_back({.true_lane = i,
                          .seen = lane.markers.size(),
                          .markers = {lane.markers.end() - kept, lane.markers.end()}});
  }
  file.format = "ikp";
  file.bytes.resize(events.size() * sizeof(IkpEvent));
  std::memcpy(file.bytes.data(), events.data(), file.bytes.size());
  file.meta = "{\"groups\": " + std::to_string(options.groups) +
              ", \"lane_capacity\": " + std::to_string(room) +
              ", \"timer_ns\": " + std::to_string(execution.timer.tick_ns) + ", \"counters\": [" +
              counters + "]}";
  return file;
}

SimFile write_iket(const TrueExecution& execution) { return IketText(execution).write(); }

}  // namespace lockstep::sim

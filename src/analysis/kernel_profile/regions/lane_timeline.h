// What the markers of one lane say, in ticks: regions, instants, edges of asynchronous work.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "analysis/kernel_profile/regions/region_nesting.h"
#include "trace/kernel_profile.h"

namespace lockstep::analysis::kernel_profile {

struct LaneInstant {
  std::int64_t at = 0;
  std::uint32_t event = 0;
  std::uint32_t payload = 0;
  bool has_payload = false;
};

// A begin or end of asynchronous work, to be paired across lanes by event and token.
struct AsyncEdge {
  std::int64_t at = 0;
  std::uint32_t event = 0;
  std::uint32_t token = 0;
  bool is_begin = false;
};

struct LaneTimeline {
  std::int64_t begin = 0;  // first and last tick seen: markers and anchors
  std::int64_t end = 0;
  std::vector<LaneRegion> regions;  // by begin; one that encloses another comes before it
  std::vector<LaneInstant> instants;
  std::vector<AsyncEdge> async_edges;

  void clear();
};

// Whether the marker is an edge of asynchronous work, which is no region of its lane.
[[nodiscard]] constexpr bool is_async_edge(const trace::KernelRecord& record) {
  return record.is_async &&
         (record.type == trace::RecordType::kBegin || record.type == trace::RecordType::kEnd);
}

// A region from the marker that begins it; it has no end yet.
[[nodiscard]] inline LaneRegion region_begun_by(const trace::KernelRecord& record) {
  const bool is_switch =
      record.type == trace::RecordType::kSwitch;  // its payload is the event that ended
  return {.begin = record.ticks,
          .end = record.ticks,
          .event = record.event,
          .payload = is_switch ? 0 : record.payload,
          .has_payload = !is_switch && record.has_payload};
}

// Ends it `markers` after the one that began it.
inline void end_region(LaneRegion& region, const trace::KernelRecord& record,
                       std::uint64_t markers) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
  region.end = std::max(region.begin, record.ticks);
  region.markers = static_cast<std::uint32_t>(std::min(markers, kMost));
  if (record.type != trace::RecordType::kEnd || !record.has_payload || region.has_payload) return;
  region.payload = record.payload;
  region.has_payload = true;
}

// Takes an instant or an edge of asynchronous work.
void take_single(const trace::KernelRecord& record, LaneTimeline& out);

}  // namespace lockstep::analysis::kernel_profile

// Pairs the markers of one lane to regions.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/diagnostics.h"
#include "trace/kernel_profile.h"

namespace lockstep {

enum class RegionStatus : std::uint8_t {
  kOk,
  kUnmatchedBegin,  // no end followed: it is drawn to the lane's end
  kUnmatchedEnd,    // no begin came before: it is drawn from the lane's begin
  kClipped,         // the other edge was dropped (full buffer or ring)
};

struct LaneRegion {
  std::int64_t begin = 0;  // ticks
  std::int64_t end = 0;
  std::uint32_t event = 0;
  std::uint32_t depth = 0;  // regions of this lane that enclose it
  std::uint32_t payload = 0;
  bool has_payload = false;
  bool is_crossing = false;  // overlaps another region without one enclosing the other
  RegionStatus status = RegionStatus::kOk;
};

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
  std::vector<LaneRegion> regions;  // by begin, longer first
  std::vector<LaneInstant> instants;
  std::vector<AsyncEdge> async_edges;
  void clear();
};

// Regions of one event pair like brackets (a stack per event); those of different events may cross.
// `out` is cleared and filled, so that its memory serves many lanes.
void pair_regions(const KernelLane& lane, std::span<const KernelRecord> records,
                  std::span<const KernelAnchor> anchors, LaneTimeline& out, Diagnostics& findings);

}  // namespace lockstep

// Pairs the markers of one lane to regions.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/kernel_profile/regions/event_slots.h"
#include "analysis/kernel_profile/regions/lane_timeline.h"
#include "analysis/kernel_profile/regions/plain_pairing.h"
#include "analysis/kernel_profile/regions/region_nesting.h"
#include "base/diagnostics.h"
#include "trace/kernel_profile.h"

namespace lockstep::analysis::kernel_profile {

extern const DiagnosticKind kUnmatchedBegin;
extern const DiagnosticKind kUnmatchedEnd;
extern const DiagnosticKind kClippedRegion;
extern const DiagnosticKind kNestedInItself;
extern const DiagnosticKind kCrossingRegions;
extern const DiagnosticKind kNegativeRegion;

// Regions of one event pair like brackets (a stack per event); those of different events may cross.
// Linear where regions nest, n log n where they cross. Keeps its memory for the next lane; one per
// thread.
class RegionPairing {
 public:
  // `out` is cleared and filled, so that its memory serves many lanes too.
  void pair(const trace::KernelLane& lane, std::span<const trace::KernelRecord> records,
            std::span<const trace::KernelAnchor> anchors, LaneTimeline& out, Diagnostics& findings);

 private:
  struct Open {
    std::uint32_t region = 0;
    std::uint32_t below = 0;  // the next open one of the same event
    bool is_closed = false;   // but something above it is not
  };
  // How often something was met in the lane, and at which record first.
  struct Tally {
    std::uint64_t count = 0;
    std::uint64_t first_record = 0;
    std::uint32_t event = 0;
    void add(std::uint64_t record, std::uint32_t of_event);
  };
  struct Tallies {
    Tally unmatched_begin, unmatched_end, clipped, nested, crossing, negative;
  };

  void see_anchors(const trace::KernelLane& lane, std::span<const trace::KernelAnchor> anchors);
  void pair_anything(const trace::KernelLane& lane, std::span<const trace::KernelRecord> records);
  void start(const trace::KernelLane& lane);
  void take(const trace::KernelRecord& record, std::uint64_t index);
  void begin(const trace::KernelRecord& record, std::uint64_t index);
  void end(const trace::KernelRecord& record, std::uint64_t index, std::uint32_t event);
  void end_without_begin(const trace::KernelRecord& record, std::uint64_t index,
                         std::uint32_t event);
  void take_region(const trace::KernelRecord& record, std::uint64_t index);
  void see_tick(std::int64_t ticks);
  std::uint32_t& top_of(std::uint32_t event);
  void finish(std::uint64_t records);
  void report(const trace::KernelLane& lane, Diagnostics& findings) const;

  PlainPairing plain_;
  EventSlots slots_;
  std::vector<std::uint32_t> tops_;  // by slot: the innermost open one, a place in open_
  std::vector<Open> open_;           // in order of begin
  std::vector<RegionEdges> edges_;   // by region
  std::vector<std::uint32_t> without_begin_;
  RegionNesting nesting_;
  Tallies tallies_;
  LaneTimeline* out_ = nullptr;
  bool has_ticks_ = false;
  bool has_region_records_ = false;
  RegionStatus open_end_ = RegionStatus::kUnmatchedBegin;
  RegionStatus open_begin_ = RegionStatus::kUnmatchedEnd;
};

// The same for a single lane.
void pair_regions(const trace::KernelLane& lane, std::span<const trace::KernelRecord> records,
                  std::span<const trace::KernelAnchor> anchors, LaneTimeline& out,
                  Diagnostics& findings);

}  // namespace lockstep::analysis::kernel_profile

// One lane from its records to its share of the answer.
#pragma once

#include <cstdint>
#include <vector>

#include "algo/intervals/intervals.h"
#include "analysis/kernel_profile/clocks/clock_reader.h"
#include "analysis/kernel_profile/figures/critical_lanes.h"
#include "analysis/kernel_profile/figures/event_statistics.h"
#include "analysis/kernel_profile/figures/kernel_summary.h"
#include "analysis/kernel_profile/regions/async_pairs.h"
#include "analysis/kernel_profile/regions/lane_gaps.h"
#include "analysis/kernel_profile/regions/lane_regions.h"
#include "base/diagnostics.h"
#include "trace/kernel_profile.h"

namespace lockstep::analysis::kernel_profile {

// One per thread: it gathers over the lanes that the thread walks, and keeps memory between them.
//
// Statistics are of regions with both edges. Covered time, gaps and overlap also count clipped ones
// as they are drawn; regions of which nobody knows why an edge is missing count nowhere.
class LaneWalk {
 public:
  LaneWalk(const trace::KernelProfile& profile, const TimeBase& time,
           const KernelSummaryOptions& options);

  void walk(std::uint32_t lane, LaneResult& result, LaneFacts& facts, Diagnostics& findings);

  // Of the last lane: what its regions cover.
  [[nodiscard]] const std::vector<algo::Interval>& covering() const { return covering_; }

  void absorb(LaneWalk&& other);

  EventTally events;
  LongestGaps gaps;
  std::vector<TimedAsyncEdge> async_edges;
  std::uint64_t records = 0;

 private:
  void add_region(const LaneRegion& region, ClockReader& clock, LaneResult& result);
  void cover(const LaneRegion& region, Time start, Time end, std::uint32_t lane);

  const trace::KernelProfile& profile_;
  const TimeBase& time_;
  const KernelSummaryOptions& options_;
  RegionPairing pairing_;
  LaneTimeline timeline_;
  trace::RecordScratch scratch_;
  std::vector<algo::Interval> covering_;
  std::uint32_t covered_by_ = 0;  // the event that ended the covering so far
};

}  // namespace lockstep::analysis::kernel_profile

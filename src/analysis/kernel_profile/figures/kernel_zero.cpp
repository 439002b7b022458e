// Adding of one distance to every time of a summary.
#include "analysis/kernel_profile/figures/kernel_zero.h"

#include <algorithm>
#include <limits>
#include <vector>

namespace lockstep::analysis::kernel_profile {
namespace {

void move_clocks(TimeBase& base, std::int64_t origin_ns, Time shift) {
  base.origin_ns = origin_ns;
  for (ClockFit& fit : base.fits) {
    for (ClockPiece& piece : fit.pieces) piece.at_first += shift;
    fit.launch_begin += shift;
    fit.launch_end += shift;
  }
}

void move_lane(LaneResult& lane, Time shift) {
  lane.start += shift;
  lane.end += shift;
  for (TimedRegion& region : lane.regions) region.start.time += shift;
  for (TimedInstant& instant : lane.instants) instant.at.time += shift;
}

}  // namespace

void count_from_earliest(KernelSummary& summary, std::span<const LaneFacts> facts) {
  using Limits = std::numeric_limits<std::int64_t>;
  Time first{Limits::max()};
  Time last{Limits::min()};
  for (const LaneResult& lane : summary.lanes) {
    if (!facts[lane.lane].has_ticks) continue;
    first = std::min(first, lane.start);
    last = std::max(last, lane.end);
  }
  if (first > last) return;
  const WideTime origin_ns = WideTime{summary.time.origin_ns} + floor_ns(first);
  const WideTime distance = WideTime{-floor_ns(first)} * kPicosecondsPerNanosecond;
  const bool can_move = distance + last.ps <= kMaxDistanceFromOriginPs &&
                        origin_ns >= Limits::min() && origin_ns <= Limits::max();
  if (!can_move || distance == 0) return;
  const Time shift{static_cast<std::int64_t>(distance)};
  move_clocks(summary.time, static_cast<std::int64_t>(origin_ns), shift);
  std::vector<bool> has_time(summary.launches.size());
  for (CriticalLane& lane : summary.critical) {
    lane.end += shift;
    has_time[lane.launch] = true;  // there is one for every launch of which a lane has a time
  }
  for (LaunchResult& launch : summary.launches) {
    if (!has_time[launch.launch]) continue;
    launch.start += shift;
    launch.end += shift;
  }
  for (LaneResult& lane : summary.lanes) {
    if (facts[lane.lane].has_ticks) move_lane(lane, shift);
  }
  for (LaneGap& gap : summary.gaps) gap.start += shift;
  for (AsyncPair& pair : summary.async_pairs) {
    pair.begin.time += shift;
    pair.end.time += shift;
  }
}

}  // namespace lockstep::analysis::kernel_profile

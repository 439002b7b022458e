// Pairing of single lanes.
#include "analysis/kernel_profile/regions/lane_markers.h"

#include <cmath>

#include "algo/intervals/intervals.h"
#include "analysis/kernel_profile/clocks/saturated_time.h"

namespace lockstep::analysis::kernel_profile {

std::int64_t overhead_of(const LaneRegion& region, double ticks_each) {
  const std::int64_t length = saturated(algo::distance_between(region.begin, region.end));
  const double cost = std::round(ticks_each * region.markers);
  return cost < static_cast<double>(length) ? static_cast<std::int64_t>(cost) : length;
}

const LaneTimeline& LaneMarkers::read(std::uint32_t lane) {
  lane_ = lane;
  clock_.emplace(time_.of(lane));
  const trace::KernelLane& of = profile_.lanes[lane];
  Diagnostics known_already;
  pairing_.pair(of, profile_.records_of(of, scratch_), profile_.anchors_of(of), timeline_,
                known_already);
  return timeline_;
}

TimedRegion LaneMarkers::timed(const LaneRegion& region) {
  ClockReader& clock = *clock_;
  const std::int64_t overhead = overhead_ticks_ > 0 ? overhead_of(region, overhead_ticks_) : 0;
  const Time start = clock(region.begin);
  const Time duration = time_between(start, clock(region.end - overhead));
  const std::int64_t ticks = saturated(algo::distance_between(region.begin, region.end)) - overhead;
  const Time uncertainty = time_.of(lane_).at(region.begin).uncertainty;
  return {region, {start, uncertainty}, duration, ticks};
}

TimedInstant LaneMarkers::timed(const LaneInstant& instant) const {
  return {instant, time_.of(lane_).at(instant.at)};
}

}  // namespace lockstep::analysis::kernel_profile

// Regions of a lane put on the time axis and handed to what counts them.
#include "analysis/kernel_profile/regions/lane_walk.h"

#include <algorithm>
#include <utility>

#include "analysis/kernel_profile/clocks/saturated_time.h"
#include "analysis/kernel_profile/regions/lane_markers.h"

namespace lockstep::analysis::kernel_profile {
namespace {

std::uint32_t lane_step_for(std::size_t lanes) {
  return static_cast<std::uint32_t>(
      std::max<std::size_t>(1, (lanes + kSampledLanes - 1) / kSampledLanes));
}

}  // namespace

LaneWalk::LaneWalk(const trace::KernelProfile& profile, const TimeBase& time,
                   const KernelSummaryOptions& options)
    : events(lane_step_for(profile.lanes.size())),
      gaps(options.top_gaps),
      profile_(profile),
      time_(time),
      options_(options) {}

inline void LaneWalk::cover(const LaneRegion& region, Time start, Time end, std::uint32_t lane) {
  if (covering_.empty() || start.ps > covering_.back().end) {
    if (!covering_.empty()) {
      const Time from{covering_.back().end};
      gaps.add({lane, from, time_between(from, start), covered_by_, region.event});
    }
    covering_.push_back({start.ps, end.ps});
    covered_by_ = region.event;
  } else if (end.ps > covering_.back().end) {
    covering_.back().end = end.ps;
    covered_by_ = region.event;
  }
}

inline void LaneWalk::add_region(const LaneRegion& region, ClockReader& clock, LaneResult& result) {
  const std::int64_t overhead =
      options_.overhead_ticks > 0 ? overhead_of(region, options_.overhead_ticks) : 0;
  const Time start = clock(region.begin);
  const Time end = clock(region.end);
  const Time duration = time_between(start, overhead == 0 ? end : clock(region.end - overhead));
  const std::int64_t ticks = saturated(algo::distance_between(region.begin, region.end)) - overhead;
  if (region.status == RegionStatus::kOk) events.add(region.event, start, end, duration, ticks);
  if (region.status == RegionStatus::kOk || region.status == RegionStatus::kClipped) {
    cover(region, start, end, result.lane);
  }
  if (!options_.keep_regions) return;
  const Time uncertainty = time_.of(result.lane).at(region.begin).uncertainty;
  result.regions.push_back({region, {start, uncertainty}, duration, ticks});
}

void LaneWalk::walk(std::uint32_t index, LaneResult& result, LaneFacts& facts,
                    Diagnostics& findings) {
  const trace::KernelLane& lane = profile_.lanes[index];
  const auto anchors = profile_.anchors_of(lane);
  const auto lane_records = profile_.records_of(lane, scratch_);
  pairing_.pair(lane, lane_records, anchors, timeline_, findings);
  const ClockFit& fit = time_.of(index);
  records += lane_records.size();
  covering_.clear();
  result.lane = index;
  facts.has_ticks = !lane_records.empty() || !anchors.empty();
  if (!facts.has_ticks) return;
  ClockReader clock(fit);
  result.start = clock(timeline_.begin);
  result.end = std::max(result.start, clock(timeline_.end));
  if (options_.keep_regions) result.regions.reserve(timeline_.regions.size());
  for (const LaneRegion& region : timeline_.regions) add_region(region, clock, result);
  facts.longest = events.finish_lane(index, time_between(result.start, result.end));
  result.covered = saturated_time(WideTime{algo::total_length(covering_)});
  for (const AsyncEdge& edge : timeline_.async_edges) {
    async_edges.push_back(
        {lane.launch, index, edge.event, edge.token, fit.at(edge.at), edge.is_begin, lane.block});
  }
  if (!options_.keep_regions) return;
  for (const LaneInstant& instant : timeline_.instants)
    result.instants.push_back({instant, fit.at(instant.at)});
}

void LaneWalk::absorb(LaneWalk&& other) {
  events.absorb(std::move(other.events));
  gaps.absorb(other.gaps);
  async_edges.insert(async_edges.end(), other.async_edges.begin(), other.async_edges.end());
  other.async_edges = {};
  records += other.records;
}

}  // namespace lockstep::analysis::kernel_profile

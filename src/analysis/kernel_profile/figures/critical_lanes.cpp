// The last end of a launch against the middle one.
#include "analysis/kernel_profile/figures/critical_lanes.h"

#include <algorithm>

#include "algo/statistics/statistics.h"
#include "analysis/kernel_profile/clocks/saturated_time.h"

namespace lockstep::analysis::kernel_profile {

std::vector<CriticalLane> find_critical_lanes(const trace::KernelProfile& profile,
                                              std::span<const LaneResult> lanes,
                                              std::span<const LaneFacts> facts) {
  std::vector<std::vector<std::uint32_t>> of_launch(profile.launches.size());
  for (const LaneResult& result : lanes) {
    if (facts[result.lane].has_ticks)
      of_launch[profile.lanes[result.lane].launch].push_back(result.lane);
  }
  std::vector<CriticalLane> critical;
  std::vector<std::int64_t> ends;
  for (std::uint32_t launch = 0; launch < of_launch.size(); ++launch) {
    if (of_launch[launch].empty()) continue;
    ends.clear();
    for (const std::uint32_t lane : of_launch[launch]) ends.push_back(lanes[lane].end.ps);
    const auto last = std::ranges::max_element(ends);
    const std::uint32_t lane = of_launch[launch][static_cast<std::size_t>(last - ends.begin())];
    critical.push_back({.launch = launch,
                        .lane = lane,
                        .end = lanes[lane].end,
                        .slack = time_between({algo::median(ends)}, lanes[lane].end),
                        .longest_event = facts[lane].longest.event,
                        .longest_total = facts[lane].longest.total});
  }
  return critical;
}

}  // namespace lockstep::analysis::kernel_profile

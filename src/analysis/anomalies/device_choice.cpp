// Counts work and steps before either is judged.
#include "analysis/anomalies/device_choice.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/time.h"

namespace lockstep::analysis::anomalies {

std::vector<DeviceTimeline> busiest(std::size_t most, std::vector<DeviceTimeline> timelines) {
  if (timelines.size() <= most) return timelines;
  std::vector<std::pair<WideTime, std::size_t>> work;  // less is more
  for (std::size_t i = 0; i < timelines.size(); ++i) {
    WideTime sum = 0;
    for (const DeviceWork& kernel : timelines[i].kernels) sum -= kernel.duration().ps;
    work.emplace_back(sum, i);
  }
  std::ranges::sort(work);
  work.resize(most);
  std::ranges::sort(work, {}, &std::pair<WideTime, std::size_t>::second);
  std::vector<DeviceTimeline> kept;
  for (const auto& [sum, i] : work) kept.push_back(std::move(timelines[i]));
  return kept;
}

EmptySteps empty_steps(const StepMarkers& markers, std::span<const DeviceTimeline> timelines,
                       std::size_t most) {
  std::size_t steps = 0;
  std::map<trace::RankId, std::size_t> of_ranks;
  for (const DeviceTimeline& timeline : timelines) {
    steps += markers.of(timeline.rank).size();
    of_ranks[timeline.rank] = markers.of(timeline.rank).size();
  }
  for (const auto& [rank, count] : of_ranks) most += 4 * count;
  return steps > most ? EmptySteps::kLeaveOut : EmptySteps::kKeep;
}

// Ids need a prefix only where there are several devices.
std::string prefix_of(const DeviceTimeline& timeline, std::size_t devices, std::size_t number) {
  if (devices == 1) return "";
  if (!timeline.rank_number || !timeline.is_told_by_rank) return "d" + std::to_string(number) + ".";
  return "r" + std::to_string(*timeline.rank_number) + ".d" + timeline.device_id + ".";
}

}  // namespace lockstep::analysis::anomalies

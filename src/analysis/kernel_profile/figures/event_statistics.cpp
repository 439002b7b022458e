// Sums in integers, durations in bags: nothing depends on the order of lanes.
#include "analysis/kernel_profile/figures/event_statistics.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "analysis/kernel_profile/clocks/saturated_time.h"
#include "base/threads/on_threads.h"

namespace lockstep::analysis::kernel_profile {

EventTally::Longest EventTally::finish_lane(std::uint32_t lane, Time lane_time) {
  Longest longest;
  bool is_first = true;
  for (const std::uint32_t slot : of_lane_) {
    OfEvent& tally = events_[slot];
    const OfLane& here = tally.lane;
    const Longest candidate{slots_.events()[slot], saturated_time(here.inside)};
    if (is_first || candidate.total > longest.total ||
        (candidate.total == longest.total && candidate.event < longest.event)) {
      longest = candidate;
    }
    is_first = false;
    tally.count += here.count;
    ++tally.lanes;
    tally.total += here.total;
    tally.ticks += here.ticks;
    tally.inside += here.inside;
    tally.lane_time += lane_time.ps;
    if (lane % lane_step_ == 0) {
      tally.means.push_back({lane, saturated(here.total / static_cast<WideTime>(here.count))});
    }
    tally.lane = {};
  }
  of_lane_.clear();
  return longest;
}

void EventTally::absorb(EventTally&& other) {
  for (std::uint32_t from = 0; from < other.events_.size(); ++from) {
    const std::uint32_t slot = slots_.slot_of(other.slots_.events()[from]);
    if (slot >= events_.size()) events_.resize(slot + 1);
    OfEvent& mine = events_[slot];
    OfEvent& theirs = other.events_[from];
    mine.count += theirs.count;
    mine.lanes += theirs.lanes;
    mine.total += theirs.total;
    mine.ticks += theirs.ticks;
    mine.inside += theirs.inside;
    mine.lane_time += theirs.lane_time;
    mine.durations.absorb(std::move(theirs.durations));
    mine.means.insert(mine.means.end(), theirs.means.begin(), theirs.means.end());
  }
  other.events_.clear();
}

EventStatistics EventTally::statistics_of(std::uint32_t event, OfEvent& tally) {
  const algo::OrderStatistics order = tally.durations.order_statistics();
  tally.durations = {};
  EventStatistics statistics;
  statistics.event = event;
  statistics.count = tally.count;
  statistics.total = saturated_time(tally.total);
  statistics.min = {order.min};
  statistics.p50 = {order.p50};
  statistics.p95 = {order.p95};
  statistics.max = {order.max};
  statistics.total_ticks = saturated(tally.ticks);
  statistics.lanes = tally.lanes;
  if (tally.lane_time > 0) {
    statistics.lane_share =
        static_cast<double>(tally.inside) / static_cast<double>(tally.lane_time);
  }
  std::ranges::sort(tally.means, {}, &LaneMean::lane);
  for (const LaneMean& mean : tally.means) statistics.lane_means.push_back(mean.ps);
  return statistics;
}

std::vector<EventStatistics> EventTally::finish(std::size_t threads) {
  std::vector<EventStatistics> all(events_.size());
  run_on_threads(threads, events_.size(), [&](std::size_t, std::size_t slot) {
    all[slot] = statistics_of(slots_.events()[slot], events_[slot]);
  });
  std::ranges::sort(all, {}, [](const EventStatistics& statistics) {
    return std::tuple(-WideTime{statistics.total.ps}, statistics.event);
  });
  return all;
}

}  // namespace lockstep::analysis::kernel_profile

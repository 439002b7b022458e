// Statistics of events over the regions of all lanes, gathered lane by lane.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "algo/statistics/value_bag.h"
#include "analysis/kernel_profile/figures/kernel_summary.h"
#include "analysis/kernel_profile/regions/event_slots.h"
#include "base/time.h"

namespace lockstep::analysis::kernel_profile {

// One per thread; what several gathered is the same whichever lanes each had.
class EventTally {
 public:
  // Of every `lane_step`-th lane the mean durations are kept.
  explicit EventTally(std::uint32_t lane_step) : lane_step_(lane_step) {}

  // Regions of one lane, in order of their start; `duration` may be less than what lies between
  // start and end, where the cost of markers was taken off.
  void add(std::uint32_t event, Time start, Time end, Time duration, std::int64_t ticks) {
    const std::uint32_t slot = slots_.slot_of(event);
    if (slot >= events_.size()) events_.resize(slot + 1);
    OfEvent& tally = events_[slot];
    OfLane& lane = tally.lane;
    if (lane.count++ == 0) {
      of_lane_.push_back(slot);
      lane.reached = start;
    }
    lane.total += duration.ps;
    lane.ticks += ticks;
    if (end > lane.reached) {
      lane.inside += WideTime{end.ps} - (start < lane.reached ? lane.reached : start).ps;
      lane.reached = end;
    }
    tally.durations.add(duration.ps);
  }

  struct Longest {
    std::uint32_t event = 0;
    Time total;  // inside the event, what is nested in itself counted once
  };
  // Ends a lane; the event in which it spent the most time, the lowest of equal ones.
  Longest finish_lane(std::uint32_t lane, Time lane_time);

  void absorb(EventTally&& other);
  // By total time, longest first; then by event.
  [[nodiscard]] std::vector<EventStatistics> finish(std::size_t threads);

 private:
  struct LaneMean {
    std::uint32_t lane = 0;
    std::int64_t ps = 0;
  };
  struct OfLane {
    std::uint64_t count = 0;
    WideTime total = 0;
    WideTime ticks = 0;
    WideTime inside = 0;  // union of its regions
    Time reached;         // their latest end
  };
  struct OfEvent {
    OfLane lane;
    std::uint64_t count = 0;
    std::uint64_t lanes = 0;
    WideTime total = 0;
    WideTime ticks = 0;
    WideTime inside = 0;
    WideTime lane_time = 0;  // of the lanes that have it
    algo::ValueBag durations;
    std::vector<LaneMean> means;
  };

  [[nodiscard]] static EventStatistics statistics_of(std::uint32_t event, OfEvent& tally);

  std::uint32_t lane_step_ = 1;
  EventSlots slots_;
  std::vector<OfEvent> events_;         // by slot
  std::vector<std::uint32_t> of_lane_;  // slots that the lane has
};

}  // namespace lockstep::analysis::kernel_profile

// The lane of each launch that everybody else waits for.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/kernel_profile/figures/event_statistics.h"
#include "analysis/kernel_profile/figures/kernel_summary.h"
#include "trace/kernel_profile.h"

namespace lockstep::analysis::kernel_profile {

// What a lane's walk learned beside its result.
struct LaneFacts {
  EventTally::Longest longest;
  bool has_ticks = false;  // without markers and anchors a lane has no place in time
};

// One per launch that has lanes with a place in time, by launch. Of lanes that end together the
// first. `lanes` and `facts` are by lane.
[[nodiscard]] std::vector<CriticalLane> find_critical_lanes(const trace::KernelProfile& profile,
                                                            std::span<const LaneResult> lanes,
                                                            std::span<const LaneFacts> facts);

}  // namespace lockstep::analysis::kernel_profile

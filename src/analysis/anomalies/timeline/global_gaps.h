// The gaps of a device over the whole capture.
#pragma once

#include <vector>

#include "algo/intervals/intervals.h"
#include "analysis/anomalies/timeline/device_timeline.h"
#include "base/time.h"

namespace lockstep::analysis::anomalies {

// The device over the whole capture.
struct GlobalGaps {
  Time span;  // from its first to its last kernel
  Time busy;
  Time any_busy;
  Time gap;
  Time largest;
  std::vector<algo::Interval> top;  // at most five, longest first
};

// The device from its first to its last kernel.
[[nodiscard]] GlobalGaps global_gaps(const DeviceTimeline& timeline);

}  // namespace lockstep::analysis::anomalies

// Which devices are judged, which of their steps, and what their ids begin with.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "analysis/anomalies/steps/step_windows.h"
#include "analysis/anomalies/timeline/device_timeline.h"

namespace lockstep::analysis::anomalies {

// Those that worked most, `most` of them, in the order that they had.
[[nodiscard]] std::vector<DeviceTimeline> busiest(std::size_t most,
                                                  std::vector<DeviceTimeline> timelines);

// Whether steps in which a device was asked for nothing are kept: not where markers would make more
// than `most` steps, and more than four for every marker.
[[nodiscard]] EmptySteps empty_steps(const StepMarkers& markers,
                                     std::span<const DeviceTimeline> timelines, std::size_t most);

// "" of the only device, "r1.d0." of a rank's, else "d3.".
[[nodiscard]] std::string prefix_of(const DeviceTimeline& timeline, std::size_t devices,
                                    std::size_t number);

}  // namespace lockstep::analysis::anomalies

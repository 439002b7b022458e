// A bubble split by the launch of the kernel that ends it: how much of it the host was late, how
// much the kernel was queued, and which stage of the way took the time. Facts, not guesses.
#pragma once

#include <span>
#include <vector>

#include "analysis/anomalies/evidence/bubble.h"
#include "analysis/anomalies/evidence/host_index.h"
#include "analysis/anomalies/timeline/device_index.h"
#include "trace/host/launches.h"

namespace lockstep::analysis::anomalies {

// By gap.
[[nodiscard]] std::vector<LaunchSplit> split_by_launch(
    const trace::Trace& trace, const DeviceTimeline& timeline, const HostIndex& host,
    const DeviceIndex& index, const trace::Launches& launches, std::span<const Gap> gaps);

}  // namespace lockstep::analysis::anomalies

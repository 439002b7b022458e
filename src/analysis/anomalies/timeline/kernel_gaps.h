// How long a device had waited for each of its kernels.
#pragma once

#include <vector>

#include "analysis/anomalies/timeline/device_timeline.h"
#include "base/time.h"

namespace lockstep::analysis::anomalies {

// Three exact gaps before a kernel, none below 0: since the latest end of any earlier kernel of the
// device, of its own stream, of any earlier computing kernel. Earlier is by (start, end, name). A
// kernel with nothing before it has waited 0.
//
// Not the exporter's Wait Time, which is the gap to the end of the row before in start order, over
// all streams: under overlap it is neither queueing nor idleness.
struct KernelGaps {
  Time to_device;
  Time to_stream;
  Time to_compute;
};

[[nodiscard]] std::vector<KernelGaps> kernel_gaps(const DeviceTimeline& timeline);

}  // namespace lockstep::analysis::anomalies

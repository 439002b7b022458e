// Ranks, their devices and streams, with kernels and exact busy time each.
#pragma once

#include <vector>

#include "analysis/summary/event_pass.h"
#include "analysis/summary/summary.h"
#include "trace/trace.h"

namespace lockstep::analysis::summary {

// How long a device is busy with what: unions over all its streams.
struct DeviceBusy {
  WideTime kernels = 0;
  WideTime computing = 0;
  WideTime communicating = 0;
};

// By DeviceId. The work of `tracks` must still be in the order of its kinds.
[[nodiscard]] std::vector<DeviceBusy> busy_of_devices(const trace::Trace& trace,
                                                      const std::vector<TrackTally>& tracks);

// Ranks by number, unknown ones last; devices and streams that have events, by id. Takes the
// intervals out of `tracks`.
[[nodiscard]] std::vector<RankSummary> summarize_ranks(const trace::Trace& trace,
                                                       const std::vector<DeviceBusy>& busy,
                                                       std::vector<TrackTally>& tracks);

}  // namespace lockstep::analysis::summary

// Ranks, their devices and streams, with kernels and exact busy time each.
#pragma once

#include <vector>

#include "analysis/summary/event_pass.h"
#include "analysis/summary/summary.h"
#include "trace/trace.h"

namespace lockstep {

// Ranks by number, unknown ones last; devices and streams that have events, by id. Takes the
// intervals out of `tracks`.
[[nodiscard]] std::vector<RankSummary> summarize_ranks(const Trace& trace,
                                                       std::vector<TrackTally>& tracks);

}  // namespace lockstep

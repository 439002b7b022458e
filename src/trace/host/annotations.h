// The annotations of a trace: what users and their frameworks marked in time.
#pragma once

#include <vector>

#include "trace/trace.h"

namespace lockstep::trace {

// Those that last, in the order of the trace: of the host, and the profiler's copies on devices.
// What lockstep itself has added is none (trace/steps.h).
[[nodiscard]] std::vector<EventId> annotations_of(const Trace& trace);

}  // namespace lockstep::trace

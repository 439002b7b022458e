// Steps that the user marked in the trace.
#pragma once

#include <string_view>

#include "trace/trace.h"

namespace lockstep {

// ProfilerStep#N, Iteration#N, Step#N, StepTraceAnnotation.
[[nodiscard]] bool is_step_name(std::string_view name);

// Appends to trace.steps, in time order, the host events from `first_row` on that mark steps by
// their name, whatever the profiler calls their kind; copies on device tracks are not second steps.
void collect_marked_steps(Trace& trace, std::size_t first_row, RankId rank);

}  // namespace lockstep

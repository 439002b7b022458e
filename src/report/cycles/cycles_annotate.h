// Loops and phases as annotations of the trace itself, for viewers.
#pragma once

#include "analysis/cycles/cycles.h"
#include "trace/trace.h"

namespace lockstep::report::cycles {

// Adds up to four tracks to each device stream that has loops or phases: "lockstep phases",
// "lockstep passes" (requests and steps around them), "lockstep layers" and "lockstep outliers".
// They stand beside the stream, on device time, and hold annotations, which are never busy. The
// kernels of `trace` must be those that `cycles` was found in.
void annotate_cycles(const analysis::cycles::Cycles& cycles, trace::Trace& trace);

}  // namespace lockstep::report::cycles

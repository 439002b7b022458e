// Anomalies as tracks of the trace itself, for viewers: steps, bubbles and tags of every device.
#pragma once

#include "analysis/anomalies/anomalies.h"
#include "trace/trace.h"

namespace lockstep::report::anomalies {

// They lie on device time and hold annotations only: kernels and busy time stay the same.
void annotate_anomalies(const analysis::anomalies::Anomalies& anomalies, trace::Trace& trace);

}  // namespace lockstep::report::anomalies

// The entries of bubble_windows in the JSON of `anomalies`.
#pragma once

#include "report/anomalies/anomalies_view.h"
#include "report/sinks/json_text.h"

namespace lockstep::report::anomalies {

void write_bubbles(const analysis::anomalies::DeviceAnomalies& device, const trace::Trace& trace,
                   BubbleLimit limit, sinks::JsonText& text);

}  // namespace lockstep::report::anomalies

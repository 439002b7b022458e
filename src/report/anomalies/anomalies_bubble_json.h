// The entries of bubble_windows in the JSON of `anomalies`.
#pragma once

#include "report/anomalies/anomalies_view.h"
#include "report/sinks/json_text.h"

namespace lockstep {

void write_bubbles(const DeviceAnomalies& device, const Trace& trace, BubbleLimit limit,
                   JsonText& text);

}  // namespace lockstep

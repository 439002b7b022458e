// Bubbles of a device on a page: each drawn, with the kernels around it and the facts of its
// launch.
#pragma once

#include "report/anomalies/anomalies_page.h"

namespace lockstep::report::anomalies {

void add_bubbles(const analysis::anomalies::DeviceAnomalies& device, const trace::Trace& trace,
                 const AnomaliesDetail& detail, layout::Page& page);

}  // namespace lockstep::report::anomalies

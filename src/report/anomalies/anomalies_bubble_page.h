// Bubbles of a device on a page: each drawn, with the kernels around it and the facts of its
// launch.
#pragma once

#include "report/anomalies/anomalies_page.h"

namespace lockstep {

void add_bubbles(const DeviceAnomalies& device, const Trace& trace, const AnomaliesDetail& detail,
                 Page& page);

}  // namespace lockstep

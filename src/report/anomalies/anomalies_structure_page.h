// Where the time of a step goes, on a page: structures on four clocks, operators by cost and by
// duration, waits that look like work, AI CPU kernels.
#pragma once

#include "report/anomalies/anomalies_page.h"

namespace lockstep {

void add_structure(const DeviceAnomalies& device, const AnomaliesDetail& detail, Page& page);
void add_operators(const DeviceAnomalies& device, const AnomaliesDetail& detail, Page& page);
void add_wait_anchors(const DeviceAnomalies& device, const AnomaliesDetail& detail, Page& page);
void add_aicpu(const DeviceAnomalies& device, const Trace& trace, const AnomaliesDetail& detail,
               Page& page);

}  // namespace lockstep

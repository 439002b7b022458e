// Where the time of a step goes, on a page: structures on four clocks, operators by cost and by
// duration, waits that look like work, AI CPU kernels.
#pragma once

#include "report/anomalies/anomalies_page.h"

namespace lockstep::report::anomalies {

void add_structure(const analysis::anomalies::DeviceAnomalies& device,
                   const AnomaliesDetail& detail, layout::Page& page);
void add_operators(const analysis::anomalies::DeviceAnomalies& device, const std::string& small_ops,
                   const AnomaliesDetail& detail, layout::Page& page);
void add_wait_anchors(const analysis::anomalies::DeviceAnomalies& device,
                      const AnomaliesDetail& detail, layout::Page& page);
void add_aicpu(const analysis::anomalies::DeviceAnomalies& device, const trace::Trace& trace,
               const AnomaliesDetail& detail, layout::Page& page);

}  // namespace lockstep::report::anomalies

// Why idle time is none.
#pragma once

#include <string>

#include "analysis/anomalies/device_anomalies.h"
#include "trace/trace.h"

namespace lockstep::report::anomalies {

// "for 2.000 ms the host sat in ...", for "... is an artefact, because"
[[nodiscard]] std::string artefact_words(const trace::Trace& trace,
                                         const analysis::anomalies::DeviceAnomalies& device,
                                         const analysis::anomalies::Artefact& artefact);

}  // namespace lockstep::report::anomalies

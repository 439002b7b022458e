// From facts and tags to what people read first: findings, causes, five answers.
#pragma once

#include <span>

#include "analysis/anomalies/device_anomalies.h"
#include "analysis/anomalies/steps/step_outliers.h"
#include "analysis/anomalies/verdict/thresholds.h"
#include "trace/trace.h"

namespace lockstep::analysis::anomalies {

// Fills findings, causes, requires_host_followup, confidence and answers of a device whose other
// fields are complete.
//
// One finding for each outlier; one for each place where a group stalls heavily again and again;
// one for all the rest of a group's idle time when it is high (launch bound, or starved for another
// reason), never one a step.
void conclude(const trace::Trace& trace, std::span<const StepOutlier> outliers,
              const Thresholds& thresholds, DeviceAnomalies& device);

}  // namespace lockstep::analysis::anomalies

// From facts and tags to what people read first: findings, causes, five answers.
#pragma once

#include <span>

#include "analysis/anomalies/judged_device.h"
#include "analysis/anomalies/steps/step_outliers.h"
#include "analysis/anomalies/verdict/conclusion.h"
#include "analysis/anomalies/verdict/thresholds.h"
#include "trace/trace.h"

namespace lockstep::analysis::anomalies {

// One finding for each outlier; one for each place where a group stalls heavily again and again;
// one for all the rest of a group's idle time when it is high (launch bound, or starved for another
// reason), never one a step.
[[nodiscard]] Conclusion conclude(const trace::Trace& trace, std::span<const StepOutlier> outliers,
                                  const Thresholds& thresholds, const JudgedDevice& device);

}  // namespace lockstep::analysis::anomalies

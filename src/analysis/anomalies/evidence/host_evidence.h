// What the host did while the device idled, as shares of each bubble.
#pragma once

#include <span>
#include <vector>

#include "analysis/anomalies/evidence/bubble.h"
#include "analysis/anomalies/evidence/host_index.h"
#include "analysis/anomalies/steps/step.h"
#include "trace/trace.h"

namespace lockstep::analysis::anomalies {

// By gap; they are by start. Only leaves count, and no operator or Python frame that spans the
// whole step.
[[nodiscard]] std::vector<HostCoverage> host_coverage(const trace::Trace& trace,
                                                      const HostIndex& host,
                                                      std::span<const StepFrame> steps,
                                                      std::span<const Gap> gaps);

// The innermost host event that spans most of a gap, kNoEvent where there is none; by gap.
[[nodiscard]] std::vector<trace::EventId> ops_inside(const trace::Trace& trace,
                                                     const HostIndex& host,
                                                     std::span<const StepFrame> steps,
                                                     std::span<const Gap> gaps,
                                                     std::span<const LaunchSplit> launches);

// That were recorded inside the window; by step.
[[nodiscard]] std::vector<std::uint64_t> count_python_frames(const HostIndex& host,
                                                             std::span<const StepFrame> steps);

}  // namespace lockstep::analysis::anomalies

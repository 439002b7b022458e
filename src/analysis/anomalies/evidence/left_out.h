// What was not judged, or not looked at, because there is too much of it.
#pragma once

#include <span>
#include <vector>

#include "analysis/anomalies/evidence/evidence_gaps.h"
#include "analysis/anomalies/evidence/host_index.h"
#include "analysis/anomalies/steps/step_windows.h"
#include "analysis/cycles/cycles.h"

namespace lockstep::analysis::anomalies {

// How much of a trace was judged.
struct JudgedPart {
  std::size_t devices = 0;
  std::size_t all_devices = 0;
  EmptySteps empty_steps = EmptySteps::kKeep;
};

// Devices, empty steps, host threads, deep calls, classes of marks; those that were left out.
[[nodiscard]] std::vector<EvidenceGap> left_out(const JudgedPart& judged,
                                                std::span<const HostIndex> hosts,
                                                const cycles::Cycles& cycles);

}  // namespace lockstep::analysis::anomalies

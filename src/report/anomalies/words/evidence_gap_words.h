// What the inputs lack: one sentence each, with what that costs and how to get it.
#pragma once

#include <span>
#include <string>

#include "analysis/anomalies/anomalies.h"
#include "trace/trace.h"

namespace lockstep::report::anomalies {

// `devices` are all.
[[nodiscard]] std::string evidence_gap_words(
    const trace::Trace& trace, std::span<const analysis::anomalies::DeviceAnomalies> devices,
    const analysis::anomalies::EvidenceGap& gap);

}  // namespace lockstep::report::anomalies

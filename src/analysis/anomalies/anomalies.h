// Where a device idles or starves, as facts from device intervals, and what may be behind it, as
// graded guesses with their evidence. `lockstep anomalies` prints it.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/anomalies/device_anomalies.h"
#include "analysis/anomalies/evidence/evidence_gaps.h"
#include "analysis/anomalies/verdict/recommendations.h"
#include "analysis/anomalies/verdict/thresholds.h"
#include "analysis/cycles/cycles.h"
#include "trace/trace.h"

namespace lockstep::analysis::anomalies {

struct Anomalies {
  std::vector<DeviceAnomalies> devices;         // by (rank, device)
  std::vector<Recommendation> recommendations;  // most urgent first
  std::vector<EvidenceGap> evidence_gaps;       // what the traces lack, and what was left out
  bool steps_are_marked = false;
  // The device whose dominant group takes most time.
  std::uint32_t dominant_device = 0;
};

struct AnomaliesOptions {
  Thresholds thresholds;
  AnomalyRules rules = AnomalyRules::kRulebook;
  cycles::CyclesOptions cycles;
  // Of more devices only those that worked most are judged: each takes kilobytes, however little it
  // did.
  std::size_t most_devices = 16'384;
  // With more steps over all devices, and more than four for every marker, those in which a device
  // was asked for nothing are left out.
  std::size_t most_steps = std::size_t{1} << 17;
};

// No devices when no device ran a kernel.
[[nodiscard]] Anomalies find_anomalies(const trace::Trace& trace,
                                       const AnomaliesOptions& options = {});

}  // namespace lockstep::analysis::anomalies

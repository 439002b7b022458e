// What to do about findings, and what to record where they stay unexplained.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/anomalies/verdict/tags.h"
#include "analysis/anomalies/verdict/thresholds.h"
#include "trace/trace.h"

namespace lockstep::analysis::anomalies {

struct DeviceAnomalies;

struct Recommendation {
  Priority priority = Priority::kP3;
  std::string_view scope;  // "global", "step_group", "structure", "side", "op"
  std::string target;      // group, structure or operator; empty for global
  std::string action;
  bool followup_required = false;
  std::string evidence_gap;  // what is not known; empty when nothing is missing
};

// P0 first; each with its scope, whether somebody must look further, and what is not known.
[[nodiscard]] std::vector<Recommendation> recommend(const trace::Trace& trace,
                                                    std::span<const DeviceAnomalies> devices,
                                                    const Thresholds& thresholds = {});

}  // namespace lockstep::analysis::anomalies

// Steps that run the same kernels belong together.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "analysis/anomalies/steps/group.h"
#include "analysis/anomalies/steps/step.h"
#include "analysis/anomalies/verdict/thresholds.h"
#include "trace/trace.h"

namespace lockstep::analysis::anomalies {

// Groups steps by the sequence of their kernels' names: equal ones, then those nearly equal to the
// most frequent sequence of a group (at most group_distance of the kernels to insert, delete or
// replace). Ids are `id_prefix` and a number, "g0" or "r1.d0.g0": the prefix makes them unique over
// devices.
struct Grouping {
  std::vector<GroupMembers> groups;     // by total service time, greatest first, then by first step
  std::vector<std::uint32_t> group_of;  // by step
};
[[nodiscard]] Grouping group_steps(const trace::Trace& trace, const DeviceTimeline& timeline,
                                   std::span<const StepFrame> steps, std::string_view id_prefix,
                                   const Thresholds& thresholds);

}  // namespace lockstep::analysis::anomalies

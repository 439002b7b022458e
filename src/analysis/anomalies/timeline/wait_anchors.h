// Operators that look expensive and are not: their cost is what the device waited before them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/anomalies/timeline/op_table.h"
#include "analysis/anomalies/verdict/thresholds.h"

namespace lockstep::analysis::anomalies {

// Of the rows `among`: those whose cost is waiting (above wait_anchor_ratio), whose kernels are
// short (mean below wait_anchor_us) and that at most wait_anchor_rank - 1 of them exceed in mean
// total cost. By mean total cost, greatest first, then by name.
[[nodiscard]] std::vector<std::uint32_t> find_wait_anchors(std::span<const OpRow> rows,
                                                           std::vector<std::uint32_t> among,
                                                           const Thresholds& thresholds);

// The table with OpRow::artefact_wait. `artefacts` are gaps that are none, in any order.
[[nodiscard]] OpTable with_artefact_waits(OpTable table, const DeviceTimeline& timeline,
                                          std::span<const KernelGaps> gaps,
                                          std::vector<algo::Interval> artefacts);

}  // namespace lockstep::analysis::anomalies

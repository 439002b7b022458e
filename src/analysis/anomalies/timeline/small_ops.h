// Whether small kernels are real inefficiency or noise.
#pragma once

#include <span>
#include <vector>

#include "analysis/anomalies/timeline/op_table.h"

namespace lockstep::analysis::anomalies {

// They matter from small_ops_matter of the device's span on, their gaps counted in. Of kernels that
// compute; collectives are not made larger by fusing them. `apart` are gaps that
// are no launch gaps (heavy ones, artefacts, those at the edge of the capture), in any order: what
// the device waited in them is not laid to the kernels behind.
[[nodiscard]] SmallOps judge_small_ops(const DeviceTimeline& timeline,
                                       std::span<const KernelGaps> gaps,
                                       std::vector<algo::Interval> apart,
                                       const Thresholds& thresholds);

}  // namespace lockstep::analysis::anomalies

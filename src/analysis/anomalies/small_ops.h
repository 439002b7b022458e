// Whether small kernels are real inefficiency or noise.
#pragma once

#include <span>

#include "analysis/anomalies/op_table.h"

namespace lockstep {

// Small kernels matter from this share of the device's span on, their gaps counted in.
inline constexpr double kSmallOpsMatter = 0.10;

// Of kernels that compute; collectives are not made larger by fusing them.
[[nodiscard]] SmallOps judge_small_ops(const DeviceTimeline& timeline,
                                       std::span<const KernelGaps> gaps,
                                       const Thresholds& thresholds);

}  // namespace lockstep

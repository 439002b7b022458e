// How unevenly the time inside regions is spread over blocks, multiprocessors and groups.
#pragma once

#include <span>

#include "analysis/kernel_profile/figures/kernel_summary.h"
#include "trace/kernel_profile.h"

namespace lockstep::analysis::kernel_profile {

// What shares the work of a launch.
enum class Sharer : std::uint8_t { kBlock, kMultiprocessor, kGroup };

// Of every sharer the covered time of its lanes, summed. Max and mean are taken over the sharers of
// each launch, then averaged over launches, so that two kernels in one profile do not look like an
// imbalance. Lanes whose multiprocessor is not known are left out.
[[nodiscard]] Imbalance measure_imbalance(const trace::KernelProfile& profile,
                                          std::span<const LaneResult> lanes, Sharer sharer);

}  // namespace lockstep::analysis::kernel_profile

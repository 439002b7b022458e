// The zero of the times of a kernel profile.
#pragma once

#include <span>

#include "analysis/kernel_profile/figures/critical_lanes.h"
#include "analysis/kernel_profile/figures/kernel_summary.h"

namespace lockstep::analysis::kernel_profile {

// Moves the zero of a summary to the earliest lane, floored to nanoseconds, so that no time is
// negative: clocks are fitted from their first anchor, and lanes may begin before it. Origin and
// time together stay what they are. Nothing is moved where lanes are further apart than times
// reach. `facts` are those of the lanes.
void count_from_earliest(KernelSummary& summary, std::span<const LaneFacts> facts);

}  // namespace lockstep::analysis::kernel_profile

// The clock of lanes whose writer kept one reading of the device's timer and counted cycles from
// there on (trace::LaneClock::kStampedCycles).
#pragma once

#include <cstdint>

#include "analysis/kernel_profile/clocks/clock_pieces.h"
#include "analysis/kernel_profile/clocks/time_base.h"
#include "trace/kernel_profile.h"

namespace lockstep::analysis::kernel_profile {

// One piece that begins at the stamp. The stamp is uncertain by a step of the timer; behind it only
// the rate tells, and where the profile has none a cycle may be off by as much as it counts.
[[nodiscard]] ClockFit fit_stamp(const trace::KernelProfile& profile, std::int64_t stamp_ns,
                                 const PieceOptions& options);

}  // namespace lockstep::analysis::kernel_profile

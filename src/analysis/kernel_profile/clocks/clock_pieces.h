// From knots to the pieces of a ClockFit: straight between knots, with the band that holds there.
#pragma once

#include <cstdint>

#include "analysis/kernel_profile/clocks/anchored_clock.h"
#include "analysis/kernel_profile/clocks/clock_wander.h"
#include "analysis/kernel_profile/clocks/time_base.h"

namespace lockstep::analysis::kernel_profile {

struct PieceOptions {
  std::int64_t origin_ns = 0;     // device time of zero
  double usual_ticks_per_ns = 0;  // of the profile's clocks, for a clock with a single knot
};

// Empty pieces where the clock has no knot.
[[nodiscard]] ClockFit fit_pieces(const AnchoredClock& clock, const PieceOptions& options,
                                  const Wander& wander);

// The same for a counter that is ahead by so much.
[[nodiscard]] ClockFit shifted(ClockFit fit, const ClockSkew& ahead);

}  // namespace lockstep::analysis::kernel_profile

// How far the cycle counter of a loaded multiprocessor strays from a straight line between two
// knots. It is learned from the knots themselves where there are enough of them, else assumed.
#pragma once

#include <cstdint>
#include <span>

#include "analysis/kernel_profile/clock_knots.h"

namespace lockstep {

// Between knots `gap` apart the truth lies within scale_ns * (gap / kWanderGapNs) ^ kWanderGrowth
// of the chord.
struct Wander {
  double scale_ns = 0;
  bool is_measured = false;

  [[nodiscard]] double inside_ns(double gap_ns) const;
};

inline constexpr double kWanderGapNs = 100'000;

// Leaves every inner knot out in turn and looks how far it lies from the chord of its neighbours.
[[nodiscard]] Wander measure_wander(std::span<const AnchoredClock> clocks);

}  // namespace lockstep

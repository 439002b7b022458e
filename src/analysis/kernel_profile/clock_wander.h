// How far a cycle counter strays from a straight line between two knots.
//
// Measured on an H200: hardly at all once a kernel runs (below 10 ns over 100 us), but the supply
// voltage drops when it starts to work, which costs 20 to 120 ns within the first 5 to 20 us. So
// there is a quiet part, learned by leaving knots out, and a part by gap: a gap whose rate differs
// from both its neighbours lost time somewhere inside, no one knows where.
#pragma once

#include <cstddef>
#include <span>

#include "analysis/kernel_profile/clock_knots.h"

namespace lockstep {

class Wander {
 public:
  // Learns the quiet part from all clocks of the profile.
  explicit Wander(std::span<const AnchoredClock> clocks);

  // The most that the counter strays from the chord between knots [gap, gap + 1], in ns.
  [[nodiscard]] double inside_ns(const AnchoredClock& clock, std::size_t gap) const;

 private:
  [[nodiscard]] double quiet_ns(double gap_ns) const;

  double quiet_scale_ns_;  // over kQuietGapNs
};

}  // namespace lockstep

// How far a cycle counter strays from a straight line between two knots.
//
// Measured on an H200: hardly at all once a kernel runs (below 10 ns over 100 us), but the supply
// voltage drops when it starts to work, which costs 20 to 120 ns within the first 5 to 20 us. So
// there is a quiet part, learned by leaving knots out, and a part by gap: a gap whose rate differs
// from both its neighbours lost time somewhere inside, no one knows where.
#pragma once

#include <cstddef>
#include <span>

#include "analysis/kernel_profile/clocks/anchored_clock.h"
#include "analysis/kernel_profile/clocks/quiet_wander.h"

namespace lockstep::analysis::kernel_profile {

// What may happen between two knots, in ns of time.
struct GapWander {
  double around_ns = 0;  // the counter strays this far from the chord, either way
  // Ahead of that, so much was lost (below 0: gained) at one unknown moment of the gap: before it
  // the counter is ahead of the chord, after it behind.
  double lost_ns = 0;
};

class Wander {
 public:
  // Learns the quiet part from all clocks of the profile.
  explicit Wander(std::span<const AnchoredClock> clocks) : quiet_(clocks) {}

  // Between knots [gap, gap + 1].
  [[nodiscard]] GapWander inside(const AnchoredClock& clock, std::size_t gap) const;

 private:
  QuietWander quiet_;
};

}  // namespace lockstep::analysis::kernel_profile

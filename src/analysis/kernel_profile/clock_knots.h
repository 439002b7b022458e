// Where the cycle counter of one multiprocessor is known: the anchors of all its lanes in one
// launch, cleared of contradictions and drawn together to knots.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "algo/brackets.h"
#include "base/diagnostics.h"
#include "trace/kernel_profile.h"

namespace lockstep {

// The counter passed `ticks` (give or take) at `timer_ns`. Both are seen from the clock's base, so
// that they are exact in a double.
struct ClockKnot {
  std::int64_t timer_ns = 0;
  double ticks = 0;
  double half_width_ticks = 0;
};

struct AnchoredClock {
  std::int64_t base_timer_ns = 0;  // of a middle anchor
  std::int64_t base_ticks = 0;
  std::vector<Bracket> brackets;  // x: ns from base, y: ticks from base; by time, rising
  std::vector<ClockKnot> knots;
  double ticks_per_ns = 0;  // between the first and the last knot; 0: there is only one
  // The lane changed its multiprocessor: its knots may lie on two counters.
  bool may_jump = false;

  [[nodiscard]] double gap_ns(std::size_t knot) const {
    return static_cast<double>(knots[knot + 1].timer_ns - knots[knot].timer_ns);
  }
};

// Anchors closer than this are one knot: over so short a time the counter's rate is known well
// enough for their brackets to be intersected.
inline constexpr std::int64_t kKnotSpanNs = 1'000;
// How far the rate inside a knot may be off the average one. Measured: below this under any load.
inline constexpr double kRateTolerance = 0.01;

// The usable brackets of the anchors and the average rate; what contradicts is left out and
// reported. Reorders the anchors.
[[nodiscard]] AnchoredClock settle_anchors(std::span<KernelAnchor> anchors, bool may_jump,
                                           Diagnostics& findings);
// Draws brackets to knots; a clock with one bracket only takes its rate from `usual_ticks_per_ns`.
void tie_knots(AnchoredClock& clock, double usual_ticks_per_ns);

}  // namespace lockstep

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
  double ticks_per_ns = 0;  // between the first and the last bracket; 0: too near to tell
  std::vector<std::int64_t> held_out_ns;  // device times of knots that were left out for a check
  // The lane changed its multiprocessor: its knots may lie on two counters.
  bool may_jump = false;
  bool is_pooled = false;  // of several multiprocessors that share a counter

  [[nodiscard]] double gap_ns(std::size_t knot) const {
    return static_cast<double>(knots[knot + 1].timer_ns - knots[knot].timer_ns);
  }
};

// Anchors closer than this are one knot: over so short a time the counter's rate is known well
// enough for their brackets to be intersected.
inline constexpr std::int64_t kKnotSpanNs = 300;
// How far the rate may be off the average one for a short time. Measured on an H200: the supply
// voltage drops when a kernel starts to work, which costs up to 2.5 % in the first microseconds.
inline constexpr double kRateTolerance = 0.025;

// The usable brackets of the anchors and the average rate; what contradicts is left out and
// reported. Reorders the anchors.
[[nodiscard]] AnchoredClock settle_anchors(std::span<KernelAnchor> anchors, bool may_jump,
                                           Diagnostics& findings);
// Ticks per ns between the first and last bracket; 0 where their widths leave it open.
[[nodiscard]] double average_rate(std::span<const Bracket> brackets);
// Draws brackets to knots; a clock with one bracket only takes its rate from `usual_ticks_per_ns`.
void tie_knots(AnchoredClock& clock, double usual_ticks_per_ns);
// Leaves every n-th knot between the first and the last out, for a check of the band.
void hold_out_knots(AnchoredClock& clock, std::uint32_t every);

}  // namespace lockstep

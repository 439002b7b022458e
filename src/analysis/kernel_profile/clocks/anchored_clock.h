// A cycle counter and what is known of it: the anchors of all lanes of one multiprocessor in one
// launch, cleared of contradictions.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "algo/intervals/brackets.h"
#include "base/diagnostics.h"
#include "trace/kernel_profile.h"

namespace lockstep::analysis::kernel_profile {

// The counter passed `ticks` (give or take) at `timer_ns`. Both are seen from the clock's base, so
// that they are exact in a double.
struct ClockKnot {
  std::int64_t timer_ns = 0;
  double ticks = 0;
  double half_width_ticks = 0;
  std::int64_t first_ns = 0;  // of the anchors that it was drawn from
};

struct ClockSkew {
  double ticks = 0;
  double half_width_ticks = 0;
};

struct AnchoredClock {
  std::int64_t base_timer_ns = 0;  // of a middle anchor
  std::int64_t base_ticks = 0;
  std::vector<algo::Bracket> brackets;  // x: ns from base, y: ticks from base; by time
  // Of several multiprocessors that share a counter: which of them a bracket is of, and how far
  // each one's counter is ahead of the common one. Empty: of one.
  std::vector<std::uint32_t> member_of_bracket;
  std::vector<ClockSkew> skews;
  std::vector<ClockKnot> knots;
  double ticks_per_ns = 0;  // between the first and the last bracket; 0: too near to tell
  std::vector<std::int64_t> held_out_ns;  // device times of knots that were left out for a check
  // The lane changed its multiprocessor: its knots may lie on two counters.
  bool may_jump = false;

  [[nodiscard]] double gap_ns(std::size_t knot) const {
    return static_cast<double>(knots[knot + 1].timer_ns - knots[knot].timer_ns);
  }
};

// The two readings of an anchor and the step of the timer pass through queues of the
// multiprocessor: brackets are wrong by this much either way. Measured on an H200, where those of 8
// cycles contradict each other so.
inline constexpr std::int64_t kJitterTicks = 4;
// How far the rate may be off the average one for a short time. Measured on an H200: the supply
// voltage drops when a kernel starts to work, which costs up to 2.5 % in the first microseconds.
inline constexpr double kRateTolerance = 0.025;

// Anchors of one launch further apart contradict each other.
inline constexpr std::int64_t kLongestLaunchNs = std::int64_t{2} * 86'400 * 1'000'000'000;

// The usable brackets of the anchors, widened by the jitter, and the average rate; what contradicts
// is left out and reported. Reorders the anchors.
[[nodiscard]] AnchoredClock settle_anchors(std::span<trace::KernelAnchor> anchors, bool may_jump,
                                           Diagnostics& findings);
// Ticks per ns between the first and last bracket; 0 where their widths leave it open.
[[nodiscard]] double average_rate(std::span<const algo::Bracket> brackets);

// Whether the lane's own anchors tell of two counters: it may have ended before it could say so.
[[nodiscard]] bool has_jump(std::span<const trace::KernelAnchor> anchors);

}  // namespace lockstep::analysis::kernel_profile

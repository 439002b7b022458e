// Anchors to brackets to knots, for one clock.
#include "analysis/kernel_profile/clock_knots.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <string>

namespace lockstep {
namespace {

constexpr DiagnosticKind kAnchorReversed = {
    "anchor_reversed", Severity::kError,
    "an anchor's cycle counter ran backwards or its timer is not set; the anchor was left out"};
constexpr DiagnosticKind kAnchorsDisagree = {
    "anchors_disagree", Severity::kError,
    "anchors of one multiprocessor contradict each other; those that fit the fewest others were "
    "left out"};

bool is_reversed(const KernelAnchor& anchor) {
  return anchor.timer_ns <= 0 || anchor.clock_before < 0 ||
         anchor.clock_after < anchor.clock_before;
}

std::int64_t middle_of(std::span<KernelAnchor> anchors, std::int64_t KernelAnchor::* value) {
  const auto middle = anchors.begin() + static_cast<std::ptrdiff_t>(anchors.size() / 2);
  std::ranges::nth_element(anchors, middle, {}, value);
  return (*middle).*value;
}

bool is_near(const KernelAnchor& anchor, const AnchoredClock& clock) {
  // None is negative, so that no difference overflows.
  return std::abs(anchor.timer_ns - clock.base_timer_ns) < kMaxBracketDistance &&
         std::abs(anchor.clock_before - clock.base_ticks) < kMaxBracketDistance &&
         std::abs(anchor.clock_after - clock.base_ticks) < kMaxBracketDistance;
}

std::string text_of(const KernelAnchor& anchor) {
  return "timer " + std::to_string(anchor.timer_ns) + ", clock " +
         std::to_string(anchor.clock_before) + " to " + std::to_string(anchor.clock_after);
}

// A knot that is being drawn together: the interval of its ticks at the time of its first bracket.
struct OpenKnot {
  std::int64_t at = 0;
  double low = 0;
  double high = 0;

  explicit OpenKnot(const Bracket& bracket)
      : at(bracket.x),
        low(static_cast<double>(bracket.low)),
        high(static_cast<double>(bracket.high)) {}

  // False where the bracket is too far or contradicts.
  bool take(const Bracket& bracket, double ticks_per_ns) {
    if (bracket.x - at > kKnotSpanNs) return false;
    const double distance = static_cast<double>(bracket.x - at) * ticks_per_ns;
    const double slack = distance * kRateTolerance;
    const double shifted_low = static_cast<double>(bracket.low) - distance - slack;
    const double shifted_high = static_cast<double>(bracket.high) - distance + slack;
    if (shifted_low > high || shifted_high < low) return false;
    low = std::max(low, shifted_low);
    high = std::min(high, shifted_high);
    return true;
  }
  [[nodiscard]] ClockKnot close() const { return {at, (low + high) / 2, (high - low) / 2}; }
};

double average_rate(std::span<const Bracket> brackets) {
  if (brackets.size() < 2) return 0;
  const Bracket& first = brackets.front();
  const Bracket& last = brackets.back();
  const double ticks = static_cast<double>(last.low - first.low + (last.high - first.high)) / 2;
  return ticks / static_cast<double>(last.x - first.x);
}

}  // namespace

AnchoredClock settle_anchors(std::span<KernelAnchor> anchors, bool may_jump,
                             Diagnostics& findings) {
  AnchoredClock clock;
  clock.may_jump = may_jump;
  const auto reversed = std::ranges::stable_partition(anchors, std::not_fn(is_reversed));
  for (const KernelAnchor& anchor : reversed) findings.add(kAnchorReversed, {}, text_of(anchor));
  const auto usable = anchors.first(anchors.size() - reversed.size());
  if (usable.empty()) return clock;

  clock.base_timer_ns = middle_of(usable, &KernelAnchor::timer_ns);
  clock.base_ticks = middle_of(usable, &KernelAnchor::clock_before);
  clock.brackets.reserve(usable.size());
  for (const KernelAnchor& anchor : usable) {
    if (!is_near(anchor, clock)) {
      findings.add(kAnchorsDisagree, {}, text_of(anchor));
      continue;
    }
    clock.brackets.push_back({anchor.timer_ns - clock.base_timer_ns,
                              anchor.clock_before - clock.base_ticks,
                              anchor.clock_after - clock.base_ticks});
  }
  std::size_t dropped = merge_brackets(clock.brackets);
  if (!may_jump) dropped += keep_rising(clock.brackets);
  if (dropped > 0) findings.add(kAnchorsDisagree, {}, {}, dropped);
  clock.ticks_per_ns = average_rate(clock.brackets);
  return clock;
}

void tie_knots(AnchoredClock& clock, double usual_ticks_per_ns) {
  clock.knots.clear();
  if (clock.brackets.empty()) return;
  const bool has_rate = clock.ticks_per_ns > 0 && !clock.may_jump;
  const double rate = has_rate ? clock.ticks_per_ns : usual_ticks_per_ns;
  OpenKnot open(clock.brackets.front());
  for (const Bracket& bracket : std::span(clock.brackets).subspan(1)) {
    if (open.take(bracket, rate)) continue;
    clock.knots.push_back(open.close());
    open = OpenKnot(bracket);
  }
  clock.knots.push_back(open.close());
}

}  // namespace lockstep

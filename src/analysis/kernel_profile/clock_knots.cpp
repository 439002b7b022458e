// Anchors to brackets to knots, for one clock.
#include "analysis/kernel_profile/clock_knots.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <limits>
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

// A knot that is being drawn together: the ticks at the time of its first bracket.
class OpenKnot {
 public:
  OpenKnot(const Bracket& bracket, double ticks_per_ns)
      : at_(bracket.x), ticks_per_ns_(ticks_per_ns) {
    take(bracket);
  }

  [[nodiscard]] bool reaches(const Bracket& bracket) const {
    return bracket.x - at_ <= kKnotSpanNs;
  }
  void take(const Bracket& bracket) {
    const double distance = static_cast<double>(bracket.x - at_) * ticks_per_ns_;
    const double slack = distance * kRateTolerance;
    low_ = std::max(low_, static_cast<double>(bracket.low) - distance - slack);
    high_ = std::min(high_, static_cast<double>(bracket.high) - distance + slack);
  }
  // Brackets that contradict each other leave a knot as wide as their distance.
  [[nodiscard]] ClockKnot close() const {
    return {at_, (low_ + high_) / 2, std::abs(high_ - low_) / 2};
  }

 private:
  std::int64_t at_;
  double ticks_per_ns_;
  double low_ = -std::numeric_limits<double>::infinity();
  double high_ = std::numeric_limits<double>::infinity();
};

}  // namespace

double average_rate(std::span<const Bracket> brackets) {
  if (brackets.size() < 2) return 0;
  const Bracket& first = brackets.front();
  const Bracket& last = brackets.back();
  const double ticks = static_cast<double>(last.low - first.low + (last.high - first.high)) / 2;
  const double width = static_cast<double>(last.high - last.low + (first.high - first.low)) / 2;
  return width > ticks * kRateTolerance ? 0 : ticks / static_cast<double>(last.x - first.x);
}

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
  OpenKnot open(clock.brackets.front(), rate);
  for (const Bracket& bracket : std::span(clock.brackets).subspan(1)) {
    if (open.reaches(bracket)) {
      open.take(bracket);
      continue;
    }
    clock.knots.push_back(open.close());
    open = OpenKnot(bracket, rate);
  }
  clock.knots.push_back(open.close());
}

void hold_out_knots(AnchoredClock& clock, std::uint32_t every) {
  if (every == 0 || clock.knots.size() < 3) return;
  std::vector<ClockKnot> kept;
  for (std::size_t i = 0; i < clock.knots.size(); ++i) {
    const ClockKnot& knot = clock.knots[i];
    if (i == 0 || i + 1 == clock.knots.size() || i % every != 0) {
      kept.push_back(knot);
    } else {
      clock.held_out_ns.push_back(clock.base_timer_ns + knot.timer_ns);
    }
  }
  clock.knots = std::move(kept);
}

}  // namespace lockstep

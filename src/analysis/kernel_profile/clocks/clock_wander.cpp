// Gaps that lost time, and the prior of a launch that has no knot between its first and its last.
#include "analysis/kernel_profile/clocks/clock_wander.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace lockstep::analysis::kernel_profile {
namespace {

// Without a knot between begin and end: what the start of a kernel cost at most on an H200, by the
// length of the gap (51 ns in 10 us, 77 in 20, 139 to 186 in 100, 277 in 1 ms), as
// kMostLoss * (1 - exp(-(gap / 100 us) ^ 0.6)).
constexpr double kMostLossNs = 300;
constexpr double kLossGapNs = 100'000;
constexpr double kLossGrowth = 0.6;

double loss_prior_ns(double gap_ns) {
  return kMostLossNs * (1 - std::exp(-std::pow(gap_ns / kLossGapNs, kLossGrowth)));
}

double rate_of(const AnchoredClock& clock, std::size_t gap) {
  return (clock.knots[gap + 1].ticks - clock.knots[gap].ticks) / clock.gap_ns(gap);
}

// How much slower the gap is than the time beside it, as a loss over the gap, and how much of that
// the widths of knots explain.
struct LossBeside {
  double lost_ns = 0;
  double noise_ns = 0;
};

// Compared with knots [from, to].
LossBeside compare(const AnchoredClock& clock, std::size_t gap, std::size_t from, std::size_t to) {
  const ClockKnot& a = clock.knots[from];
  const ClockKnot& b = clock.knots[to];
  const auto ns = static_cast<double>(b.timer_ns - a.timer_ns);
  const double rate = (b.ticks - a.ticks) / ns;
  const double gap_ns = clock.gap_ns(gap);
  return {gap_ns * (1 - rate_of(clock, gap) / rate),
          (a.half_width_ticks + b.half_width_ticks) / rate * gap_ns / ns};
}

// The time beside a gap must be this long, as a share of it, to be compared with.
constexpr double kLeastBeside = 0.5;

// With as much time before (after) the gap as it is long, or what there is of it.
std::optional<LossBeside> compare_before(const AnchoredClock& clock, std::size_t gap) {
  const std::int64_t here = clock.knots[gap].timer_ns;
  const double gap_ns = clock.gap_ns(gap);
  if (static_cast<double>(here - clock.knots.front().timer_ns) < gap_ns * kLeastBeside) return {};
  const auto after = std::ranges::upper_bound(clock.knots, here - static_cast<std::int64_t>(gap_ns),
                                              {}, &ClockKnot::timer_ns);
  const auto from = static_cast<std::size_t>(after - clock.knots.begin());
  return compare(clock, gap, from > 0 ? from - 1 : 0, gap);
}

std::optional<LossBeside> compare_after(const AnchoredClock& clock, std::size_t gap) {
  const std::int64_t here = clock.knots[gap + 1].timer_ns;
  const double gap_ns = clock.gap_ns(gap);
  if (static_cast<double>(clock.knots.back().timer_ns - here) < gap_ns * kLeastBeside) return {};
  const auto at = std::ranges::lower_bound(clock.knots, here + static_cast<std::int64_t>(gap_ns),
                                           {}, &ClockKnot::timer_ns);
  const auto to = static_cast<std::size_t>(at - clock.knots.begin());
  return compare(clock, gap, gap + 1, std::min(to, clock.knots.size() - 1));
}

}  // namespace

GapWander Wander::inside(const AnchoredClock& clock, std::size_t gap) const {
  const double gap_ns = clock.gap_ns(gap);
  GapWander wander{quiet_.inside_ns(gap_ns), 0};
  const auto before = compare_before(clock, gap);
  const auto after = compare_after(clock, gap);
  if (clock.may_jump || (!before && !after)) {
    wander.around_ns += loss_prior_ns(gap_ns);
    return wander;
  }
  // What happened inside is seen from both sides; what only one side shows happened there.
  const LossBeside left = before ? *before : *after;
  const LossBeside right = after ? *after : *before;
  const LossBeside& less = std::abs(left.lost_ns) < std::abs(right.lost_ns) ? left : right;
  const double own_noise_ns =
      (clock.knots[gap].half_width_ticks + clock.knots[gap + 1].half_width_ticks) /
      rate_of(clock, gap);
  const double lost = std::abs(less.lost_ns);
  // Neither the widths of knots nor quiet straying on both sides explain more.
  if (lost < less.noise_ns + own_noise_ns + 2 * wander.around_ns) return wander;
  if (left.lost_ns * right.lost_ns < 0) {
    // A rate between those of its neighbours is one that changes; the chord of a bend is off by
    // half of what the nearer side shows, at most.
    wander.around_ns += lost / 2;
  } else {
    wander.lost_ns = less.lost_ns;
  }
  return wander;
}

}  // namespace lockstep::analysis::kernel_profile

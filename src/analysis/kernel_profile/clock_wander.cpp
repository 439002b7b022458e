// Wander learned by leaving knots out, gaps that lost time, and the prior of a launch that has no
// knot between its first and its last.
#include "analysis/kernel_profile/clock_wander.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace lockstep {
namespace {

constexpr double kQuietGapNs = 20'000;
// Straying grows with the gap like a walk of random steps: faster than what was measured.
constexpr double kQuietGrowth = 0.5;
// Never believed to be less, and what is assumed where too few knots can be left out.
constexpr double kLeastQuietNs = 1;
constexpr double kUsualQuietNs = 6;
constexpr std::size_t kFewResiduals = 12;
constexpr std::size_t kManyResiduals = 400;
constexpr double kQuantile = 0.995;
constexpr double kMargin = 1.25;

// Without a knot between begin and end: what the start of a kernel cost at most on an H200, by the
// length of the gap (51 ns in 10 us, 77 in 20, 139 to 172 in 100, 231 in 1 ms, 240 in 10 ms), as
// kMostLoss * (1 - exp(-(gap / 100 us) ^ 0.6)).
constexpr double kMostLossNs = 280;
constexpr double kLossGapNs = 100'000;
constexpr double kLossGrowth = 0.6;

double loss_prior_ns(double gap_ns) {
  return kMostLossNs * (1 - std::exp(-std::pow(gap_ns / kLossGapNs, kLossGrowth)));
}

double rate_of(const AnchoredClock& clock, std::size_t gap) {
  return (clock.knots[gap + 1].ticks - clock.knots[gap].ticks) / clock.gap_ns(gap);
}

// The rate on one side of a gap, over as long a time as the gap where there is so much, and what
// the widths of knots make of it over the gap. That of the gap itself where that side is missing.
struct RateBeside {
  double ticks_per_ns = 0;
  double noise_ns = 0;
};

RateBeside rate_between(const AnchoredClock& clock, std::size_t from, std::size_t to,
                        std::size_t gap) {
  const ClockKnot& a = clock.knots[from];
  const ClockKnot& b = clock.knots[to];
  const auto ns = static_cast<double>(b.timer_ns - a.timer_ns);
  const double rate = (b.ticks - a.ticks) / ns;
  const double noise = (a.half_width_ticks + b.half_width_ticks) / rate;
  return {rate, noise * clock.gap_ns(gap) / ns};
}

RateBeside rate_before(const AnchoredClock& clock, std::size_t gap) {
  if (gap == 0) return {rate_of(clock, gap), 0};
  const auto wanted = clock.knots[gap].timer_ns - static_cast<std::int64_t>(clock.gap_ns(gap));
  const auto after = std::ranges::upper_bound(clock.knots, wanted, {}, &ClockKnot::timer_ns);
  const auto from = static_cast<std::size_t>(after - clock.knots.begin());
  return rate_between(clock, from > 0 ? from - 1 : 0, gap, gap);
}

RateBeside rate_after(const AnchoredClock& clock, std::size_t gap) {
  const std::size_t last = clock.knots.size() - 1;
  if (gap + 1 == last) return {rate_of(clock, gap), 0};
  const auto wanted = clock.knots[gap + 1].timer_ns + static_cast<std::int64_t>(clock.gap_ns(gap));
  const auto to = std::ranges::lower_bound(clock.knots, wanted, {}, &ClockKnot::timer_ns);
  return rate_between(clock, gap + 1,
                      std::min(last, static_cast<std::size_t>(to - clock.knots.begin())), gap);
}

// How far knot i lies from the chord of its neighbours beyond what the brackets explain, in ns over
// a gap of kQuietGapNs.
double residual_ns(const AnchoredClock& clock, std::size_t i) {
  const ClockKnot& before = clock.knots[i - 1];
  const ClockKnot& knot = clock.knots[i];
  const ClockKnot& after = clock.knots[i + 1];
  const auto gap = static_cast<double>(after.timer_ns - before.timer_ns);
  const double share = static_cast<double>(knot.timer_ns - before.timer_ns) / gap;
  const double chord = before.ticks + (after.ticks - before.ticks) * share;
  const double explained = std::max(before.half_width_ticks, after.half_width_ticks);
  const double rate = (after.ticks - before.ticks) / gap;
  const double excess = std::max(0.0, std::abs(knot.ticks - chord) - explained) / rate;
  const double shape = 2 * std::sqrt(share * (1 - share));
  return excess / shape / std::pow(gap / kQuietGapNs, kQuietGrowth);
}

// The knots next to the first and last gap tell of the start and the end of the kernel instead.
std::vector<double> quiet_residuals(std::span<const AnchoredClock> clocks) {
  std::vector<double> residuals;
  for (const AnchoredClock& clock : clocks) {
    if (clock.may_jump) continue;
    for (std::size_t i = 2; i + 2 < clock.knots.size(); ++i) {
      const double residual = residual_ns(clock, i);
      if (std::isfinite(residual)) residuals.push_back(residual);
    }
  }
  return residuals;
}

}  // namespace

Wander::Wander(std::span<const AnchoredClock> clocks) : quiet_scale_ns_(kUsualQuietNs) {
  std::vector<double> residuals = quiet_residuals(clocks);
  if (residuals.size() < kFewResiduals) return;
  // Of few residuals the largest; of many a quantile, so that a single bad anchor does not rule.
  std::size_t rank = residuals.size() - 1;
  if (residuals.size() >= kManyResiduals) {
    rank = static_cast<std::size_t>(static_cast<double>(residuals.size()) * kQuantile);
  }
  const auto at = residuals.begin() + static_cast<std::ptrdiff_t>(rank);
  std::ranges::nth_element(residuals, at);
  quiet_scale_ns_ = std::max(kLeastQuietNs, *at * kMargin);
}

double Wander::quiet_ns(double gap_ns) const {
  return quiet_scale_ns_ * std::pow(std::max(gap_ns, 0.0) / kQuietGapNs, kQuietGrowth);
}

double Wander::inside_ns(const AnchoredClock& clock, std::size_t gap) const {
  const double gap_ns = clock.gap_ns(gap);
  const double quiet = quiet_ns(gap_ns);
  const std::size_t gaps = clock.knots.size() - 1;
  if (gaps == 1) return quiet + loss_prior_ns(gap_ns);

  const double rate = rate_of(clock, gap);
  const RateBeside left = rate_before(clock, gap);
  const RateBeside right = rate_after(clock, gap);
  double lost = std::max(std::abs(left.ticks_per_ns / rate - 1) * gap_ns - left.noise_ns,
                         std::abs(right.ticks_per_ns / rate - 1) * gap_ns - right.noise_ns);
  // A rate between those of its neighbours is one that changes: the chord of a bend is off by a
  // quarter at most.
  const bool is_between = (left.ticks_per_ns - rate) * (right.ticks_per_ns - rate) < 0;
  if (is_between) lost /= 4;
  // What the knots' own widths can make of a straight line.
  lost -= (clock.knots[gap].half_width_ticks + clock.knots[gap + 1].half_width_ticks) / rate;
  return quiet + std::max(0.0, lost);
}

}  // namespace lockstep

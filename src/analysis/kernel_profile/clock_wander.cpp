// Leave-one-out residuals of knots, and the prior where there are too few.
#include "analysis/kernel_profile/clock_wander.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace lockstep {
namespace {

constexpr double kGrowth = 0.5;
// Of a launch whose load is not known, over kWanderGapNs: the largest seen on an H200 with 16 warps
// on every multiprocessor.
constexpr double kPriorNs = 75;
// Fewer residuals say nothing on a quantile of 99 %.
constexpr std::size_t kMinResiduals = 100;
constexpr double kQuantile = 0.995;
constexpr double kMargin = 1.25;

// The largest share of the wander that a point may have which divides its gap so.
double shape(double share) { return 2 * std::sqrt(share * (1 - share)); }

}  // namespace

double Wander::inside_ns(double gap_ns) const {
  return scale_ns * std::pow(std::max(gap_ns, 0.0) / kWanderGapNs, kGrowth);
}

Wander measure_wander(std::span<const AnchoredClock> clocks) {
  std::vector<double> residuals;
  for (const AnchoredClock& clock : clocks) {
    if (clock.may_jump) continue;
    for (std::size_t i = 1; i + 1 < clock.knots.size(); ++i) {
      const ClockKnot& before = clock.knots[i - 1];
      const ClockKnot& knot = clock.knots[i];
      const ClockKnot& after = clock.knots[i + 1];
      const double gap = static_cast<double>(after.timer_ns - before.timer_ns);
      const double share = static_cast<double>(knot.timer_ns - before.timer_ns) / gap;
      const double rate = (after.ticks - before.ticks) / gap;
      if (!(rate > 0) || share < 0.1 || share > 0.9) continue;
      const double chord = before.ticks + (after.ticks - before.ticks) * share;
      const double unit = std::pow(gap / kWanderGapNs, kGrowth) * shape(share);
      residuals.push_back(std::abs(knot.ticks - chord) / rate / unit);
    }
  }
  if (residuals.size() < kMinResiduals) return {kPriorNs, false};
  const auto rank = static_cast<std::size_t>(static_cast<double>(residuals.size()) * kQuantile);
  const auto at = residuals.begin() + static_cast<std::ptrdiff_t>(rank);
  std::ranges::nth_element(residuals, at);
  return {*at * kMargin, true};
}

}  // namespace lockstep

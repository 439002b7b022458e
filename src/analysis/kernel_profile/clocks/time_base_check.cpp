// Held-out anchors against the stated band.
#include "analysis/kernel_profile/clocks/time_base_check.h"

#include <algorithm>
#include <vector>

#include "algo/statistics/statistics.h"
#include "analysis/kernel_profile/clocks/clock_knots.h"

namespace lockstep::analysis::kernel_profile {
namespace {

bool is_held_out(const ClockFit& fit, const trace::KernelAnchor& anchor) {
  const auto& knots = fit.held_out_ns;
  const auto after = std::ranges::upper_bound(knots, anchor.timer_ns);
  return after != knots.begin() && anchor.timer_ns - *std::prev(after) <= kKnotSpanNs;
}

// How far the step lies outside the band; 0 or less: inside.
std::int64_t excess_ps(const ClockFit& fit, const trace::KernelAnchor& anchor,
                       std::int64_t origin_ns) {
  const std::int64_t step = (anchor.timer_ns - origin_ns) * kPicosecondsPerNanosecond;
  const BandedTime before = fit.at(anchor.clock_before);
  const BandedTime after = fit.at(anchor.clock_after);
  return std::max(before.time.ps - before.uncertainty.ps - step,
                  step - after.time.ps - after.uncertainty.ps);
}

}  // namespace

BandCheck check_band(const trace::KernelProfile& profile, std::uint32_t hold_out) {
  Diagnostics ignored;
  const TimeBase base = fit_time_base(profile, {.hold_out = hold_out}, ignored);
  BandCheck check;
  std::vector<std::int64_t> excesses;
  std::vector<std::int64_t> stated;
  for (std::size_t i = 0; i < profile.lanes.size(); ++i) {
    const ClockFit& fit = base.of(i);
    for (const trace::KernelAnchor& anchor : profile.anchors_of(profile.lanes[i])) {
      if (!is_held_out(fit, anchor)) continue;
      const std::int64_t excess = excess_ps(fit, anchor, base.origin_ns);
      ++check.held_out;
      if (excess <= 0) {
        ++check.inside;
      } else {
        excesses.push_back(excess);
      }
      stated.push_back(fit.at(anchor.clock_before).uncertainty.ps);
    }
  }
  if (!excesses.empty()) {
    const algo::OrderStatistics of_excess = algo::order_statistics(excesses);
    check.excess_p50 = {of_excess.p50};
    check.excess_p95 = {of_excess.p95};
    check.excess_max = {of_excess.max};
  }
  if (!stated.empty()) {
    const algo::OrderStatistics of_stated = algo::order_statistics(stated);
    check.stated_p50 = {of_stated.p50};
    check.stated_max = {of_stated.max};
  }
  return check;
}

}  // namespace lockstep::analysis::kernel_profile

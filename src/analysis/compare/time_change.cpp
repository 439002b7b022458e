// Means of the breakdowns, compared.
#include "analysis/compare/time_change.h"

#include <array>
#include <cmath>

namespace lockstep::analysis::compare {
namespace {

double mean(WideTime sum, const breakdown::Breakdown& times) {
  return times.windows == 0 ? 0 : static_cast<double>(sum) / static_cast<double>(times.windows);
}

double kernels_of(const breakdown::Breakdown& times) {
  return mean(times.busy() - times[breakdown::Part::kMemcpy].elapsed, times);
}

std::optional<double> percent(double a, double b) {
  if (a == 0) return std::nullopt;
  return 100 * (b - a) / a;
}

bool is_told(std::optional<double> change, double a, double b, double wall) {
  return change && std::abs(*change) >= kTimeChange.told_percent &&
         std::abs(b - a) >= kTimeChange.told_share * wall;
}

TimeLimit limit_of(const PairSide& side) {
  const auto idle = static_cast<double>(side.breakdown.idle());
  if (idle < kTimeChange.mostly_idle * static_cast<double>(side.breakdown.wall))
    return TimeLimit::kKernels;
  const double spread =
      static_cast<double>(side.idle.count) * static_cast<double>(side.idle.median.ps);
  return spread >= kTimeChange.spread_idle * idle ? TimeLimit::kLaunches : TimeLimit::kWaits;
}

}  // namespace

std::string_view name_of(TimeLimit limit) {
  static constexpr std::array<std::string_view, 3> kNames = {"kernels", "launches", "waits"};
  return kNames[static_cast<std::size_t>(limit)];
}

TimeChange time_change(const ComparePair& pair) {
  const breakdown::Breakdown& a = pair.a->breakdown;
  const breakdown::Breakdown& b = pair.b->breakdown;
  const double wall = mean(a.wall, a);
  const double idle_a = mean(a.idle(), a);
  const double idle_b = mean(b.idle(), b);
  TimeChange change;
  change.kernels_percent = percent(kernels_of(a), kernels_of(b));
  change.idle_percent = percent(idle_a, idle_b);
  change.is_kernels_told = is_told(change.kernels_percent, kernels_of(a), kernels_of(b), wall);
  change.is_idle_told = is_told(change.idle_percent, idle_a, idle_b, wall);
  change.limit_a = limit_of(*pair.a);
  change.limit_b = limit_of(*pair.b);
  return change;
}

}  // namespace lockstep::analysis::compare

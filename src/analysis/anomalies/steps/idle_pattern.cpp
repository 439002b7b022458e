// Sums idle time by scope and names the pattern.
#include "analysis/anomalies/steps/idle_pattern.h"

#include <algorithm>
#include <utility>

namespace lockstep::analysis::anomalies {
namespace {

IdlePattern pattern_of(BubbleScope scope) {
  switch (scope) {
    case BubbleScope::kPrelaunch:
      return IdlePattern::kPrelaunch;
    case BubbleScope::kInternal:
      return IdlePattern::kInternal;
    case BubbleScope::kTail:
      return IdlePattern::kTail;
    case BubbleScope::kInterStep:
      return IdlePattern::kInterStep;
  }
  return IdlePattern::kNone;
}

}  // namespace

IdleByScope idle_by_scope(std::span<const MeasuredGaps> gaps,
                          std::span<const Bubble* const> bubbles) {
  IdleByScope idle;
  for (const MeasuredGaps& step : gaps) {
    idle.at(BubbleScope::kPrelaunch) += step.prelaunch.ps;
    idle.at(BubbleScope::kInternal) += (step.internal_total - step.dispatch_total).ps;
    idle.at(BubbleScope::kTail) += (step.tail - step.inter_step).ps;
    idle.at(BubbleScope::kInterStep) += step.inter_step.ps;
  }
  for (const Bubble* const bubble : bubbles) {
    if (!bubble->is_judged()) idle.at(bubble->scope) -= bubble->length().ps;
  }
  for (WideTime& time : idle.by) time = std::max<WideTime>(time, 0);
  return idle;
}

IdlePattern idle_pattern(const IdleByScope& idle, std::size_t steps, const MetricSpread& service,
                         const Thresholds& thresholds) {
  std::array<std::pair<double, BubbleScope>, 4> ranked{};
  double inside = 0;
  for (std::size_t i = 0; i < ranked.size(); ++i) {
    ranked[i] = {static_cast<double>(idle.by[i]) / static_cast<double>(steps),
                 static_cast<BubbleScope>(i)};
    if (ranked[i].second != BubbleScope::kInterStep) inside += ranked[i].first;
  }
  const double between = ranked[static_cast<std::size_t>(BubbleScope::kInterStep)].first;
  std::ranges::stable_sort(ranked, std::ranges::greater{}, &std::pair<double, BubbleScope>::first);
  const Time least = limit_of(thresholds.significant_us, thresholds.significant_share,
                              Time{static_cast<std::int64_t>(service.mean_ps)});
  if (ranked[0].first < static_cast<double>(least.ps)) return IdlePattern::kNone;
  if (between >= thresholds.inter_step_factor * inside) return IdlePattern::kInterStep;
  if (ranked[1].first >= thresholds.mixed_share * ranked[0].first) return IdlePattern::kMixed;
  return pattern_of(ranked[0].second);
}

}  // namespace lockstep::analysis::anomalies

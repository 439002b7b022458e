// What the steps of a group have in common: spreads, recurrence, idle pattern, dominant tags.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "algo/statistics.h"
#include "analysis/anomalies/labels.h"
#include "analysis/anomalies/recurrence.h"
#include "analysis/anomalies/step_groups.h"

namespace lockstep {
namespace {

class GroupValues {
 public:
  GroupValues(const StepGroup& group, std::span<const AnomalyStep> steps)
      : group_(group), steps_(steps) {}

  template <typename Value>
  [[nodiscard]] MetricSpread spread(Value value) const {
    std::vector<std::int64_t> values;
    for (const std::uint32_t s : group_.steps) values.push_back(value(steps_[s].facts.gaps).ps);
    return {.mean_ps = moments(values).mean(),
            .median = Time{percentile(values, 50)},
            .p90 = Time{percentile(values, 90)},
            .p95 = Time{percentile(values, 95)}};
  }

 private:
  const StepGroup& group_;
  std::span<const AnomalyStep> steps_;
};

void fill_spreads(std::span<const AnomalyStep> steps, StepGroup& group) {
  const GroupValues of(group, steps);
  const auto field = [&](Time GapMetrics::* member) {
    return of.spread([member](const GapMetrics& gaps) { return gaps.*member; });
  };
  group.service = field(&GapMetrics::service);
  group.device_busy = field(&GapMetrics::device_busy);
  group.underfeed = field(&GapMetrics::underfeed);
  group.prelaunch = field(&GapMetrics::prelaunch);
  group.tail = field(&GapMetrics::tail);
  group.inter_step = field(&GapMetrics::inter_step);
  group.internal_total = field(&GapMetrics::internal_total);
  group.largest_internal = field(&GapMetrics::largest_internal);
}

// Nearest rank, as for times.
double ratio_at(const std::vector<double>& sorted, unsigned percent) {
  const std::size_t rank = (sorted.size() * percent + 99) / 100;
  return sorted[std::max<std::size_t>(rank, 1) - 1];
}

void fill_ratios(std::span<const AnomalyStep> steps, StepGroup& group) {
  std::vector<double> ratios;
  double sum = 0;
  std::size_t with_bubbles = 0;
  for (const std::uint32_t s : group.steps) {
    const GapMetrics& gaps = steps[s].facts.gaps;
    ratios.push_back(ratio_of(gaps.underfeed, gaps.service));
    sum += ratios.back();
    if (gaps.significant_bubble_count > 0) ++with_bubbles;
  }
  std::ranges::sort(ratios);
  const auto count = static_cast<double>(ratios.size());
  group.underfeed_ratio = sum / count;
  group.underfeed_ratio_median = ratio_at(ratios, 50);
  group.underfeed_ratio_p90 = ratio_at(ratios, 90);
  group.underfeed_ratio_p95 = ratio_at(ratios, 95);
  group.bubble_step_share = static_cast<double>(with_bubbles) / count;
}

// Idle time of a group by where it lies, without dispatch gaps, artefacts and the edges of the
// capture.
struct IdleByScope {
  std::array<WideTime, 4> by{};  // BubbleScope

  WideTime& at(BubbleScope scope) { return by[static_cast<std::size_t>(scope)]; }
};

IdleByScope idle_of(const StepGroup& group, std::span<const AnomalyStep> steps,
                    std::span<const Bubble* const> bubbles) {
  IdleByScope idle;
  for (const std::uint32_t s : group.steps) {
    const GapMetrics& gaps = steps[s].facts.gaps;
    idle.at(BubbleScope::kPrelaunch) += gaps.prelaunch.ps;
    idle.at(BubbleScope::kInternal) += (gaps.internal_total - gaps.dispatch_total).ps;
    idle.at(BubbleScope::kTail) += (gaps.tail - gaps.inter_step).ps;
    idle.at(BubbleScope::kInterStep) += gaps.inter_step.ps;
  }
  for (const Bubble* const bubble : bubbles) {
    if (bubble->is_artefact() || bubble->touches_edge)
      idle.at(bubble->scope) -= bubble->length().ps;
  }
  for (WideTime& time : idle.by) time = std::max<WideTime>(time, 0);
  return idle;
}

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

IdlePattern idle_pattern(IdleByScope idle, const StepGroup& group, const Thresholds& thresholds) {
  std::array<std::pair<double, BubbleScope>, 4> ranked{};
  double inside = 0;
  const auto steps = static_cast<double>(group.steps.size());
  for (std::size_t i = 0; i < ranked.size(); ++i) {
    ranked[i] = {static_cast<double>(idle.by[i]) / steps, static_cast<BubbleScope>(i)};
    if (ranked[i].second != BubbleScope::kInterStep) inside += ranked[i].first;
  }
  const double between = ranked[static_cast<std::size_t>(BubbleScope::kInterStep)].first;
  std::ranges::stable_sort(ranked, std::ranges::greater{}, &std::pair<double, BubbleScope>::first);
  const Time service{static_cast<std::int64_t>(group.service.mean_ps)};
  const Time least = limit_of(thresholds.significant_us, thresholds.significant_share, service);
  if (ranked[0].first < static_cast<double>(least.ps)) return IdlePattern::kNone;
  if (between >= thresholds.inter_step_factor * inside) return IdlePattern::kInterStep;
  if (ranked[1].first >= thresholds.mixed_share * ranked[0].first) return IdlePattern::kMixed;
  return pattern_of(ranked[0].second);
}

}  // namespace

void aggregate(const Trace& trace, const DeviceTimeline& timeline,
               std::span<const AnomalyStep> steps, std::span<const Bubble> bubbles,
               const Thresholds& thresholds, std::span<StepGroup> groups) {
  std::vector<std::vector<RecurringGap>> recurring =
      recurring_gaps(trace, timeline, steps, groups, bubbles, thresholds);
  std::vector<std::vector<const Bubble*>> by_group(groups.size());
  for (const Bubble& bubble : bubbles) by_group[steps[bubble.step].group].push_back(&bubble);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    StepGroup& group = groups[g];
    fill_spreads(steps, group);
    fill_ratios(steps, group);
    group.recurring = std::move(recurring[g]);
    group.is_recurring =
        !group.recurring.empty() && group.bubble_step_share >= thresholds.recurring_share;
    group.pattern = idle_pattern(idle_of(group, steps, by_group[g]), group, thresholds);
    std::erase_if(by_group[g], [](const Bubble* bubble) { return bubble->is_artefact(); });
    group.labels = labels_of_most(by_group[g]);
  }
}

namespace {

// Idle time that is too much and that nothing recorded explains.
bool needs_followup(const StepGroup& group) {
  if (group.dominant_tags.has(Tag::kUntracedHostBlockingRisk)) return true;
  if (!group.dominant_tags.has(Tag::kDeviceIdleGapHeavy)) return false;
  return group.labels.empty() || group.labels.has(SoftLabel::kUntracedHostBlocking) ||
         group.labels.has(SoftLabel::kInsufficientEvidence) ||
         group.dominant_tags.has(Tag::kWaitPollutionRisk);
}

}  // namespace

void aggregate_tags(std::span<const AnomalyStep> steps, const Thresholds& /*thresholds*/,
                    std::span<StepGroup> groups) {
  for (StepGroup& group : groups) {
    std::array<std::size_t, kTagCount> counts{};
    for (const std::uint32_t s : group.steps) {
      for (std::size_t t = 0; t < kTagCount; ++t)
        counts[t] += steps[s].tags.has(static_cast<Tag>(t)) ? 1 : 0;
    }
    group.dominant_tags = {};
    for (std::size_t t = 0; t < kTagCount; ++t) {
      if (counts[t] > 0 && 2 * counts[t] >= group.steps.size())
        group.dominant_tags.add(static_cast<Tag>(t));
    }
    group.requires_followup = needs_followup(group);
  }
}

}  // namespace lockstep

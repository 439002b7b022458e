// What the steps of a group have in common: spreads, recurrence, idle pattern, dominant tags.
#include "analysis/anomalies/steps/group_statistics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "algo/statistics/statistics.h"
#include "analysis/anomalies/evidence/labels.h"
#include "analysis/anomalies/steps/idle_pattern.h"
#include "analysis/anomalies/steps/recurrence.h"

namespace lockstep::analysis::anomalies {
namespace {

class GroupValues {
 public:
  GroupValues(const StepGroup& group, std::span<const AnomalyStep> steps)
      : group_(group), steps_(steps) {}

  template <typename Value>
  [[nodiscard]] MetricSpread spread(Value value) const {
    std::vector<std::int64_t> values;
    for (const std::uint32_t s : group_.steps) values.push_back(value(steps_[s].facts.gaps).ps);
    return {.mean_ps = algo::moments(values).mean(),
            .median = Time{algo::percentile(values, 50)},
            .p90 = Time{algo::percentile(values, 90)},
            .p95 = Time{algo::percentile(values, 95)}};
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
  group.own_tail = of.spread([](const GapMetrics& gaps) { return gaps.tail - gaps.inter_step; });
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

}  // namespace

void aggregate(const trace::Trace& trace, const DeviceTimeline& timeline,
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
    group.pattern = idle_pattern(idle_by_scope(group, steps, by_group[g]), group, thresholds);
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

void aggregate_tags(std::span<const AnomalyStep> steps, std::span<StepGroup> groups) {
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

}  // namespace lockstep::analysis::anomalies

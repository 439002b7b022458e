// What the steps of a group have in common: spreads, recurrence, idle pattern.
#include "analysis/anomalies/steps/group_statistics.h"

#include <utility>

#include "algo/statistics/statistics.h"
#include "analysis/anomalies/evidence/labels.h"
#include "analysis/anomalies/steps/idle_pattern.h"
#include "analysis/anomalies/steps/recurrence.h"
#include "analysis/anomalies/timeline/ratio.h"

namespace lockstep::analysis::anomalies {
namespace {

template <typename Value>
MetricSpread spread_of(std::span<const MeasuredGaps> steps, Value value) {
  std::vector<std::int64_t> values;
  for (const MeasuredGaps& gaps : steps) values.push_back(value(gaps).ps);
  return {.mean_ps = algo::moments(values).mean(),
          .median = Time{algo::percentile(values, 50)},
          .p90 = Time{algo::percentile(values, 90)},
          .p95 = Time{algo::percentile(values, 95)}};
}

void fill_spreads(std::span<const MeasuredGaps> steps, GroupStatistics& group) {
  const auto field = [&](Time MeasuredGaps::* member) {
    return spread_of(steps, [member](const MeasuredGaps& gaps) { return gaps.*member; });
  };
  group.service = field(&MeasuredGaps::service);
  group.device_busy = field(&MeasuredGaps::device_busy);
  group.underfeed = field(&MeasuredGaps::underfeed);
  group.prelaunch = field(&MeasuredGaps::prelaunch);
  group.tail = field(&MeasuredGaps::tail);
  group.inter_step = field(&MeasuredGaps::inter_step);
  group.own_tail =
      spread_of(steps, [](const MeasuredGaps& gaps) { return gaps.tail - gaps.inter_step; });
  group.internal_total = field(&MeasuredGaps::internal_total);
  group.largest_internal = field(&MeasuredGaps::largest_internal);
}

void fill_ratios(std::span<const MeasuredGaps> steps, GroupStatistics& group) {
  std::vector<double> ratios;
  double sum = 0;
  std::size_t with_bubbles = 0;
  for (const MeasuredGaps& gaps : steps) {
    ratios.push_back(ratio_of(gaps.underfeed, gaps.service));
    sum += ratios.back();
    if (gaps.significant_bubble_count > 0) ++with_bubbles;
  }
  const auto count = static_cast<double>(ratios.size());
  group.underfeed_ratio = sum / count;
  group.underfeed_ratio_median = algo::percentile_of_numbers(ratios, 50);
  group.underfeed_ratio_p90 = algo::percentile_of_numbers(ratios, 90);
  group.underfeed_ratio_p95 = algo::percentile_of_numbers(ratios, 95);
  group.bubble_step_share = static_cast<double>(with_bubbles) / count;
}

// `gaps` are those of its steps, `bubbles` its own.
GroupStatistics statistics_of(std::span<const MeasuredGaps> gaps,
                              std::vector<const Bubble*> bubbles,
                              std::vector<RecurringGap> recurring, const Thresholds& thresholds) {
  GroupStatistics group;
  fill_spreads(gaps, group);
  fill_ratios(gaps, group);
  group.is_recurring = !recurring.empty() && group.bubble_step_share >= thresholds.recurring_share;
  group.recurring = std::move(recurring);
  group.pattern =
      idle_pattern(idle_by_scope(gaps, bubbles), gaps.size(), group.service, thresholds);
  std::erase_if(bubbles, [](const Bubble* bubble) { return bubble->is_artefact(); });
  group.labels = labels_of_most(bubbles);
  return group;
}

}  // namespace

std::vector<GroupStatistics> group_statistics(const trace::Trace& trace,
                                              const DeviceTimeline& timeline,
                                              const MeasuredSteps& steps,
                                              std::span<const Bubble> bubbles,
                                              const Thresholds& thresholds) {
  std::vector<std::vector<RecurringGap>> recurring =
      recurring_gaps(trace, timeline, steps, bubbles, thresholds);
  std::vector<std::vector<const Bubble*>> by_group(steps.groups.size());
  for (const Bubble& bubble : bubbles) by_group[steps.group_of[bubble.step]].push_back(&bubble);
  std::vector<GroupStatistics> statistics;
  statistics.reserve(steps.groups.size());
  for (std::size_t g = 0; g < steps.groups.size(); ++g) {
    std::vector<MeasuredGaps> gaps;
    for (const std::uint32_t s : steps.groups[g].steps) gaps.push_back(steps.gaps[s]);
    statistics.push_back(
        statistics_of(gaps, std::move(by_group[g]), std::move(recurring[g]), thresholds));
  }
  return statistics;
}

}  // namespace lockstep::analysis::anomalies

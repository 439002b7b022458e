// Sorts bubbles by place and keeps the places that most steps share.
#include "analysis/anomalies/steps/recurrence.h"

#include <algorithm>
#include <optional>
#include <tuple>

#include "algo/statistics/statistics.h"
#include "analysis/anomalies/evidence/labels.h"

namespace lockstep::analysis::anomalies {
namespace {

struct PlacedBubble {
  std::uint32_t group = 0;  // of the step that has it
  BubbleScope scope = BubbleScope::kInternal;
  std::uint32_t kernel_group = 0;  // of the step that owns the kernel after it
  std::uint32_t place = 0;         // in that group, or the symbol of the kernel at the border
  std::uint32_t step = 0;
  std::uint32_t bubble = 0;

  [[nodiscard]] auto key() const { return std::tuple(group, scope, kernel_group, place); }
};

class Placer {
 public:
  Placer(const trace::Trace& trace, const DeviceTimeline& timeline, const MeasuredSteps& steps,
         const Thresholds& thresholds)
      : timeline_(timeline),
        group_of_(steps.group_of),
        symbols_(trace, timeline),
        places_(trace, timeline, steps.frames, steps.groups, thresholds) {}

  [[nodiscard]] std::optional<PlacedBubble> place(const Bubble& bubble, std::uint32_t index) const {
    PlacedBubble placed{.group = group_of_[bubble.step],
                        .scope = bubble.scope,
                        .step = bubble.step,
                        .bubble = index};
    const bool is_before = bubble.scope == BubbleScope::kPrelaunch;
    const bool is_inside = bubble.scope == BubbleScope::kInternal;
    const std::uint32_t kernel =
        is_before || is_inside ? bubble.kernel_after : bubble.kernel_before;
    if (kernel == kNoKernel) return std::nullopt;
    if (!is_inside) {
      placed.place = symbols_.of(timeline_.kernels[kernel]);
      return placed;
    }
    if (places_.place(kernel) == algo::kUnaligned) return std::nullopt;
    placed.kernel_group = group_of_[places_.owner(kernel)];
    placed.place = places_.place(kernel);
    return placed;
  }

 private:
  const DeviceTimeline& timeline_;
  std::span<const std::uint32_t> group_of_;
  KernelSymbols symbols_;
  KernelPlaces places_;
};

RecurringGap gap_at(std::span<const PlacedBubble> placed, std::span<const Bubble> bubbles) {
  RecurringGap gap;
  std::vector<std::int64_t> by_step;
  std::uint32_t latest = kNoKernel;
  std::vector<const Bubble*> all;
  for (const PlacedBubble& one : placed) {
    const Bubble& bubble = bubbles[one.bubble];
    if (one.step != latest) by_step.push_back(0);
    latest = one.step;
    by_step.back() += bubble.length().ps;
    gap.total += bubble.length().ps;
    gap.bubbles.push_back(one.bubble);
    all.push_back(&bubble);
  }
  std::ranges::stable_sort(gap.bubbles, std::ranges::greater{},
                           [&](std::uint32_t b) { return bubbles[b].length(); });
  const Bubble& longest = bubbles[gap.bubbles.front()];
  gap.kernel_before = longest.kernel_before;
  gap.kernel_after = longest.kernel_after;
  gap.position = longest.position;
  gap.steps = static_cast<std::uint32_t>(by_step.size());
  gap.median = Time{algo::median(by_step)};
  gap.labels = labels_of_most(all);
  return gap;
}

}  // namespace

std::vector<std::vector<RecurringGap>> recurring_gaps(const trace::Trace& trace,
                                                      const DeviceTimeline& timeline,
                                                      const MeasuredSteps& steps,
                                                      std::span<const Bubble> bubbles,
                                                      const Thresholds& thresholds) {
  const std::span<const GroupMembers> groups = steps.groups;
  std::vector<std::vector<RecurringGap>> result(groups.size());
  const auto can_recur = [&](const GroupMembers& group) {
    return is_comparable(group, thresholds);
  };
  if (std::ranges::none_of(groups, can_recur)) return result;
  const Placer placer(trace, timeline, steps, thresholds);
  std::vector<PlacedBubble> placed;
  for (std::uint32_t b = 0; b < bubbles.size(); ++b) {
    if (bubbles[b].is_artefact() || !can_recur(groups[steps.group_of[bubbles[b].step]])) continue;
    if (const auto one = placer.place(bubbles[b], b)) placed.push_back(*one);
  }
  std::ranges::sort(placed, {}, [](const PlacedBubble& one) {
    return std::tuple(one.key(), one.step, one.bubble);
  });
  for (std::size_t from = 0, to = 0; from < placed.size(); from = to) {
    const auto key = placed[from].key();
    while (to < placed.size() && placed[to].key() == key) ++to;
    RecurringGap gap = gap_at(std::span(placed).subspan(from, to - from), bubbles);
    const std::uint32_t group = placed[from].group;
    const auto all_steps = static_cast<double>(groups[group].steps.size());
    if (gap.steps >= thresholds.recurring_share * all_steps)
      result[group].push_back(std::move(gap));
  }
  for (std::vector<RecurringGap>& gaps : result)
    std::ranges::stable_sort(gaps, std::ranges::greater{}, &RecurringGap::total);
  return result;
}

}  // namespace lockstep::analysis::anomalies

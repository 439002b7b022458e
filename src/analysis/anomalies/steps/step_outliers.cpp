// Steps that stand out of their group, and by what.
#include "analysis/anomalies/steps/step_outliers.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

#include "algo/statistics/statistics.h"
#include "analysis/anomalies/steps/step_sequence.h"

namespace lockstep::analysis::anomalies {
namespace {

using Cause = StepOutlier::Cause;

Time value_of(const MeasuredGaps& gaps, Cause cause) {
  switch (cause) {
    case Cause::kPrelaunch:
      return gaps.prelaunch_launch;
    case Cause::kTail:
      return gaps.tail - gaps.inter_step;
    case Cause::kInterStep:
      return gaps.inter_step;
    case Cause::kCopy:
      return gaps.exposed_copy;
    case Cause::kCommunication:
      return gaps.exposed_communication();
    case Cause::kGap:
      break;
  }
  return {};
}

// What a bubble is told as, and of which step.
struct Told {
  std::uint32_t step = 0;
  Cause cause = Cause::kGap;

  friend auto operator<=>(const Told&, const Told&) = default;
};

class OutlierFinder {
 public:
  OutlierFinder(const trace::Trace& trace, const DeviceTimeline& timeline,
                std::span<const KernelGaps> waits, const MeasuredSteps& steps,
                std::span<const Bubble> bubbles, const Thresholds& thresholds)
      : waits_(waits),
        steps_(steps),
        bubbles_(bubbles),
        thresholds_(thresholds),
        places_(trace, timeline, steps.frames, steps.groups, thresholds) {}

  std::vector<StepOutlier> find() {
    find_longest();
    for (const GroupMembers& group : steps_.groups) {
      if (!is_large(group)) continue;
      for (const Cause cause : {Cause::kPrelaunch, Cause::kTail, Cause::kInterStep, Cause::kCopy,
                                Cause::kCommunication}) {
        compare_metric(group, cause);
      }
    }
    compare_gaps();
    tell_copies_once();
    std::ranges::sort(found_, {}, [](const StepOutlier& o) {
      return std::tuple(o.step, o.cause, -o.value.ps, o.bubble);
    });
    return std::move(found_);
  }

 private:
  [[nodiscard]] bool is_large(const GroupMembers& group) const {
    return is_comparable(group, thresholds_);
  }
  [[nodiscard]] const GroupMembers& group_of(std::uint32_t step) const {
    return steps_.groups[steps_.group_of[step]];
  }
  [[nodiscard]] Time limit(std::uint32_t step) const {
    return limit_of(thresholds_.outlier_us, thresholds_.outlier_share, steps_.gaps[step].service);
  }

  // A gap before the first kernel that a step launched is its prelaunch gap, even where work of the
  // step before it still ran in its window.
  [[nodiscard]] Told told(const Bubble& bubble) const {
    switch (bubble.scope) {
      case BubbleScope::kPrelaunch:
        return {bubble.step, Cause::kPrelaunch};
      case BubbleScope::kTail:
        return {bubble.step, Cause::kTail};
      case BubbleScope::kInterStep:
        return {bubble.step, Cause::kInterStep};
      case BubbleScope::kInternal:
        break;
    }
    const std::uint32_t after = bubble.kernel_after;
    const std::uint32_t owner = after == kNoKernel ? kNoKernel : places_.owner(after);
    if (owner == bubble.step && steps_.frames[owner].kernels.front() == after)
      return {bubble.step, Cause::kPrelaunch};
    return {bubble.step, Cause::kGap};
  }

  void remember(Told what, std::uint32_t bubble) {
    const auto [found, is_new] = longest_.try_emplace(what, bubble);
    if (!is_new && bubbles_[found->second].length() < bubbles_[bubble].length())
      found->second = bubble;
  }

  void find_longest() {
    for (std::uint32_t b = 0; b < bubbles_.size(); ++b) {
      const Bubble& bubble = bubbles_[b];
      if (!is_large(group_of(bubble.step))) continue;
      if (const Told what = told(bubble); what.cause != Cause::kGap) remember(what, b);
      if (bubble.is_mostly_copy()) remember({bubble.step, Cause::kCopy}, b);
    }
  }

  // Nothing is known of what lies beyond the edge of the capture.
  [[nodiscard]] bool is_no_evidence(std::uint32_t bubble) const {
    return bubble != kNoKernel && (bubbles_[bubble].is_artefact() || bubbles_[bubble].touches_edge);
  }

  void compare_metric(const GroupMembers& group, Cause cause) {
    std::vector<std::int64_t> values;
    for (const std::uint32_t s : group.steps) values.push_back(value_of(steps_.gaps[s], cause).ps);
    const Time middle{algo::median(values)};
    for (const std::uint32_t s : group.steps) {
      const auto longest = longest_.find({s, cause});
      StepOutlier outlier{.cause = cause,
                          .step = s,
                          .bubble = longest == longest_.end() ? kNoKernel : longest->second,
                          .value = value_of(steps_.gaps[s], cause),
                          .median = middle};
      if (!is_no_evidence(outlier.bubble)) consider(outlier);
    }
  }

  void consider(const StepOutlier& outlier) {
    if (outlier.value.ps > 0 && outlier.excess() >= limit(outlier.step)) found_.push_back(outlier);
  }

  // Gaps that are long enough to stand out, by the group and place of the kernel after them.
  void compare_gaps() {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::uint32_t>> candidates;
    for (std::uint32_t b = 0; b < bubbles_.size(); ++b) {
      const Bubble& bubble = bubbles_[b];
      if (!is_large(group_of(bubble.step)) || bubble.length() < limit(bubble.step)) continue;
      if (is_no_evidence(b) || told(bubble).cause != Cause::kGap) continue;
      const std::uint32_t after = bubble.kernel_after;
      const std::uint32_t owner = after == kNoKernel ? kNoKernel : places_.owner(after);
      if (owner == kNoKernel) continue;
      candidates[{steps_.group_of[owner], places_.place(after)}].push_back(b);
    }
    for (std::uint32_t g = 0; g < steps_.groups.size(); ++g) {
      const auto from = candidates.lower_bound({g, 0});
      const auto to = candidates.lower_bound({g + 1, 0});
      if (from != to) compare_places(steps_.groups[g], std::map(from, to));
    }
  }

  void compare_places(
      const GroupMembers& group,
      const std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::uint32_t>>& places) {
    std::vector<std::vector<std::int64_t>> waits(group.kernels);  // by place
    std::vector<char> is_asked(group.kernels, 0);
    for (const auto& [place, bubbles] : places) {
      if (place.second != algo::kUnaligned) is_asked[place.second] = 1;
    }
    for (const std::uint32_t s : group.steps) {
      for (const std::uint32_t k : steps_.frames[s].kernels) {
        const std::uint32_t place = places_.place(k);
        if (place != algo::kUnaligned && is_asked[place] != 0)
          waits[place].push_back(waits_[k].to_device.ps);
      }
    }
    for (const auto& [place, bubbles] : places) {
      // A step without that kernel has no gap before it.
      std::vector<std::int64_t> values;
      if (place.second != algo::kUnaligned) values = std::move(waits[place.second]);
      values.resize(std::max(values.size(), group.steps.size()), 0);
      const Time middle{algo::median(values)};
      for (const std::uint32_t b : bubbles) {
        consider({.cause = Cause::kGap,
                  .step = bubbles_[b].step,
                  .bubble = b,
                  .value = bubbles_[b].length(),
                  .median = middle});
      }
    }
  }

  void tell_copies_once() {
    std::vector<std::uint32_t> with_copy;
    for (const StepOutlier& outlier : found_) {
      if (outlier.cause == Cause::kCopy) with_copy.push_back(outlier.step);
    }
    std::ranges::sort(with_copy);
    std::erase_if(found_, [&](const StepOutlier& outlier) {
      return outlier.cause != Cause::kCopy && outlier.bubble != kNoKernel &&
             bubbles_[outlier.bubble].is_mostly_copy() &&
             std::ranges::binary_search(with_copy, outlier.step);
    });
  }

  std::span<const KernelGaps> waits_;
  MeasuredSteps steps_;
  std::span<const Bubble> bubbles_;
  const Thresholds& thresholds_;
  KernelPlaces places_;
  std::map<Told, std::uint32_t> longest_;  // the bubble to look at
  std::vector<StepOutlier> found_;
};

}  // namespace

std::vector<StepOutlier> find_outliers(const trace::Trace& trace, const DeviceTimeline& timeline,
                                       std::span<const KernelGaps> waits,
                                       const MeasuredSteps& steps, std::span<const Bubble> bubbles,
                                       const Thresholds& thresholds) {
  const auto is_large = [&](const GroupMembers& group) { return is_comparable(group, thresholds); };
  if (std::ranges::none_of(steps.groups, is_large)) return {};
  return OutlierFinder(trace, timeline, waits, steps, bubbles, thresholds).find();
}

std::vector<std::optional<Time>> outlier_excesses(const MeasuredSteps& steps,
                                                  std::span<const StepOutlier> outliers,
                                                  const Thresholds& thresholds) {
  std::vector<std::optional<Time>> excesses(steps.frames.size());
  for (const GroupMembers& group : steps.groups) {
    if (!is_comparable(group, thresholds)) continue;
    for (const std::uint32_t s : group.steps) excesses[s] = Time{};
  }
  for (const StepOutlier& outlier : outliers) {
    std::optional<Time>& excess = excesses[outlier.step];
    excess = std::max(excess.value_or(Time{}), outlier.excess());
  }
  return excesses;
}

}  // namespace lockstep::analysis::anomalies

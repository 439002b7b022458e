// Findings about single gaps: those that come back, those that make a step stand out, and the rest
// that is heavy.
#include "analysis/anomalies/verdict/stall_findings.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <utility>

#include "analysis/anomalies/evidence/labels.h"
#include "analysis/kernels/short_name.h"

namespace lockstep::analysis::anomalies {
namespace {

using Cause = StepOutlier::Cause;

bool is_share(WideTime part, double share, WideTime whole) {
  return static_cast<double>(part) >= share * static_cast<double>(whole);
}

// What of a place is heavy.
struct HeavyPart {
  std::uint32_t steps = 0;
  WideTime total = 0;
  Time least;
  Time most;
};

HeavyPart heavy_part(const FindingInput& input, const RecurringGap& gap) {
  HeavyPart part;
  std::vector<std::uint32_t> steps;
  for (const std::uint32_t b : gap.bubbles) {
    const Bubble& bubble = input.device.bubbles[b];
    if (!input.is_heavy(bubble)) continue;
    part.least = steps.empty() ? bubble.length() : std::min(part.least, bubble.length());
    part.most = std::max(part.most, bubble.length());
    part.total += bubble.length().ps;
    steps.push_back(bubble.step);
  }
  std::ranges::sort(steps);
  part.steps = static_cast<std::uint32_t>(
      std::ranges::distance(steps.begin(), std::ranges::unique(steps).begin()));
  return part;
}

// The host operator that most of the time at a place lies in; empty when there is none.
std::string op_of_most(const FindingInput& input, const RecurringGap& gap) {
  std::map<std::string, WideTime> times;
  for (const std::uint32_t b : gap.bubbles) {
    const Bubble& bubble = input.device.bubbles[b];
    if (bubble.inside_op != trace::kNoEvent)
      times[event_name(input.trace, bubble.inside_op)] += bubble.length().ps;
  }
  for (const auto& [name, time] : times) {
    if (2 * time > gap.total) return kernels::short_name(name);
  }
  return "";
}

Finding stall_finding(const FindingInput& input, std::uint32_t g, std::uint32_t place,
                      const HeavyPart& part) {
  const StepGroup& group = input.device.groups[g];
  const RecurringGap& gap = group.recurring[place];
  const std::uint32_t example = gap.bubbles.front();
  const Bubble& bubble = input.device.bubbles[example];
  Finding finding = finding_of(FindingKind::kRecurringStall, g);
  finding.cost = part.total;
  finding.priority =
      is_share(part.total, input.thresholds.urgent_stall, group.total_service)   ? Priority::kP0
      : is_share(part.total, input.thresholds.worthy_stall, group.total_service) ? Priority::kP1
                                                                                 : Priority::kP2;
  finding.scope = bubble.scope;
  finding.bubble = example;
  finding.labels = gap.labels;
  finding.detail = RecurringStall{.place = place,
                                  .steps = part.steps,
                                  .least = part.least,
                                  .most = part.most,
                                  .inside_op = op_of_most(input, gap)};
  return finding;
}

std::optional<BubbleScope> scope_of(Cause cause) {
  switch (cause) {
    case Cause::kPrelaunch:
      return BubbleScope::kPrelaunch;
    case Cause::kTail:
      return BubbleScope::kTail;
    case Cause::kInterStep:
      return BubbleScope::kInterStep;
    case Cause::kGap:
      return BubbleScope::kInternal;
    case Cause::kCopy:
    case Cause::kCommunication:
      break;
  }
  return std::nullopt;
}

// The longest copy that begins in a step.
const DeviceWork* longest_copy(const DeviceTimeline& timeline, const AnomalyStep& step) {
  const auto from = std::ranges::lower_bound(timeline.copies, step.start, {}, &DeviceWork::start);
  const auto to = std::ranges::lower_bound(timeline.copies, step.end, {}, &DeviceWork::start);
  if (from >= to) return nullptr;
  return &*std::ranges::max_element(from, to, {}, &DeviceWork::duration);
}

// Of a step or the one before it, which may reach into it: the collective that runs longest inside.
void set_longest_collective(const FindingInput& input, OutlyingStep& detail) {
  const std::uint32_t number = detail.outlier.step;
  const AnomalyStep& step = input.device.steps[number];
  for (const std::uint32_t s : {number == 0 ? number : number - 1, number}) {
    for (const std::uint32_t k : input.device.steps[s].kernels) {
      const DeviceWork& work = input.device.timeline.kernels[k];
      if (work.kind != trace::Kind::kCommunication) continue;
      const Time inside = std::min(work.end, step.end) - std::max(work.start, step.start);
      if (inside <= detail.longest_time) continue;
      detail.longest = work.event;
      detail.longest_time = inside;
    }
  }
}

OutlyingStep outlying_step(const FindingInput& input, const StepOutlier& outlier) {
  OutlyingStep detail{.outlier = outlier};
  if (outlier.cause == Cause::kCommunication) set_longest_collective(input, detail);
  if (outlier.cause != Cause::kCopy) return detail;
  const DeviceWork* const copy =
      longest_copy(input.device.timeline, input.device.steps[outlier.step]);
  if (copy == nullptr) return detail;
  detail.longest = copy->event;
  detail.longest_time = copy->duration();
  return detail;
}

Finding outlier_finding(const FindingInput& input, const StepOutlier& outlier) {
  const AnomalyStep& step = input.device.steps[outlier.step];
  const Time service = step.facts.gaps.service;
  Finding finding = finding_of(FindingKind::kStepOutlier, step.group);
  finding.step = outlier.step;
  finding.cost = outlier.excess().ps;
  finding.priority = is_share(finding.cost, input.thresholds.urgent_outlier, service.ps)
                         ? Priority::kP0
                         : Priority::kP1;
  finding.scope = scope_of(outlier.cause);
  finding.detail = outlying_step(input, outlier);
  // A collective looks the same whether it moves data or waits for a peer.
  if (outlier.cause == Cause::kCommunication) finding.labels = {SoftLabel::kCommWait};
  if (outlier.bubble != kNoKernel) {
    finding.bubble = outlier.bubble;
    finding.labels = input.device.bubbles[outlier.bubble].labels;
  }
  return finding;
}

// In the device's time and in that of the group.
Priority priority_of_gaps(const FindingInput& input, WideTime cost, WideTime group, WideTime all) {
  if (!is_share(cost, input.thresholds.worth_telling, all)) return Priority::kP3;
  const bool is_much = is_share(cost, input.thresholds.worthy_stall, group) &&
                       is_share(group, input.thresholds.small_group, all);
  return is_much ? Priority::kP1 : Priority::kP2;
}

// `service` is that of all steps.
Finding heavy_finding(const FindingInput& input, WideTime service, std::uint32_t g,
                      BubbleScope scope, const std::vector<std::uint32_t>& bubbles) {
  const std::vector<Bubble>& all = input.device.bubbles;
  Finding finding = finding_of(FindingKind::kHeavyBubble, g);
  finding.scope = scope;
  finding.bubble = *std::ranges::max_element(
      bubbles, {}, [&](std::uint32_t b) { return std::pair(all[b].length(), -all[b].start.ps); });
  const Bubble& longest = all[*finding.bubble];
  finding.step = longest.step;
  for (const std::uint32_t b : bubbles) finding.cost += all[b].length().ps;
  finding.labels = longest.labels;
  finding.priority =
      longest.touches_edge
          ? Priority::kP3
          : priority_of_gaps(input, finding.cost, input.device.groups[g].total_service, service);
  finding.detail = HeavyGaps{.count = bubbles.size()};
  return finding;
}

}  // namespace

ToldFindings recurring_stalls(const FindingInput& input) {
  std::vector<Finding> findings;
  std::vector<char> told(input.device.bubbles.size(), 0);
  for (std::uint32_t g = 0; g < input.device.groups.size(); ++g) {
    const StepGroup& group = input.device.groups[g];
    for (std::uint32_t place = 0; place < group.recurring.size(); ++place) {
      const RecurringGap& gap = group.recurring[place];
      const HeavyPart part = heavy_part(input, gap);
      if (!is_share(part.steps, input.thresholds.recurring_share,
                    static_cast<WideTime>(group.steps.size())))
        continue;
      findings.push_back(stall_finding(input, g, place, part));
      for (const std::uint32_t b : gap.bubbles) told[b] = 1;
    }
  }
  return {std::move(findings), std::move(told)};
}

ToldFindings step_outliers(const FindingInput& input, std::vector<char> told) {
  std::vector<Finding> findings;
  for (const StepOutlier& outlier : input.outliers) {
    if (outlier.bubble != kNoKernel && told[outlier.bubble] != 0) continue;
    findings.push_back(outlier_finding(input, outlier));
  }
  for (const StepOutlier& outlier : input.outliers) {
    if (outlier.bubble != kNoKernel) told[outlier.bubble] = 1;
  }
  return {std::move(findings), std::move(told)};
}

ToldFindings heavy_bubbles(const FindingInput& input, std::vector<char> told) {
  // Those at the edge of the capture apart: they are no evidence, the others are.
  std::map<std::tuple<std::uint32_t, BubbleScope, bool>, std::vector<std::uint32_t>> places;
  for (std::uint32_t b = 0; b < input.device.bubbles.size(); ++b) {
    const Bubble& bubble = input.device.bubbles[b];
    // What is mostly a copy is told as one.
    if (told[b] != 0 || !input.is_heavy(bubble) || bubble.is_mostly_copy()) continue;
    told[b] = 1;
    places[{input.device.steps[bubble.step].group, bubble.scope, bubble.touches_edge}].push_back(b);
  }
  const WideTime service = input.total_service();
  std::vector<Finding> findings;
  for (const auto& [place, bubbles] : places)
    findings.push_back(
        heavy_finding(input, service, std::get<0>(place), std::get<1>(place), bubbles));
  std::ranges::stable_sort(findings, {},
                           [](const Finding& f) { return std::tuple(f.priority, -f.cost); });
  if (findings.size() > kMostHeavyFindings) {
    const std::size_t untold = findings.size() - kMostHeavyFindings;
    findings.resize(kMostHeavyFindings);
    std::get<HeavyGaps>(findings.back().detail).untold = untold;
  }
  return {std::move(findings), std::move(told)};
}

}  // namespace lockstep::analysis::anomalies

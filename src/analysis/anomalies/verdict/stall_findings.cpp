// Findings about single gaps: those that come back, those that make a step stand out, and the rest
// that is heavy.
#include "analysis/anomalies/verdict/stall_findings.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "analysis/anomalies/evidence/labels.h"
#include "analysis/anomalies/verdict/finding_texts.h"
#include "base/text.h"

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
      times[event_text(input.trace, bubble.inside_op)] += bubble.length().ps;
  }
  for (const auto& [name, time] : times) {
    if (2 * time > gap.total) return name;
  }
  return "";
}

std::string stall_text(const FindingInput& input, const StepGroup& group, const RecurringGap& gap,
                       const HeavyPart& part, BubbleScope scope) {
  const std::string place =
      place_text(input.trace, input.device.timeline, gap.kernel_before, gap.kernel_after);
  const std::string position =
      scope == BubbleScope::kInternal ? fmt::format(" (kernel {} of the step)", gap.position) : "";
  const std::string op = op_of_most(input, gap);
  std::string lengths = time_text(part.least.ps);
  if (const std::string most = time_text(part.most.ps); most != lengths) lengths += " to " + most;
  return fmt::format("{} of {} of group {} {} for {} {}{}: {} of {} ({}){}.", part.steps,
                     counted(group.steps.size(), "step"), group.id,
                     part.steps == 1 ? "stalls" : "stall", lengths, place, position,
                     time_text(part.total), time_text(group.total_service),
                     share_text(part.total, group.total_service),
                     op.empty() ? "" : ", while the host is inside " + op);
}

Finding stall_finding(const FindingInput& input, std::uint32_t g, const RecurringGap& gap,
                      const HeavyPart& part) {
  const StepGroup& group = input.device.groups[g];
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
  finding.text = stall_text(input, group, gap, part, bubble.scope);
  finding.evidence.push_back(
      fmt::format("{} {} a significant gap there, {} in all, half of them at least {}.",
                  counted(gap.steps, "step"), gap.steps == 1 ? "has" : "have", time_text(gap.total),
                  time_text(gap.median.ps)));
  const auto chain = bubble_evidence(input.trace, input.device.timeline, bubble);
  finding.evidence.push_back(
      fmt::format("The longest is in {}:", step_text(input.device.steps[bubble.step])));
  finding.evidence.insert(finding.evidence.end(), chain.begin(), chain.end());
  return finding;
}

std::string_view cause_text(Cause cause) {
  switch (cause) {
    case Cause::kPrelaunch:
      return "waits for its first kernel for";
    case Cause::kTail:
      return "idles after its last kernel for";
    case Cause::kInterStep:
      return "is followed by a gap of";
    case Cause::kCopy:
      return "copies while no kernel runs for";
    case Cause::kGap:
      return "stalls inside for";
    case Cause::kCommunication:
      return "runs nothing but collectives for";
  }
  return "";
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
std::string longest_collective(const FindingInput& input, std::uint32_t number) {
  const AnomalyStep& step = input.device.steps[number];
  const DeviceWork* longest = nullptr;
  Time most;
  for (const std::uint32_t s : {number == 0 ? number : number - 1, number}) {
    for (const std::uint32_t k : input.device.steps[s].kernels) {
      const DeviceWork& work = input.device.timeline.kernels[k];
      if (work.kind != trace::Kind::kCommunication) continue;
      const Time inside = std::min(work.end, step.end) - std::max(work.start, step.start);
      if (inside <= most) continue;
      longest = &work;
      most = inside;
    }
  }
  if (longest == nullptr) return "";
  return fmt::format("Its longest collective is {}, {}.", event_text(input.trace, longest->event),
                     time_text(most.ps));
}

// A collective looks the same whether it moves data or waits for a peer.
void tell_collectives(const FindingInput& input, Finding& finding) {
  const CommEvidence& comm = input.device.steps[*finding.step].facts.comm;
  std::string longest = longest_collective(input, *finding.step);
  if (!longest.empty()) finding.evidence.push_back(std::move(longest));
  if (comm.transit)
    finding.evidence.push_back(fmt::format("Its collectives move data for {} of {}.",
                                           time_text(comm.transit->ps),
                                           time_text(comm.measured().ps)));
  finding.labels = {SoftLabel::kCommWait};
  finding.evidence.emplace_back(
      "Possible: it waits for a slower peer, which enters the collective later; or it moves more "
      "data than in other steps.");
  finding.evidence.emplace_back(check_of(SoftLabel::kCommWait));
}

Finding outlier_finding(const FindingInput& input, const StepOutlier& outlier) {
  const AnomalyStep& step = input.device.steps[outlier.step];
  const StepGroup& group = input.device.groups[step.group];
  const Time service = step.facts.gaps.service;
  Finding finding = finding_of(FindingKind::kStepOutlier, step.group);
  finding.step = outlier.step;
  finding.cost = outlier.excess().ps;
  finding.priority = is_share(finding.cost, input.thresholds.urgent_outlier, service.ps)
                         ? Priority::kP0
                         : Priority::kP1;
  finding.scope = scope_of(outlier.cause);
  finding.text = fmt::format("{} {} {}, where the group's median is {}: {} of its {} ({}).",
                             step.name, cause_text(outlier.cause), time_text(outlier.value.ps),
                             time_text(outlier.median.ps), time_text(outlier.excess().ps),
                             time_text(service.ps), share_text(outlier.excess().ps, service.ps));
  finding.evidence.push_back(
      fmt::format("It runs the same kernels as the other {} of group {}, up to a few.",
                  counted(group.steps.size() - 1, "step"), group.id));
  if (outlier.cause == Cause::kCopy) {
    if (const DeviceWork* copy = longest_copy(input.device.timeline, step))
      finding.evidence.push_back(fmt::format("Its longest copy is {}, {}.",
                                             event_text(input.trace, copy->event),
                                             time_text(copy->duration().ps)));
  }
  if (outlier.cause == Cause::kCommunication) tell_collectives(input, finding);
  if (outlier.bubble != kNoKernel) {
    const Bubble& bubble = input.device.bubbles[outlier.bubble];
    finding.bubble = outlier.bubble;
    finding.labels = bubble.labels;
    const auto chain = bubble_evidence(input.trace, input.device.timeline, bubble);
    finding.evidence.insert(finding.evidence.end(), chain.begin(), chain.end());
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
  const AnomalyStep& step = input.device.steps[longest.step];
  finding.step = longest.step;
  for (const std::uint32_t b : bubbles) finding.cost += all[b].length().ps;
  finding.labels = longest.labels;
  finding.priority =
      longest.touches_edge
          ? Priority::kP3
          : priority_of_gaps(input, finding.cost, input.device.groups[g].total_service, service);
  const std::string place =
      place_text(input.trace, input.device.timeline, longest.kernel_before, longest.kernel_after);
  finding.text = fmt::format("A gap of {} {}{}{}: {} of the step.", time_text(longest.length().ps),
                             gap_text(scope, step), place.empty() ? "" : ", ", place,
                             share_text(longest.length().ps, step.facts.gaps.service.ps));
  if (bubbles.size() > 1)
    finding.evidence.push_back(
        fmt::format("Group {} has {} like it, {} in all.", input.device.groups[g].id,
                    counted(bubbles.size(), "heavy gap"), time_text(finding.cost)));
  if (longest.touches_edge)
    finding.evidence.emplace_back(
        "It touches the edge of the capture: what lies beyond was not recorded.");
  const auto chain = bubble_evidence(input.trace, input.device.timeline, longest);
  finding.evidence.insert(finding.evidence.end(), chain.begin(), chain.end());
  return finding;
}

}  // namespace

std::vector<Finding> recurring_stalls(const FindingInput& input, std::vector<char>& told) {
  std::vector<Finding> findings;
  for (std::uint32_t g = 0; g < input.device.groups.size(); ++g) {
    const StepGroup& group = input.device.groups[g];
    for (const RecurringGap& gap : group.recurring) {
      const HeavyPart part = heavy_part(input, gap);
      if (!is_share(part.steps, input.thresholds.recurring_share,
                    static_cast<WideTime>(group.steps.size())))
        continue;
      findings.push_back(stall_finding(input, g, gap, part));
      for (const std::uint32_t b : gap.bubbles) told[b] = 1;
    }
  }
  return findings;
}

std::vector<Finding> step_outliers(const FindingInput& input, std::vector<char>& told) {
  std::vector<Finding> findings;
  for (const StepOutlier& outlier : input.outliers) {
    if (outlier.bubble != kNoKernel && told[outlier.bubble] != 0) continue;
    findings.push_back(outlier_finding(input, outlier));
  }
  for (const StepOutlier& outlier : input.outliers) {
    if (outlier.bubble != kNoKernel) told[outlier.bubble] = 1;
  }
  return findings;
}

std::vector<Finding> heavy_bubbles(const FindingInput& input, std::vector<char>& told) {
  // Those at the edge of the capture apart: they are no evidence, the others are.
  std::map<std::tuple<std::uint32_t, BubbleScope, bool>, std::vector<std::uint32_t>> places;
  for (std::uint32_t b = 0; b < input.device.bubbles.size(); ++b) {
    const Bubble& bubble = input.device.bubbles[b];
    // What is mostly a copy is told as one.
    if (told[b] != 0 || !input.is_heavy(bubble) || is_mostly_copy(bubble)) continue;
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
    const std::size_t more = findings.size() - kMostHeavyFindings;
    findings.resize(kMostHeavyFindings);
    findings.back().evidence.push_back(
        fmt::format("{} with smaller gaps are not told one by one.", counted(more, "more group")));
  }
  return findings;
}

}  // namespace lockstep::analysis::anomalies

// The five questions answered, each in sentences that stand alone.
#include "analysis/anomalies/verdict/answers.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "analysis/anomalies/steps/idle_pattern.h"
#include "analysis/anomalies/verdict/finding_parts.h"
#include "analysis/anomalies/verdict/finding_texts.h"
#include "base/text.h"

namespace lockstep::analysis::anomalies {
namespace {

// An answer names no more steps than this.
constexpr std::size_t kMostSteps = 5;

// All steps of a device together.
struct DeviceSum {
  WideTime service = 0;
  WideTime underfeed = 0;
  WideTime artefact = 0;
  WideTime edge = 0;  // gaps that touch the edge of the capture
  WideTime dispatch = 0;
  std::uint64_t count = 0;  // of significant bubbles, here and below without those two
  std::uint64_t heavy = 0;
  WideTime bubbles = 0;
  WideTime copied = 0;
  WideTime launch_known = 0;
  WideTime host_part = 0;
  WideTime queued_part = 0;
  WideTime host_covered = 0;
  std::uint64_t python_frames = 0;
  const Bubble* longest = nullptr;
  std::vector<WideTime> by_group;

  [[nodiscard]] WideTime judged() const { return underfeed - artefact - edge - dispatch; }
};

DeviceSum sum_up(const FindingInput& input) {
  const DeviceAnomalies& device = input.device;
  DeviceSum sum;
  sum.by_group.resize(device.groups.size());
  for (const AnomalyStep& step : device.steps) {
    const GapMetrics& gaps = step.facts.gaps;
    sum.service += gaps.service.ps;
    sum.underfeed += gaps.underfeed.ps;
    sum.dispatch += gaps.dispatch_total.ps;
    sum.python_frames += step.facts.python_frames;
  }
  for (const Bubble& bubble : device.bubbles) {
    const WideTime length = bubble.length().ps;
    if (!FindingInput::is_judged(bubble)) {
      (bubble.is_artefact() ? sum.artefact : sum.edge) += length;
      continue;
    }
    ++sum.count;
    sum.bubbles += length;
    sum.copied += bubble.copied.ps;
    sum.by_group[device.steps[bubble.step].group] += length;
    if (bubble.has_launch) sum.launch_known += length;
    sum.host_part += bubble.host_part.ps;
    sum.queued_part += bubble.queued_part.ps;
    sum.host_covered += bubble.host_covered.ps;
    if (input.is_heavy(bubble)) ++sum.heavy;
    if (sum.longest == nullptr || sum.longest->length() < bubble.length()) sum.longest = &bubble;
  }
  return sum;
}

bool is_high(const FindingInput& input, WideTime part, WideTime whole) {
  return static_cast<double>(part) >= input.thresholds.high_underfeed * static_cast<double>(whole);
}

std::string artefact_answer(const FindingInput& input, const DeviceSum& sum) {
  const auto worst = std::ranges::max_element(input.device.artefacts, {}, &Artefact::idle);
  std::string because = ", because the work was not recorded";
  if (worst != input.device.artefacts.end()) {
    const std::size_t count = input.device.artefacts.size();
    because = (count == 1 ? ", because " : fmt::format(": in the longest of {} gaps ", count)) +
              worst->because;
  }
  return fmt::format(
      "No: the idle share of {} is an artefact{}. Without it the device idles {} of {} ({}).",
      share_text(sum.underfeed, sum.service), because, time_text(sum.judged()),
      time_text(sum.service), share_text(sum.judged(), sum.service));
}

// "Yes: 3 significant gaps take ..."
std::string gaps_answer(const FindingInput& input, const DeviceSum& sum) {
  std::string_view verdict = "Only small ones";
  if (is_high(input, sum.judged(), sum.service)) verdict = "Yes, though none is heavy by itself";
  if (sum.heavy > 0) verdict = "Yes";
  std::string text =
      fmt::format("{}: the device idles {} of {} ({}). {} {} {} of it", verdict,
                  time_text(sum.judged()), time_text(sum.service),
                  share_text(sum.judged(), sum.service), counted(sum.count, "significant gap"),
                  sum.count == 1 ? "takes" : "take", time_text(sum.bubbles));
  if (sum.heavy > 0) text += fmt::format(", {} {} heavy", sum.heavy, sum.heavy == 1 ? "is" : "are");
  text += fmt::format("; the longest takes {} in {}.", time_text(sum.longest->length().ps),
                      step_text(input.device.steps[sum.longest->step]));
  if (2 * sum.copied >= sum.bubbles)
    text += fmt::format(" Copies run for {} of them.", share_text(sum.copied, sum.bubbles));
  return text;
}

// Time in which collectives wait and the device counts as busy, for sure.
WideTime stalled_in_communication(const DeviceAnomalies& device) {
  WideTime stalled = 0;
  for (const Finding& finding : device.findings) {
    if (finding.kind == FindingKind::kCommStall && finding.priority <= Priority::kP1)
      stalled += finding.cost;
  }
  return stalled;
}

std::string are_there(const FindingInput& input, const DeviceSum& sum) {
  if (input.device.steps.empty()) return "Nothing is known: the device ran no step.";
  if (2 * sum.artefact > sum.underfeed && sum.heavy == 0) return artefact_answer(input, sum);
  std::string text =
      sum.count > 0 ? gaps_answer(input, sum)
                    : fmt::format("No: the device idles {} of {} ({}), and no gap is significant.",
                                  time_text(sum.judged()), time_text(sum.service),
                                  share_text(sum.judged(), sum.service));
  if (const WideTime stalled = stalled_in_communication(input.device); stalled > 0)
    text += fmt::format(" Collectives that count as busy wait for another {} ({}).",
                        time_text(stalled), share_text(stalled, sum.service));
  if (sum.artefact > 0)
    text += fmt::format(" Another {} that look idle are an artefact.", time_text(sum.artefact));
  if (sum.edge > 0)
    text += fmt::format(" Another {} lie at the edge of the capture and are not judged.",
                        time_text(sum.edge));
  if (sum.dispatch > 0)
    text +=
        fmt::format(" Gaps inside graph launches, {}, are counted apart.", time_text(sum.dispatch));
  return text;
}

std::string names_of(const DeviceAnomalies& device, const std::vector<std::uint32_t>& steps) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(steps.size(), kMostSteps); ++i)
    names.push_back(device.steps[steps[i]].name);
  if (steps.size() > kMostSteps) names.push_back(fmt::format("{} more", steps.size() - kMostSteps));
  return listed(names);
}

std::string where(const FindingInput& input, const DeviceSum& sum) {
  const DeviceAnomalies& device = input.device;
  if (sum.bubbles == 0) return "In none: no step has a significant gap.";
  if (device.steps.size() == 1)
    return fmt::format("In {}, the only step ({}): it is idle for {:.1f} %.",
                       step_text(device.steps.front()),
                       counted(device.groups.front().kernels, "kernel"),
                       100 * device.groups.front().underfeed_ratio);
  const auto most = std::ranges::max_element(sum.by_group);
  const StepGroup& group = device.groups[static_cast<std::size_t>(most - sum.by_group.begin())];
  std::string text = fmt::format(
      "Group {} ({} of {}, such as {}) has {} of the gap time, {}; a step of it is idle for {:.1f} "
      "% on average.",
      group.id, counted(group.steps.size(), "step"), counted(group.kernels, "kernel"),
      device.steps[group.steps.front()].name, share_text(*most, sum.bubbles), time_text(*most),
      100 * group.underfeed_ratio);
  std::vector<std::uint32_t> outliers;
  for (const Finding& finding : device.findings) {
    if (finding.kind == FindingKind::kStepOutlier) outliers.push_back(*finding.step);
  }
  std::ranges::sort(outliers);
  const auto rest = std::ranges::unique(outliers);
  outliers.erase(rest.begin(), rest.end());
  if (!outliers.empty())
    text += fmt::format(" {} {} out of the group.", names_of(device, outliers),
                        outliers.size() == 1 ? "stands" : "stand");
  return text;
}

std::string_view pattern_text(IdlePattern pattern) {
  switch (pattern) {
    case IdlePattern::kPrelaunch:
      return "Mostly prelaunch";
    case IdlePattern::kInternal:
      return "Mostly internal";
    case IdlePattern::kTail:
      return "Mostly tail";
    case IdlePattern::kInterStep:
      return "Mostly inter-step";
    case IdlePattern::kMixed:
      return "Mixed";
    case IdlePattern::kNone:
      break;
  }
  return "None worth naming";
}

std::string which_kind(const FindingInput& input, const DeviceSum& sum) {
  const DeviceAnomalies& device = input.device;
  if (device.groups.empty()) return "None: the device ran no step.";
  const auto most = std::ranges::max_element(sum.by_group);
  const auto g = static_cast<std::uint32_t>(most - sum.by_group.begin());
  const StepGroup& group = device.groups[g];
  std::vector<const Bubble*> bubbles;
  for (const Bubble& bubble : device.bubbles) {
    if (device.steps[bubble.step].group == g) bubbles.push_back(&bubble);
  }
  const IdleByScope idle = idle_by_scope(group, device.steps, bubbles);
  const auto mean = [&](BubbleScope scope) {
    return time_text(idle.at(scope) / static_cast<WideTime>(group.steps.size()));
  };
  return fmt::format(
      "{}: a step of group {} idles {} before its first kernel, {} between its kernels, {} after "
      "its last one and {} before the next step (means; a step takes {}).",
      pattern_text(group.pattern), group.id, mean(BubbleScope::kPrelaunch),
      mean(BubbleScope::kInternal), mean(BubbleScope::kTail), mean(BubbleScope::kInterStep),
      time_text(static_cast<WideTime>(group.service.mean_ps)));
}

std::uint64_t steps_with(const DeviceAnomalies& device, Tag tag) {
  return static_cast<std::uint64_t>(std::ranges::count_if(
      device.steps, [tag](const AnomalyStep& step) { return step.tags.has(tag); }));
}

std::string risk_tags(const DeviceAnomalies& device) {
  std::string text;
  for (const Tag tag : {Tag::kHostOriginatedRisk, Tag::kUntracedHostBlockingRisk}) {
    const std::uint64_t count = steps_with(device, tag);
    if (count > 0)
      text +=
          fmt::format(" {}: {} of {}.", name_of(tag), count, counted(device.steps.size(), "step"));
  }
  return text;
}

std::string host_risk(const FindingInput& input, const DeviceSum& sum) {
  if (sum.bubbles == 0) return "No: no significant gap waits for the host.";
  const std::string tags = risk_tags(input.device);
  if (sum.launch_known == 0)
    return fmt::format(
        "Not known: the trace does not say who launched the kernels. Host events cover {} of the "
        "gap time.{}",
        share_text(sum.host_covered, sum.bubbles), tags);
  const bool is_host = static_cast<double>(sum.host_part) >=
                       input.thresholds.host_part_share * static_cast<double>(sum.launch_known);
  // The host may be late everywhere and harm nobody.
  const bool matters = sum.heavy > 0 || is_high(input, sum.judged(), sum.service) || !tags.empty();
  return fmt::format(
      "{}: in {} of the gap time the next kernel had not been launched yet, in {} it was queued "
      "already; recorded host events cover {}.{}",
      !is_host  ? "No"
      : matters ? "Yes"
                : "Hardly",
      share_text(sum.host_part, sum.launch_known), share_text(sum.queued_part, sum.launch_known),
      share_text(sum.host_covered, sum.bubbles), tags);
}

std::string is_enough(const FindingInput& input, const DeviceSum& sum) {
  const DeviceAnomalies& device = input.device;
  if (sum.bubbles == 0) return "There is nothing to explain.";
  const std::string best =
      device.causes.empty()
          ? "insufficient_evidence"
          : fmt::format("{} ({} of the gap time)", name_of(device.causes.front().label),
                        share_text(device.causes.front().bubble_time, sum.bubbles));
  std::string_view verdict = "No";
  if (device.confidence == Confidence::kHigh)
    verdict = "For a family of causes, not for one culprit";
  if (device.confidence == Confidence::kMedium) verdict = "In part";
  std::string text = fmt::format(
      "{}: the leading label is {}, confidence {}. Launches are known for {} of the gap time, host "
      "events cover {} of it, {}.",
      verdict, best, name_of(device.confidence), share_text(sum.launch_known, sum.bubbles),
      share_text(sum.host_covered, sum.bubbles),
      sum.python_frames > 0 ? "Python frames were recorded" : "no Python frames were recorded");
  if (device.requires_host_followup) text += " The host must be looked at further.";
  return text;
}

}  // namespace

FiveAnswers five_answers(const FindingInput& input) {
  const DeviceSum sum = sum_up(input);
  return {.texts = {are_there(input, sum), where(input, sum), which_kind(input, sum),
                    host_risk(input, sum), is_enough(input, sum)}};
}

}  // namespace lockstep::analysis::anomalies

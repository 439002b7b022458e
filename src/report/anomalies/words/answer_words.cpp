// One function a question.
#include "report/anomalies/words/answer_words.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "report/anomalies/words/artefact_words.h"
#include "report/anomalies/words/word_parts.h"
#include "report/layout/quantities.h"

namespace lockstep::report::anomalies {
namespace {

using analysis::anomalies::BubbleScope;
using analysis::anomalies::Confidence;
using analysis::anomalies::DeviceAnomalies;
using analysis::anomalies::FiveAnswers;
using analysis::anomalies::HostVerdict;
using analysis::anomalies::IdlePattern;
using analysis::anomalies::IdleVerdict;
using analysis::anomalies::StepGroup;
using analysis::anomalies::Tag;

// An answer names no more steps than this.
constexpr std::size_t kMostNamedSteps = 5;

std::string artefact_answer(const trace::Trace& trace, const DeviceAnomalies& device) {
  const FiveAnswers& sum = device.answers;
  std::string because = ", because the work was not recorded";
  if (sum.longest_artefact) {
    const std::size_t count = device.artefacts.size();
    because = (count == 1 ? ", because " : fmt::format(": in the longest of {} gaps ", count)) +
              artefact_words(trace, device, device.artefacts[*sum.longest_artefact]);
  }
  return fmt::format(
      "No: the idle share of {} is an artefact{}. Without it the device idles {} of {} ({}).",
      share_words(sum.underfeed, sum.service), because, time_words(sum.judged()),
      time_words(sum.service), share_words(sum.judged(), sum.service));
}

// "Yes: 3 significant gaps take ..."
std::string gaps_answer(const DeviceAnomalies& device) {
  const FiveAnswers& sum = device.answers;
  std::string_view verdict = "Only small ones";
  if (sum.idle == IdleVerdict::kHigh) verdict = "Yes, though none is heavy by itself";
  if (sum.idle == IdleVerdict::kHeavy) verdict = "Yes";
  std::string text =
      fmt::format("{}: the device idles {} of {} ({}). {} {} {} of it", verdict,
                  time_words(sum.judged()), time_words(sum.service),
                  share_words(sum.judged(), sum.service), counted(sum.count, "significant gap"),
                  sum.count == 1 ? "takes" : "take", time_words(sum.bubbles));
  if (sum.heavy > 0) text += fmt::format(", {} {} heavy", sum.heavy, sum.heavy == 1 ? "is" : "are");
  const analysis::anomalies::Bubble& longest = device.bubbles[sum.longest];
  text += fmt::format("; the longest takes {} in {}.", time_words(longest.length().ps),
                      step_name(device.steps[longest.step]));
  if (2 * sum.copied >= sum.bubbles)
    text += fmt::format(" Copies run for {} of them.", share_words(sum.copied, sum.bubbles));
  return text;
}

std::string are_there(const trace::Trace& trace, const DeviceAnomalies& device) {
  const FiveAnswers& sum = device.answers;
  if (sum.idle == IdleVerdict::kNothingKnown) return "Nothing is known: the device ran no step.";
  if (sum.idle == IdleVerdict::kArtefact) return artefact_answer(trace, device);
  std::string text =
      sum.idle == IdleVerdict::kNone
          ? fmt::format("No: the device idles {} of {} ({}), and no gap is significant.",
                        time_words(sum.judged()), time_words(sum.service),
                        share_words(sum.judged(), sum.service))
          : gaps_answer(device);
  if (sum.stalled > 0)
    text += fmt::format(" Collectives that count as busy wait for another {} ({}).",
                        time_words(sum.stalled), share_words(sum.stalled, sum.service));
  if (sum.artefact > 0)
    text += fmt::format(" Another {} that look idle are an artefact.", time_words(sum.artefact));
  if (sum.edge > 0)
    text += fmt::format(" Another {} lie at the edge of the capture and are not judged.",
                        time_words(sum.edge));
  if (sum.dispatch > 0)
    text += fmt::format(" Gaps inside graph launches, {}, are counted apart.",
                        time_words(sum.dispatch));
  return text;
}

std::string names_of_steps(const DeviceAnomalies& device, const std::vector<std::uint32_t>& steps) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(steps.size(), kMostNamedSteps); ++i)
    names.push_back(step_label(device.steps[steps[i]]));
  if (steps.size() > kMostNamedSteps)
    names.push_back(fmt::format("{} more", steps.size() - kMostNamedSteps));
  return listed(names);
}

std::string where(const DeviceAnomalies& device) {
  const FiveAnswers& sum = device.answers;
  if (sum.bubbles == 0) return "In none: no step has a significant gap.";
  if (device.steps.size() == 1)
    return fmt::format("In {}, the only step ({}): it is idle for {}.",
                       step_name(device.steps.front()),
                       counted(device.groups.front().kernels, "kernel"),
                       layout::percent_of(device.groups.front().underfeed_ratio));
  const StepGroup& group = device.groups[sum.group];
  std::string text = fmt::format(
      "Group {} ({} of {}, such as {}) has {} of the gap time, {}; a step of it is idle for {} on "
      "average.",
      group.id, counted(group.steps.size(), "step"), counted(group.kernels, "kernel"),
      step_label(device.steps[group.steps.front()]), share_words(sum.group_bubbles, sum.bubbles),
      time_words(sum.group_bubbles), layout::percent_of(group.underfeed_ratio));
  if (!sum.outliers.empty())
    text += fmt::format(" {} {} out of the group.", names_of_steps(device, sum.outliers),
                        sum.outliers.size() == 1 ? "stands" : "stand");
  return text;
}

std::string_view pattern_words(IdlePattern pattern) {
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

std::string which_kind(const DeviceAnomalies& device) {
  if (device.groups.empty()) return "None: the device ran no step.";
  const StepGroup& group = device.groups[device.answers.group];
  const auto mean = [&](BubbleScope scope) {
    return time_words(device.answers.idle_by_scope.at(scope) /
                      static_cast<WideTime>(group.steps.size()));
  };
  return fmt::format(
      "{}: a step of group {} idles {} before its first kernel, {} between its kernels, {} after "
      "its last one and {} before the next step (means; a step takes {}).",
      pattern_words(group.pattern), group.id, mean(BubbleScope::kPrelaunch),
      mean(BubbleScope::kInternal), mean(BubbleScope::kTail), mean(BubbleScope::kInterStep),
      time_words(static_cast<WideTime>(group.service.mean_ps)));
}

std::string risk_words(Tag tag, std::uint64_t count, std::size_t steps) {
  if (count == 0) return "";
  return fmt::format(" {}: {} of {}.", name_of(tag), count, counted(steps, "step"));
}

std::string host_risk(const DeviceAnomalies& device) {
  const FiveAnswers& sum = device.answers;
  if (sum.host == HostVerdict::kNoGaps) return "No: no significant gap waits for the host.";
  const std::string tags =
      risk_words(Tag::kHostOriginatedRisk, sum.host_risk_steps, device.steps.size()) +
      risk_words(Tag::kUntracedHostBlockingRisk, sum.untraced_risk_steps, device.steps.size());
  if (sum.host == HostVerdict::kUnknown)
    return fmt::format(
        "Not known: the trace does not say who launched the kernels. Host events cover {} of the "
        "gap time.{}",
        share_words(sum.host_covered, sum.bubbles), tags);
  std::string_view verdict = "No";
  if (sum.host == HostVerdict::kHardly) verdict = "Hardly";
  if (sum.host == HostVerdict::kYes) verdict = "Yes";
  return fmt::format(
      "{}: in {} of the gap time the next kernel had not been launched yet, in {} it was queued "
      "already; recorded host events cover {}.{}",
      verdict, share_words(sum.host_part, sum.launch_known),
      share_words(sum.queued_part, sum.launch_known), share_words(sum.host_covered, sum.bubbles),
      tags);
}

std::string is_enough(const DeviceAnomalies& device) {
  const FiveAnswers& sum = device.answers;
  if (sum.bubbles == 0) return "There is nothing to explain.";
  const std::string best =
      device.causes.empty()
          ? "insufficient_evidence"
          : fmt::format("{} ({} of the gap time)", name_of(device.causes.front().label),
                        share_words(device.causes.front().bubble_time, sum.bubbles));
  std::string_view verdict = "No";
  if (device.confidence == Confidence::kHigh)
    verdict = "For a family of causes, not for one culprit";
  if (device.confidence == Confidence::kMedium) verdict = "In part";
  std::string text = fmt::format(
      "{}: the leading label is {}, confidence {}. Launches are known for {} of the gap time, host "
      "events cover {} of it, {}.",
      verdict, best, name_of(device.confidence), share_words(sum.launch_known, sum.bubbles),
      share_words(sum.host_covered, sum.bubbles),
      sum.python_frames > 0 ? "Python frames were recorded" : "no Python frames were recorded");
  if (device.requires_host_followup) text += " The host must be looked at further.";
  return text;
}

}  // namespace

AnswerWords answer_words(const trace::Trace& trace, const DeviceAnomalies& device) {
  return {are_there(trace, device), where(device), which_kind(device), host_risk(device),
          is_enough(device)};
}

}  // namespace lockstep::report::anomalies

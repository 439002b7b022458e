// From the fact to the guess.
#include "report/anomalies/words/bubble_words.h"

#include <algorithm>

#include <fmt/format.h>

#include "analysis/anomalies/verdict/finding_parts.h"
#include "base/text.h"
#include "report/anomalies/words/label_words.h"
#include "report/anomalies/words/word_parts.h"

namespace lockstep::report::anomalies {
namespace {

using analysis::anomalies::AnomalyStep;
using analysis::anomalies::Bubble;
using analysis::anomalies::BubbleScope;
using analysis::anomalies::DeviceTimeline;
using analysis::anomalies::LaunchStage;
using analysis::anomalies::SoftLabel;

std::string_view late_stage_words(LaunchStage stage) {
  switch (stage) {
    case LaunchStage::kHost:
      return "before the host came to the operator";
    case LaunchStage::kOperator:
      return "inside the operator, before its launch call";
    case LaunchStage::kTaskQueue:
      return "in the task queue between the host's threads";
    case LaunchStage::kCall:
      return "inside the launch call";
    case LaunchStage::kDevice:
      return "after the launch, queued on the device";
    case LaunchStage::kUnknown:
      break;
  }
  return "in a stage that the trace does not show";
}

// Times count from the trace's zero, as those of headings, JSON and --slice do.
std::string fact_text(const trace::Trace& trace, const DeviceTimeline& timeline,
                      const Bubble& bubble) {
  const std::string place = place_words(trace, timeline, bubble.kernel_before, bubble.kernel_after);
  return fmt::format("The device runs no kernel for {}, from {} on{}{}.",
                     time_words(bubble.length().ps), human_time(bubble.start),
                     place.empty() ? "" : ", ", place);
}

std::string launched_by(const trace::Trace& trace, const Bubble& bubble) {
  std::string text = event_words(trace, bubble.launch_call);
  if (bubble.launch_op != trace::kNoEvent) text += " in " + event_words(trace, bubble.launch_op);
  if (bubble.outermost_op != trace::kNoEvent && bubble.outermost_op != bubble.launch_op)
    text += " under " + event_words(trace, bubble.outermost_op);
  return text;
}

void add_split(const trace::Trace& trace, const Bubble& bubble, std::vector<std::string>& chain) {
  if (!bubble.has_launch) {
    chain.push_back("The trace does not say who launched the next kernel.");
    return;
  }
  if (bubble.queued_part.ps == 0) {
    chain.emplace_back(
        "All of it passes before the launch of the next kernel has returned: it waits for the "
        "host.");
  } else if (bubble.host_part.ps == 0) {
    chain.emplace_back(
        "The next kernel had been launched before it began: all of it is queueing, the host is not "
        "late.");
  } else {
    chain.push_back(fmt::format(
        "{} of it pass before the launch of the next kernel has returned (host part), {} after it "
        "(queued part).",
        time_words(bubble.host_part.ps), time_words(bubble.queued_part.ps)));
  }
  if (bubble.launch_call != trace::kNoEvent)
    chain.push_back(fmt::format("The next kernel is launched by {}.", launched_by(trace, bubble)));
  const Time late = bubble.stages[static_cast<std::size_t>(bubble.late_stage)];
  if (bubble.late_stage != LaunchStage::kUnknown && late.ps > 0)
    chain.push_back(fmt::format("Most of it, {}, goes by {}.", time_words(late.ps),
                                late_stage_words(bubble.late_stage)));
}

void add_coverage(const trace::Trace& trace, const Bubble& bubble,
                  std::vector<std::string>& chain) {
  if (bubble.inside_op != trace::kNoEvent)
    chain.push_back(
        fmt::format("The host is inside {} for most of it.", event_words(trace, bubble.inside_op)));
  const WideTime length = bubble.length().ps;
  chain.push_back(fmt::format(
      "Recorded host events cover {} of it, synchronising and copying calls {}, communication "
      "calls "
      "{}, Python frames {}; copies run for {}.",
      share_words(bubble.host_covered.ps, length), share_words(bubble.sync_covered.ps, length),
      share_words(bubble.comm_covered.ps, length), share_words(bubble.python_covered.ps, length),
      share_words(bubble.copied.ps, length)));
  std::vector<std::string> names;
  for (const trace::EventId event : bubble.evidence_ops) {
    std::string name = event_words(trace, event);
    if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
  }
  if (!names.empty()) chain.push_back(fmt::format("Longest host events in it: {}.", listed(names)));
}

std::string slow_operator_words(std::string_view name) {
  return fmt::format(
      "{} itself takes that time before it launches: it builds a plan, compiles for a new shape, "
      "searches for the fastest kernel or allocates memory.",
      name);
}

}  // namespace

std::string gap_words(BubbleScope scope, const AnomalyStep& step) {
  const std::string name = step_name(step);
  switch (scope) {
    case BubbleScope::kPrelaunch:
      return "before the first kernel of " + name;
    case BubbleScope::kInternal:
      return "inside " + name;
    case BubbleScope::kTail:
      return "after the last kernel of " + name;
    case BubbleScope::kInterStep:
      break;
  }
  return fmt::format("between {} and the next step", name);
}

std::vector<std::string> bubble_evidence(const trace::Trace& trace, const DeviceTimeline& timeline,
                                         const Bubble& bubble) {
  std::vector<std::string> chain = {fact_text(trace, timeline, bubble)};
  add_split(trace, bubble, chain);
  add_coverage(trace, bubble, chain);
  if (bubble.touches_edge) return chain;
  if (analysis::anomalies::is_slow_operator(bubble)) {
    chain.push_back(
        fmt::format("Possible: {}", slow_operator_words(event_words(trace, bubble.inside_op))));
  }
  if (!bubble.labels.empty()) chain.push_back(label_words(bubble.labels));
  for (const SoftLabel label : members_of(bubble.labels)) chain.emplace_back(check_of(label));
  return chain;
}

}  // namespace lockstep::report::anomalies

// Words for facts and guesses, one home for both.
#include "analysis/anomalies/verdict/finding_texts.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "analysis/kernels/function_name.h"
#include "base/text.h"

namespace lockstep::analysis::anomalies {
namespace {

constexpr std::size_t kLongestName = 64;

struct LabelText {
  std::string_view meaning;
  std::string_view check;
};

constexpr std::array<LabelText, kSoftLabelCount> kLabelTexts = {{
    {"the host synchronises or copies between host and device",
     "Look at the calls named above: who asks for the value or the copy, and whether it can wait."},
    {"communication holds the device up: a call waits for a peer",
     "Compare the ranks: the one that enters the collective last is the one to look at."},
    {"the host is blocked where the profiler sees nothing: asleep, waiting for a lock, for input "
     "or "
     "output, or collecting garbage",
     "Sample the host's threads during the gap (py-spy dump, perf sched, nsys --trace=osrt) or "
     "record Python stacks."},
    {"the host is busy but launches too late",
     "Look at what the host runs before the late launch; record Python stacks to see whose code it "
     "is."},
    {"one host thread does all the work, in Python or behind a lock",
     "Sample the threads with the interpreter lock in view (py-spy --gil) and look for garbage "
     "collection."},
    {"insufficient evidence: what was recorded points nowhere",
     "Record host operators, runtime calls and Python stacks in one capture."},
}};

const LabelText& text_of(SoftLabel label) { return kLabelTexts[static_cast<std::size_t>(label)]; }

std::vector<SoftLabel> members_of(SoftLabels labels) {
  std::vector<SoftLabel> members;
  for (std::size_t i = 0; i < kSoftLabelCount; ++i) {
    if (labels.has(static_cast<SoftLabel>(i))) members.push_back(static_cast<SoftLabel>(i));
  }
  return members;
}

// "at::native::(anonymous namespace)::kernel" -> "kernel"
std::string_view without_namespaces(std::string_view name) {
  const std::size_t at = name.rfind("::", name.find('<'));
  return at == std::string_view::npos ? name : name.substr(at + 2);
}

std::string_view stage_text(LaunchStage stage) {
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
  const std::string place = place_text(trace, timeline, bubble.kernel_before, bubble.kernel_after);
  return fmt::format("The device runs no kernel for {}, from {} on{}{}.",
                     time_text(bubble.length().ps), human_time(bubble.start),
                     place.empty() ? "" : ", ", place);
}

std::string launched_by(const trace::Trace& trace, const Bubble& bubble) {
  std::string text = event_text(trace, bubble.launch_call);
  if (bubble.launch_op != trace::kNoEvent) text += " in " + event_text(trace, bubble.launch_op);
  if (bubble.outermost_op != trace::kNoEvent && bubble.outermost_op != bubble.launch_op)
    text += " under " + event_text(trace, bubble.outermost_op);
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
        time_text(bubble.host_part.ps), time_text(bubble.queued_part.ps)));
  }
  if (bubble.launch_call != trace::kNoEvent)
    chain.push_back(fmt::format("The next kernel is launched by {}.", launched_by(trace, bubble)));
  const Time late = bubble.stages[static_cast<std::size_t>(bubble.late_stage)];
  if (bubble.late_stage != LaunchStage::kUnknown && late.ps > 0)
    chain.push_back(fmt::format("Most of it, {}, goes by {}.", time_text(late.ps),
                                stage_text(bubble.late_stage)));
}

void add_coverage(const trace::Trace& trace, const Bubble& bubble,
                  std::vector<std::string>& chain) {
  if (bubble.inside_op != trace::kNoEvent)
    chain.push_back(
        fmt::format("The host is inside {} for most of it.", event_text(trace, bubble.inside_op)));
  const WideTime length = bubble.length().ps;
  chain.push_back(fmt::format(
      "Recorded host events cover {} of it, synchronising and copying calls {}, communication "
      "calls "
      "{}, Python frames {}; copies run for {}.",
      share_text(bubble.host_covered.ps, length), share_text(bubble.sync_covered.ps, length),
      share_text(bubble.comm_covered.ps, length), share_text(bubble.python_covered.ps, length),
      share_text(bubble.copied.ps, length)));
  std::vector<std::string> names;
  for (const trace::EventId event : bubble.evidence_ops) {
    std::string name = event_text(trace, event);
    if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
  }
  if (!names.empty()) chain.push_back(fmt::format("Longest host events in it: {}.", listed(names)));
}

}  // namespace

std::string time_text(WideTime ps) {
  constexpr WideTime kMost = 0x7FFF'FFFF'FFFF'FFFF;
  return human_time(Time{static_cast<std::int64_t>(std::clamp(ps, -kMost, kMost))});
}

std::string share_text(WideTime part, WideTime whole) {
  const double share = whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0.0;
  return fmt::format("{:.1f} %", 100 * share);
}

std::string listed(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " and " : ", ";
    text += words[i];
  }
  return text;
}

std::string short_name(std::string_view name) {
  constexpr std::string_view kResult = "void ";
  const std::string text = demangled(name);
  // "Memcpy HtoD (Pageable -> Device)" has no parameters.
  const bool is_function = text.find("->") == std::string::npos;
  std::string_view rest = is_function ? kernels::without_parameters(text) : std::string_view(text);
  if (rest.starts_with(kResult)) rest.remove_prefix(kResult.size());
  while (rest.ends_with(' ')) rest.remove_suffix(1);
  std::string result(rest);
  if (result.size() > kLongestName) {
    const std::size_t from = kernels::template_start(rest);
    if (from != std::string_view::npos) result = std::string(rest.substr(0, from)) + "<...>";
  }
  if (result.size() > kLongestName) result = without_namespaces(result);
  if (result.size() > kLongestName) result = result.substr(0, kLongestName - 3) + "...";
  return valid_utf8(result);
}

std::string kernel_text(const trace::Trace& trace, const DeviceTimeline& timeline,
                        std::uint32_t kernel) {
  return kernel == kNoKernel ? "" : short_name(trace.text(timeline.kernels[kernel].name));
}

std::string event_text(const trace::Trace& trace, trace::EventId event) {
  return event == trace::kNoEvent
             ? ""
             : short_name(trace.text(trace.events.name[trace::index_of(event)]));
}

std::string place_text(const trace::Trace& trace, const DeviceTimeline& timeline,
                       std::uint32_t before, std::uint32_t after) {
  const std::string first = kernel_text(trace, timeline, before);
  const std::string second = kernel_text(trace, timeline, after);
  if (!first.empty() && !second.empty()) return fmt::format("between {} and {}", first, second);
  if (!second.empty()) return "before " + second;
  if (!first.empty()) return "after " + first;
  return "";
}

std::string step_text(const AnomalyStep& step) {
  return step.window == StepWindow::kPseudo ? "the capture" : step.name;
}

bool is_slow_operator(const Bubble& bubble) {
  return bubble.late_stage == LaunchStage::kOperator && bubble.inside_op != trace::kNoEvent &&
         bubble.labels.has(SoftLabel::kUntracedHostBlocking);
}

std::string slow_operator_text(std::string_view name) {
  return fmt::format(
      "{} itself takes that time before it launches: it builds a plan, compiles for a new shape, "
      "searches for the fastest kernel or allocates memory.",
      name);
}

std::string gap_text(BubbleScope scope, const AnomalyStep& step) {
  const std::string name = step_text(step);
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

std::string_view meaning_of(SoftLabel label) { return text_of(label).meaning; }
std::string_view check_of(SoftLabel label) { return text_of(label).check; }

std::string labels_text(SoftLabels labels) {
  std::string text;
  for (const SoftLabel label : members_of(labels)) {
    if (!text.empty()) text += "; ";
    text += meaning_of(label);
  }
  if (text.empty()) return "";
  const bool is_unknown = labels == SoftLabels{SoftLabel::kInsufficientEvidence};
  return is_unknown ? fmt::format("Cause: {}.", text) : fmt::format("Possible: {}.", text);
}

std::vector<std::string> bubble_evidence(const trace::Trace& trace, const DeviceTimeline& timeline,
                                         const Bubble& bubble) {
  std::vector<std::string> chain = {fact_text(trace, timeline, bubble)};
  add_split(trace, bubble, chain);
  add_coverage(trace, bubble, chain);
  if (bubble.touches_edge) return chain;
  if (is_slow_operator(bubble)) {
    chain.push_back(
        fmt::format("Possible: {}", slow_operator_text(event_text(trace, bubble.inside_op))));
  }
  if (!bubble.labels.empty()) chain.push_back(labels_text(bubble.labels));
  for (const SoftLabel label : members_of(bubble.labels)) chain.emplace_back(check_of(label));
  return chain;
}

}  // namespace lockstep::analysis::anomalies

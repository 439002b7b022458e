// Times, shares, lists, names and places.
#include "report/anomalies/words/word_parts.h"

#include <fmt/format.h>

#include "analysis/kernels/short_name.h"
#include "report/layout/quantities.h"

namespace lockstep::report::anomalies {

std::string time_words(WideTime ps) { return layout::human_time_of(ps); }

std::string share_words(WideTime part, WideTime whole) {
  return whole > 0 ? layout::share_of(part, whole) : "0.0 %";
}

std::string listed(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " and " : ", ";
    text += words[i];
  }
  return text;
}

std::string listed(std::span<const analysis::anomalies::NamedTime> names) {
  std::vector<std::string_view> whole;
  for (const analysis::anomalies::NamedTime& one : names) whole.push_back(one.name);
  const std::vector<std::string> told = analysis::kernels::telling_names(whole);
  std::vector<std::string> words;
  for (std::size_t i = 0; i < names.size(); ++i)
    words.push_back(fmt::format("{} ({})", told[i], time_words(names[i].time)));
  return listed(words);
}

std::string kernel_words(const trace::Trace& trace,
                         const analysis::anomalies::DeviceTimeline& timeline,
                         std::uint32_t kernel) {
  if (kernel == analysis::anomalies::kNoKernel) return "";
  return analysis::kernels::short_name(trace.text(timeline.kernels[kernel].name));
}

std::string event_words(const trace::Trace& trace, trace::EventId event) {
  if (event == trace::kNoEvent) return "";
  return analysis::kernels::short_name(trace.text(trace.events.name[trace::index_of(event)]));
}

std::string place_words(const trace::Trace& trace,
                        const analysis::anomalies::DeviceTimeline& timeline, std::uint32_t before,
                        std::uint32_t after) {
  const std::string first = kernel_words(trace, timeline, before);
  const std::string second = kernel_words(trace, timeline, after);
  if (!first.empty() && !second.empty()) return fmt::format("between {} and {}", first, second);
  if (!second.empty()) return "before " + second;
  if (!first.empty()) return "after " + first;
  return "";
}

std::string step_label(const analysis::anomalies::AnomalyStep& step) {
  const bool has_phase = step.phase != analysis::cycles::PhaseName::kUnknown;
  switch (step.window) {
    case analysis::anomalies::StepWindow::kHost:
      return step.marker;
    case analysis::anomalies::StepWindow::kDevice:
      return fmt::format("{} {}", has_phase ? name_of(step.phase) : "pass", step.number);
    case analysis::anomalies::StepWindow::kPseudo:
      break;
  }
  return "capture";
}

std::string step_name(const analysis::anomalies::AnomalyStep& step) {
  const bool is_capture = step.window == analysis::anomalies::StepWindow::kPseudo;
  return (is_capture ? "the " : "") + step_label(step);
}

}  // namespace lockstep::report::anomalies

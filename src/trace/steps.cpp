// Recognition of step markers.
#include "trace/steps.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <vector>

namespace lockstep {

bool is_step_name(std::string_view name) {
  static constexpr std::array<std::string_view, 3> kPrefixes = {"ProfilerStep#", "Iteration#",
                                                                "Step#"};
  if (name == "StepTraceAnnotation") return true;
  for (const std::string_view prefix : kPrefixes) {
    if (!name.starts_with(prefix)) continue;
    const std::string_view number = name.substr(prefix.size());
    return !number.empty() &&
           std::ranges::all_of(number, [](char c) { return c >= '0' && c <= '9'; });
  }
  return false;
}

void collect_marked_steps(Trace& trace, std::size_t first_row, RankId rank) {
  const EventTable& events = trace.events;
  std::vector<std::int8_t> is_step(trace.strings.size(), -1);  // by StringId; -1: not looked at yet
  for (std::size_t i = first_row; i < events.size(); ++i) {
    std::int8_t& known = is_step[static_cast<std::size_t>(events.name[i])];
    if (known < 0) known = is_step_name(trace.text(events.name[i])) ? 1 : 0;
    if (known == 0 || events.shape[i] != Shape::kSpan || trace.on_device(i)) continue;
    trace.steps.push_back({events.name[i], rank, events.start[i], events.end(i)});
  }
  const auto key = [](const Step& step) {
    return std::tuple(step.rank, step.start, step.end, step.name);
  };
  std::ranges::sort(trace.steps, {}, key);
  // Some profilers write a marker twice, as an annotation and as an operator.
  const auto repeated = std::ranges::unique(trace.steps, {}, key);
  trace.steps.erase(repeated.begin(), repeated.end());
}

}  // namespace lockstep

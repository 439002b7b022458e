// Recognition of step markers.
#include "trace/steps.h"

#include <algorithm>
#include <array>
#include <tuple>

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
  for (std::size_t i = first_row; i < events.size(); ++i) {
    if (events.kind[i] != Kind::kAnnotation || events.shape[i] != Shape::kSpan) continue;
    if (trace.on_device(i) || !is_step_name(trace.text(events.name[i]))) continue;
    trace.steps.push_back({events.name[i], rank, events.start[i], events.end(i)});
  }
  std::ranges::sort(trace.steps, [](const Step& a, const Step& b) {
    return std::tuple(a.rank, a.start, a.end, a.name) < std::tuple(b.rank, b.start, b.end, b.name);
  });
}

}  // namespace lockstep

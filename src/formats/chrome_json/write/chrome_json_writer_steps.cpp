// Steps of tables, told from those that events mark.
#include "formats/chrome_json/write/chrome_json_writer_steps.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <tuple>

#include "formats/chrome_json/parse/argument_values.h"
#include "trace/steps.h"

namespace lockstep::formats::chrome_json {
namespace {

using StepKey = std::tuple<std::string, Time, Time>;

// What the host events of a trace mark, as readers of Chrome JSON see it.
struct HostMarks {
  std::set<StepKey> steps;
  std::set<StepKey> ranges;  // of the same names and times as steps, but for readers no steps yet
};

std::string text_of(const trace::Trace& trace, const trace::Argument& argument) {
  if (argument.type == trace::Argument::Type::kInteger) {
    return std::to_string(argument.as_integer());
  }
  const bool is_text = argument.type == trace::Argument::Type::kString ||
                       argument.type == trace::Argument::Type::kJson;
  return is_text ? std::string(trace.text(argument.as_string())) : std::string();
}

// The step that an annotation marks by an argument; empty when by none.
std::string name_by_argument(const trace::Trace& trace, std::size_t row) {
  const std::string_view name = trace.text(trace.events.name[row]);
  for (const trace::Argument& argument :
       trace.arguments.of(trace::EventId{static_cast<std::uint32_t>(row)})) {
    const std::string_view key = trace.text(argument.key);
    if (key == kStepKey) return std::string(name);
    if (key == kStepNumberKey) return std::string(name) + "#" + text_of(trace, argument);
  }
  return {};
}

HostMarks host_marks(const trace::Trace& trace) {
  const trace::EventTable& events = trace.events;
  std::set<StringId> names;
  for (const trace::Step& step : trace.steps) names.insert(step.name);
  HostMarks marks;
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (events.shape[i] != trace::Shape::kSpan || trace.on_device(i)) continue;
    if (trace.text(events.category[i]) == trace::kOwnAnnotationCategory) continue;
    const bool is_annotation = events.kind[i] == trace::Kind::kAnnotation;
    const std::string told = is_annotation ? name_by_argument(trace, i) : std::string();
    if (!told.empty()) marks.steps.emplace(told, events.start[i], events.end(i));
    if (!names.contains(events.name[i])) continue;
    const std::string name(trace.text(events.name[i]));
    const bool is_step = trace::is_step_name(name);
    if (!is_step && !is_annotation) continue;
    (is_step ? marks.steps : marks.ranges).emplace(name, events.start[i], events.end(i));
  }
  return marks;
}

}  // namespace

bool can_be_written(const trace::Step& step) {
  return step.start.ps >= -kMaxDistanceFromOriginPs && step.start <= step.end &&
         step.end.ps <= kMaxDistanceFromOriginPs;
}

std::vector<std::size_t> unmarked_steps(const trace::Trace& trace) {
  if (trace.steps.empty()) return {};
  const HostMarks marks = host_marks(trace);
  std::vector<std::size_t> unmarked;
  bool are_ranges = true;
  for (std::size_t s = 0; s < trace.steps.size(); ++s) {
    const trace::Step& step = trace.steps[s];
    if (!can_be_written(step)) continue;
    const StepKey key(trace.text(step.name), step.start, step.end);
    if (marks.steps.contains(key)) continue;
    unmarked.push_back(s);
    are_ranges &= marks.ranges.contains(key);
  }
  // Ranges that people numbered are steps where nothing else is: they are found again by
  // themselves.
  if (are_ranges && unmarked.size() == trace.steps.size()) return {};
  return unmarked;
}

}  // namespace lockstep::formats::chrome_json

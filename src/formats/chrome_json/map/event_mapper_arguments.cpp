// What the arguments of events say: links, collectives, tasks, steps, names of lanes.
#include "formats/chrome_json/defects.h"
#include "formats/chrome_json/map/event_mapper.h"
#include "formats/chrome_json/parse/argument_values.h"
#include "formats/chrome_json/scan/json_text.h"
#include "trace/collective_names.h"

namespace lockstep::formats::chrome_json {
namespace {

// Of the value of an argument that must be a number: none, one that is too large, or a list or
// object, which is passed over where arguments are not kept.
bool may_be_number(std::string_view json) {
  return says_no_value(json) || is_nested(json) ||
         without_quotes(json).find_first_not_of("-0123456789") == std::string_view::npos;
}

}  // namespace

const RawArgument* EventMapper::find_argument(std::string_view key) const {
  return chrome_json::find_argument(arguments_, key);
}

// Correlation of calls and device work; doubles among the External ids of operators.
void EventMapper::note_links(const RawEvent& event, trace::Event& row) {
  if (row.kind == trace::Kind::kHostOp && meaning(row.category).known) {
    const RawArgument* external = find_argument("External id");
    if (external == nullptr) external = find_argument("external id");
    if (external == nullptr) return;
    const auto id = whole_number(external->value);
    if (id && *id > 0 && row.shape == trace::Shape::kSpan && !external_ids_.insert(*id)) {
      diagnostics_.add(kDuplicateExternalId, Place::byte(event.offset));
    }
    return;
  }
  const RawArgument* correlation = find_argument("correlation");
  if (correlation == nullptr) correlation = find_argument("correlation_id");
  if (correlation == nullptr && row.category == kEmptyString) {
    correlation = find_argument("connection_id");  // Ascend's
  }
  if (correlation == nullptr) return;
  const auto number = whole_number(correlation->value);
  if (number && *number > 0) row.correlation = *number;
  // Of other categories, and under other names, it may be anything.
  const shared::CategoryMeaning what = meaning(row.category);
  const bool must_be_number =
      what.known &&
      (what.kind == trace::Kind::kRuntimeCall || what.side == trace::Track::Side::kDevice) &&
      correlation->key == "correlation";
  if (must_be_number && !number && !may_be_number(correlation->value)) {
    diagnostics_.add(kWrongType, Place::byte(event.offset));
  }
}

// Kineto's events name their device, whatever became of the id of its process.
void EventMapper::note_device(trace::TrackId track) {
  const RawArgument* const device = find_argument("device");
  if (device == nullptr) return;
  // Almost always that of the event before.
  if (track == last_device_track_ && device->value == last_device_) return;
  last_device_track_ = track;
  last_device_ = device->value;
  const auto number = whole_number(device->value);
  constexpr std::int64_t kMaxDevice = 1'000'000;
  if (number && *number >= 0 && *number <= kMaxDevice) process_notes_.add_device(track, *number);
}

void EventMapper::note_collective(trace::EventId row) {
  trace::Collective collective;
  collective.event = row;
  const auto text = [&](std::string_view key) {
    const RawArgument* argument = find_argument(key);
    return argument == nullptr ? std::string() : text_value(argument->value);
  };
  const auto number = [&](std::string_view key) {
    const RawArgument* argument = find_argument(key);
    return argument == nullptr ? std::nullopt : whole_number(argument->value);
  };
  std::string_view op = trace::collective_op(text("Collective name"));
  if (op == "unknown")
    op = trace::collective_op(trace_.text(trace_.events.name[trace::index_of(row)]));
  collective.op = trace_.strings.intern(op);
  collective.group = trace_.strings.intern(text("Process Group Name"));
  collective.dtype = trace_.strings.intern(text("dtype"));
  collective.sequence = number("Seq");
  collective.elements_in = number("In msg nelems");
  collective.elements_out = number("Out msg nelems");
  trace_.collectives.push_back(collective);
}

// JAX's StepTraceAnnotation: any name, with the number of the step as an argument. JAX gives it no
// category, our writer that of an annotation. Steps of tables are annotations of our writer's.
StringId EventMapper::step_name(const trace::Event& row) {
  const bool is_annotation = row.kind == trace::Kind::kAnnotation &&
                             meaning(row.category).side == trace::Track::Side::kHost;
  if (row.category != kEmptyString && !is_annotation) return kEmptyString;
  const RawArgument* number = find_argument(kStepNumberKey);
  if (number == nullptr) return find_argument(kStepKey) != nullptr ? row.name : kEmptyString;
  const std::string name = std::string(trace_.text(row.name)) + "#" + text_value(number->value);
  return trace_.strings.intern(name);
}

std::span<const trace::Argument> EventMapper::kept_arguments(const RawEvent& event) {
  kept_.clear();
  if (keep_arguments_ == trace::KeepArguments::kNone) return kept_;
  const bool keeps_all = keep_arguments_ == trace::KeepArguments::kAll;
  if (!keeps_all && !event.has_evidence) return kept_;
  for (const RawArgument& raw : arguments_) {
    if (!keeps_all && trace::role_of_argument(raw.key) == trace::ArgumentRole::kNone) continue;
    auto argument = typed_argument(raw, trace_.strings);
    if (!argument) continue;
    // Evidence has not been checked to be JSON.
    if (!keeps_all && argument->type == trace::Argument::Type::kJson) {
      argument->type = trace::Argument::Type::kString;
    }
    kept_.push_back(*argument);
  }
  return kept_;
}

void EventMapper::map_metadata(const RawEvent& event) {
  const auto value = [&](std::string_view key) { return find_argument(key); };
  const std::string_view what = event[Field::kName].text();
  if (const RawArgument* name = value("name"); name != nullptr && what == "process_name") {
    tracks_.name_process(event[Field::kPid], text_value(name->value));
  } else if (name != nullptr && what == "thread_name") {
    tracks_.name_thread(event[Field::kPid], event[Field::kTid], text_value(name->value));
  } else if (const RawArgument* labels = value("labels"); what == "process_labels" && labels) {
    tracks_.label_process(event[Field::kPid], text_value(labels->value));
  } else if (const RawArgument* index = value("sort_index"); index != nullptr) {
    const auto number = whole_number(index->value);
    if (number && what == "process_sort_index") tracks_.sort_process(event[Field::kPid], *number);
    if (number && what == "thread_sort_index")
      tracks_.sort_thread(event[Field::kPid], event[Field::kTid], *number);
  }
  if (what.starts_with("process_")) {
    const trace::ProcessId process = tracks_.process(event[Field::kPid]);
    process_notes_.add(process, trace_.processes[trace::index_of(process)]);
  }
}

}  // namespace lockstep::formats::chrome_json

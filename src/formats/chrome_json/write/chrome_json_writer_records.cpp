// The records of a Chrome JSON file: metadata events, events, flows.
#include "formats/chrome_json/write/chrome_json_writer_records.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/json_quote.h"
#include "formats/chrome_json/parse/argument_values.h"
#include "formats/chrome_json/write/chrome_json_writer_categories.h"
#include "formats/chrome_json/write/chrome_json_writer_links.h"
#include "formats/chrome_json/write/chrome_json_writer_steps.h"
#include "formats/shared/event_categories.h"
#include "trace/collective_names.h"

namespace lockstep::formats::chrome_json {
namespace {

// The arguments in which readers look for the correlation; JAX writes the second.
bool is_correlation_key(std::string_view key) {
  return key == "correlation" || key == "correlation_id";
}

// In place of those where readers would join what the trace does not.
constexpr std::string_view kHiddenKey = "correlation of its process";

// `, "KEY": "TEXT"`
std::string string_member(std::string_view key, std::string_view text) {
  io::MemorySink quoted;
  JsonOutput out(quoted);
  out.string(text);
  static_cast<void>(out.finish());  // memory does not fail
  return ", \"" + std::string(key) + "\": " + quoted.bytes();
}

// `, "KEY": ID`; nothing for an id that the file left out.
std::string id_member(const trace::Trace& trace, std::string_view key, const trace::FileId& id) {
  const std::string_view text = trace.text(id.text);
  if (id.is_number && text.empty()) return {};
  if (!id.is_number || !is_json_number(text)) return string_member(key, text);
  return ", \"" + std::string(key) + "\": " + std::string(text);
}

}  // namespace

ChromeRecordWriter::ChromeRecordWriter(const trace::Trace& trace, ChromeDialect dialect,
                                       const ChromeTimeBase& times, JsonOutput& out)
    : trace_(trace),
      dialect_(dialect),
      times_(times),
      out_(out),
      plain_(trace.strings.size(), Plain::kUnknown) {
  for (const trace::Process& process : trace.processes) {
    process_ids_.push_back(id_member(trace, "pid", process.id));
  }
  for (const trace::Track& track : trace.tracks) {
    track_ids_.push_back(process_ids_[trace::index_of(track.process)] +
                         id_member(trace, "tid", track.id));
  }
  if (dialect != ChromeDialect::kForeign) return;
  place_streams_on_devices();
  misleads_ = misleading_correlations(trace);
}

// Kineto's streams are threads of a process that is the device. Two processes that launch on the
// same stream of a device need two lanes there.
void ChromeRecordWriter::place_streams_on_devices() {
  std::set<std::string> used;
  for (std::size_t t = 0; t < trace_.tracks.size(); ++t) {
    const trace::Track& track = trace_.tracks[t];
    if (track.side != trace::Track::Side::kDevice) continue;
    const trace::FileId device{trace_.devices[trace::index_of(track.device)].id, true};
    const std::string pid = id_member(trace_, "pid", device);
    std::string ids = pid + id_member(trace_, "tid", track.id);
    if (!used.insert(ids).second) {
      const std::string_view process =
          trace_.text(trace_.processes[trace::index_of(track.process)].id.text);
      const std::string lane = std::string(trace_.text(track.id.text)) + " of process " +
                               std::string(process) + " track " + std::to_string(t);
      ids = pid + string_member("tid", lane);
      used.insert(ids);
    }
    track_ids_[t] = std::move(ids);
  }
}

void ChromeRecordWriter::write() {
  write_origin();
  write_processes();
  write_tracks();
  for (std::size_t i = 0; i < trace_.events.size() && !out_.failed(); ++i) write_event(i);
  write_steps();
  write_flows();
}

// On a lane of their own: no thread has marked them. Those of Chrome JSON were events, which a
// selection may have left out.
void ChromeRecordWriter::write_steps() {
  if (dialect_ != ChromeDialect::kForeign) return;
  const std::string_view pid =
      process_ids_.empty() ? std::string_view(", \"pid\": 0") : process_ids_[0];
  for (const std::size_t s : unmarked_steps(trace_)) {
    const trace::Step& step = trace_.steps[s];
    begin_record("{\"ph\": \"X\", \"cat\": \"user_annotation\", \"name\": ");
    write_string(step.name);
    out_.raw(pid);
    out_.raw(", \"tid\": \"steps\"");
    write_time(step.start);
    out_.raw(", \"dur\": ");
    out_.microseconds(0, step.end - step.start);
    out_.raw(", \"args\": {");
    out_.plain_string(kStepKey);
    out_.raw(": true}}");
  }
}

// Readers take the first timestamp of a file as its origin. The first event may lie later, so a
// record that means nothing else says it.
void ChromeRecordWriter::write_origin() {
  std::size_t named = 0;
  while (named < trace_.processes.size() && trace_.processes[named].name == kEmptyString) ++named;
  if (named == trace_.processes.size()) named = 0;  // an empty name is as good as none
  const bool has_process = !trace_.processes.empty();
  const std::string_view ids = has_process ? std::string_view(process_ids_[named]) : ", \"pid\": 0";
  const StringId name = has_process ? trace_.processes[named].name : kEmptyString;
  write_metadata_event("process_name", ids, "name", [&] { write_string(name); }, true);
}

void ChromeRecordWriter::write_processes() {
  for (std::size_t p = 0; p < trace_.processes.size(); ++p) {
    const trace::Process& process = trace_.processes[p];
    write_name("process_name", process_ids_[p], "name", process.name);
    write_name("process_labels", process_ids_[p], "labels", process.labels);
    if (process.sort_index) {
      write_sort_index("process_sort_index", process_ids_[p], *process.sort_index);
    }
  }
}

void ChromeRecordWriter::write_tracks() {
  for (std::size_t t = 0; t < trace_.tracks.size(); ++t) {
    const trace::Track& track = trace_.tracks[t];
    write_name("thread_name", track_ids_[t], "name", track.name);
    if (track.sort_index) write_sort_index("thread_sort_index", track_ids_[t], *track.sort_index);
  }
}

void ChromeRecordWriter::begin_record(std::string_view start) {
  out_.raw(has_records_ ? ",\n    " : "\n    ");
  out_.raw(start);
  has_records_ = true;
}

template <typename WriteValue>
void ChromeRecordWriter::write_metadata_event(std::string_view what, std::string_view ids,
                                              std::string_view key, WriteValue write_value,
                                              bool at_origin) {
  begin_record("{\"ph\": \"M\", \"name\": ");
  out_.plain_string(what);
  out_.raw(ids);
  if (at_origin) {
    out_.raw(", \"ts\": ");
    out_.microseconds(times_.offset_ns, Time{});
  }
  out_.raw(", \"args\": {");
  out_.plain_string(key);
  out_.raw(": ");
  write_value();
  out_.raw("}}");
}

void ChromeRecordWriter::write_name(std::string_view what, std::string_view ids,
                                    std::string_view key, StringId name) {
  if (name == kEmptyString) return;
  write_metadata_event(what, ids, key, [&] { write_string(name); });
}

void ChromeRecordWriter::write_sort_index(std::string_view what, std::string_view ids,
                                          std::int64_t index) {
  write_metadata_event(what, ids, "sort_index", [&] { out_.integer(index); });
}

void ChromeRecordWriter::write_event(std::size_t i) {
  const trace::EventTable& events = trace_.events;
  switch (events.shape[i]) {
    case trace::Shape::kSpan:
      begin_record("{\"ph\": \"X\"");
      break;
    case trace::Shape::kInstant:
      begin_record("{\"ph\": \"i\", \"s\": \"t\"");
      break;
    case trace::Shape::kCounter:
      begin_record("{\"ph\": \"C\"");
      break;
  }
  write_category(i);
  out_.raw(", \"name\": ");
  write_string(events.name[i]);
  out_.raw(track_ids_[trace::index_of(events.track[i])]);
  write_time(events.start[i]);
  if (events.shape[i] == trace::Shape::kSpan) {
    out_.raw(", \"dur\": ");
    out_.microseconds(0, events.duration[i]);
  }
  write_arguments(i);
  out_.raw("}");
}

void ChromeRecordWriter::write_category(std::size_t i) {
  const StringId category = trace_.events.category[i];
  const bool is_foreign = dialect_ == ChromeDialect::kForeign;
  if (category != kEmptyString && (!is_foreign || says_what_it_is(i))) {
    out_.raw(", \"cat\": ");
    return write_string(category);
  }
  if (!is_foreign) return;
  const bool on_device = trace_.on_device(i);
  const trace::Kind kind = trace_.events.kind[i];
  std::string_view word = kineto_category(kind, on_device);
  // Kineto calls a collective a kernel and knows it by its name.
  if (on_device && kind == trace::Kind::kCommunication &&
      !trace::is_collective_kernel(trace_.text(trace_.events.name[i]))) {
    word = "collective_comm";
  }
  if (word.empty()) return;
  out_.raw(", \"cat\": ");
  out_.plain_string(word);
}

// Whether readers of Chrome JSON take the category of an event for what the event is.
bool ChromeRecordWriter::says_what_it_is(std::size_t i) const {
  const shared::CategoryMeaning meaning =
      shared::meaning_of_category(trace_.text(trace_.events.category[i]));
  const trace::Kind kind = trace_.events.kind[i];
  const trace::Kind told = shared::kind_of_event(meaning, trace_.text(trace_.events.name[i]));
  const bool is_named_collective =
      kind == trace::Kind::kCommunication && told == trace::Kind::kKernel;
  return meaning.known && (told == kind || is_named_collective) &&
         (meaning.side == trace::Track::Side::kDevice) == trace_.on_device(i);
}

void ChromeRecordWriter::write_time(Time time) {
  out_.raw(", \"ts\": ");
  out_.microseconds(times_.offset_ns, time);
}

void ChromeRecordWriter::write_arguments(std::size_t i) {
  const auto arguments = trace_.arguments.of(trace::EventId{static_cast<std::uint32_t>(i)});
  const std::int64_t correlation = trace_.events.correlation[i];
  const bool is_hidden = misleads(i);
  bool add_correlation = correlation != trace::kNoCorrelation && !is_hidden;
  if (arguments.empty() && !add_correlation) return;
  out_.raw(", \"args\": {");
  bool is_first = true;
  for (const trace::Argument& argument : arguments) {
    const bool is_correlation = is_correlation_key(trace_.text(argument.key));
    if (is_correlation) add_correlation = false;
    if (!is_first) out_.raw(", ");
    is_first = false;
    is_hidden&& is_correlation ? out_.plain_string(kHiddenKey) : write_string(argument.key);
    out_.raw(": ");
    write_argument(argument);
  }
  if (add_correlation) {
    out_.raw(is_first ? "\"correlation\": " : ", \"correlation\": ");
    out_.integer(correlation);
  }
  out_.raw("}");
}

void ChromeRecordWriter::write_argument(const trace::Argument& argument) {
  switch (argument.type) {
    case trace::Argument::Type::kInteger:
      return out_.integer(argument.as_integer());
    case trace::Argument::Type::kReal:
      return out_.real(argument.as_real());
    case trace::Argument::Type::kBoolean:
      return out_.raw(argument.as_boolean() ? "true" : "false");
    case trace::Argument::Type::kString:
      return write_string(argument.as_string());
    case trace::Argument::Type::kJson:
      return write_json(argument.as_string());
  }
}

void ChromeRecordWriter::write_json(StringId id) {
  const std::string_view text = trace_.text(id);
  if (plain_json_.empty()) plain_json_.resize(trace_.strings.size(), Plain::kUnknown);
  Plain& plain = plain_json_[static_cast<std::size_t>(id)];
  if (plain == Plain::kUnknown) {
    const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
    plain = std::ranges::all_of(text, is_ascii) && is_strict_json(text) ? Plain::kYes : Plain::kNo;
  }
  plain == Plain::kYes ? out_.raw(text) : out_.json(text);
}

bool ChromeRecordWriter::is_correlated(const trace::Flow& flow) const {
  const trace::EventTable& events = trace_.events;
  const std::int64_t correlation = events.correlation[trace::index_of(flow.from)];
  return flow.kind == trace::Flow::Kind::kLaunch && correlation >= 0 &&
         correlation == events.correlation[trace::index_of(flow.to)] &&
         !misleads(trace::index_of(flow.to)) && !shared_correlations_.contains(correlation);
}

void ChromeRecordWriter::choose_flow_times() {
  std::vector<bool> wanted(trace_.events.size());
  bool any = false;
  for (const trace::Flow& flow : trace_.flows) {
    if (!is_event(flow.from) || !is_event(flow.to)) continue;
    const bool is_call =
        trace_.events.kind[trace::index_of(flow.from)] == trace::Kind::kRuntimeCall;
    if (is_correlated(flow) && is_call && trace_.on_device(trace::index_of(flow.to))) continue;
    wanted[trace::index_of(flow.from)] = wanted[trace::index_of(flow.to)] = any = true;
  }
  if (any) flow_times_ = innermost_times(trace_, std::move(wanted));
}

void ChromeRecordWriter::write_flows() {
  if (trace_.flows.empty()) return;
  shared_correlations_ = shared_correlations(trace_);
  choose_flow_times();
  const trace::EventTable& events = trace_.events;
  std::int64_t highest = 0;
  for (const std::int64_t correlation : events.correlation)
    highest = std::max(highest, correlation);
  std::uint64_t next_id = static_cast<std::uint64_t>(highest) + 1;
  // A launch may have many kernels and a kernel two launches: each end is written once.
  std::vector<bool> is_written(events.size());
  for (const trace::Flow& flow : trace_.flows) {
    if (!is_event(flow.from) || !is_event(flow.to)) continue;
    if (out_.failed()) return;
    const std::size_t from = trace::index_of(flow.from);
    const std::size_t to = trace::index_of(flow.to);
    if (is_correlated(flow)) {
      const auto id = static_cast<std::uint64_t>(events.correlation[from]);
      if (!is_written[from]) write_flow_start(from, {"ac2g", id});
      if (!is_written[to]) write_flow_finish(to, {"ac2g", id});
      is_written[from] = is_written[to] = true;
      continue;
    }
    const bool is_launch = flow.kind == trace::Flow::Kind::kLaunch;
    const std::string_view name = trace_.text(flow.name);
    const bool seems_launch = is_launch || trace_.on_device(from) || !trace_.on_device(to);
    const Arrow arrow{!name.empty() ? name : is_launch ? "ac2g" : "flow", next_id++, seems_launch};
    write_flow_start(from, arrow);
    write_flow_finish(to, arrow);
  }
}

void ChromeRecordWriter::write_flow_start(std::size_t event, const Arrow& arrow) {
  begin_record("{\"ph\": \"s\"");
  write_flow_point(event, arrow);
  out_.raw("}");
}

void ChromeRecordWriter::write_flow_finish(std::size_t event, const Arrow& arrow) {
  begin_record("{\"ph\": \"f\", \"bp\": \"e\"");
  write_flow_point(event, arrow);
  if (!arrow.is_launch) {
    out_.raw(", \"args\": {");
    out_.plain_string(kLaunchKey);
    out_.raw(": false}");
  }
  out_.raw("}");
}

void ChromeRecordWriter::write_flow_point(std::size_t event, const Arrow& arrow) {
  out_.raw(", \"id\": ");
  out_.unsigned_integer(arrow.id);
  out_.raw(track_ids_[trace::index_of(trace_.events.track[event])]);
  const auto later = flow_times_.find(static_cast<std::uint32_t>(event));
  write_time(later != flow_times_.end() ? later->second : trace_.events.start[event]);
  out_.raw(", \"cat\": ");
  out_.string(arrow.name);
  out_.raw(", \"name\": ");
  out_.string(arrow.name);
}

void ChromeRecordWriter::write_string(StringId id) {
  const std::string_view text = trace_.text(id);
  Plain& plain = plain_[static_cast<std::size_t>(id)];
  if (plain == Plain::kUnknown) plain = is_plain_json_text(text) ? Plain::kYes : Plain::kNo;
  plain == Plain::kYes ? out_.plain_string(text) : out_.string(text);
}

}  // namespace lockstep::formats::chrome_json

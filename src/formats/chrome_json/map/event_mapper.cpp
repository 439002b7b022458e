// Mapping of events; event_mapper_arguments.cpp has what their arguments say.
#include "formats/chrome_json/map/event_mapper.h"

#include <cstring>

#include "formats/chrome_json/defects.h"
#include "formats/chrome_json/parse/argument_values.h"
#include "formats/chrome_json/parse/event_phase.h"
#include "formats/chrome_json/scan/json_text.h"
#include "formats/shared/rank_builder.h"
#include "formats/shared/text_damage.h"
#include "formats/shared/time_guess.h"
#include "trace/collective_names.h"

namespace lockstep::formats::chrome_json {
namespace {

// A file that begins with more events without a good time than this has no better origin than 0.
constexpr std::size_t kMaxHeldEvents = std::size_t{1} << 20;
// 100 years of picoseconds around the epoch: an origin beyond it is no time at all.
constexpr WideTime kMaxOriginPs = WideTime{4'000'000'000'000'000'000} * kPicosecondsPerNanosecond;

bool may_be_origin(const RawEvent& event, WideTime& time) {
  return parse_time(event[Field::kTime], time) && time > 0 && time < kMaxOriginPs;
}

bool too_far(WideTime a, WideTime b) {
  return a - b > kMaxDistanceFromOriginPs || b - a > kMaxDistanceFromOriginPs;
}

}  // namespace

EventMapper::EventMapper(trace::Trace& trace, trace::RankId rank,
                         trace::KeepArguments keep_arguments, Diagnostics& diagnostics)
    : trace_(trace),
      rank_(rank),
      keep_arguments_(keep_arguments),
      diagnostics_(diagnostics),
      tracks_(trace, rank) {}

shared::CategoryMeaning EventMapper::meaning(StringId category) {
  const auto i = static_cast<std::size_t>(category);
  if (i >= meanings_.size()) meanings_.resize(i + 16);
  if (!meanings_[i]) {
    meanings_[i] = shared::meaning_of_category(trace_.text(category));
    evidence_.has_kineto_category |= meanings_[i]->is_kineto;
  }
  return *meanings_[i];
}

bool EventMapper::is_collective(StringId name) {
  const auto i = static_cast<std::size_t>(name);
  if (i >= collective_names_.size()) collective_names_.resize(i + i / 2 + 16, -1);
  if (collective_names_[i] < 0)
    collective_names_[i] = trace::is_collective_kernel(trace_.text(name));
  return collective_names_[i] == 1;
}

StringId EventMapper::intern_name(const Token& token) {
  if (token.size == 0) return kEmptyString;
  if (std::memchr(token.data, '\\', token.size) == nullptr) {
    return trace_.strings.intern(token.text());
  }
  return trace_.strings.intern(unescaped(token.text()));
}

StringId EventMapper::intern_category(const Token& token) {
  const std::string_view text = token.text();
  if (text.empty()) return kEmptyString;
  const std::size_t slot =
      (text.size() + static_cast<unsigned char>(text.back())) % recent_categories_.size();
  StringId& recent = recent_categories_[slot];
  if (trace_.text(recent) != text) recent = intern_name(token);
  return recent;
}

std::unique_ptr<EventBatch> EventMapper::take(std::unique_ptr<EventBatch> batch) {
  if (origin_) {
    map_batch(*batch);
    return batch;
  }
  bool any_time = false;
  for (const RawEvent& event : batch->events()) {
    WideTime time = 0;
    any_time |= event[Field::kTime].present();
    if (held_times_.size() < shared::kTimesForOrigin && may_be_origin(event, time)) {
      held_times_.push_back(time);
    }
  }
  // Files may begin with any number of names, which need no origin. Behind a batch that waits all
  // others wait too: events are mapped in the order of the file, however it was cut.
  if (!any_time && held_.empty()) {
    map_batch(*batch);
    return batch;
  }
  held_events_ += batch->events().size();
  held_.push_back(std::move(batch));
  if (held_times_.size() >= shared::kTimesForOrigin || held_events_ > kMaxHeldEvents)
    choose_origin();
  return nullptr;
}

// The first event above 0 whose time the majority of the first events shares; then the batches that
// were held back are mapped.
void EventMapper::choose_origin() {
  origin_ = shared::choose_origin(held_times_);
  for (const auto& batch : held_) map_batch(*batch);
  held_.clear();
}

void EventMapper::map_batch(const EventBatch& batch) {
  for (const RawEvent& event : batch.events()) {
    arguments_ = batch.arguments_of(event);
    map_event(event);
  }
}

void EventMapper::map_event(const RawEvent& event) {
  if (event.has_duplicate_key) diagnostics_.add(kDuplicateKey, Place::byte(event.offset));
  if (event.is_repaired) {
    diagnostics_.add(event.has_damaged_text ? shared::kDamagedText : kRepairedText,
                     Place::byte(event.offset));
  }
  if (event.seen == 0) {
    diagnostics_.add(kEmptyEvent, Place::byte(event.offset));
    return;
  }
  if (event.has_damaged_argument) diagnostics_.add(kDamagedArguments, Place::byte(event.offset));
  if (event.has_wrong_type) diagnostics_.add(kWrongType, Place::byte(event.offset));
  const PhaseUse use = use_of_phase(event, arguments_);
  if (use == PhaseUse::kSkipped || use == PhaseUse::kLost) {
    diagnostics_.add(use == PhaseUse::kSkipped ? kSkippedPhase : kUnknownPhase,
                     Place::byte(event.offset));
    return;
  }
  ++events_seen_;
  if (use == PhaseUse::kMetadata) {
    map_metadata(event);
  } else {
    map_timed_event(event, phase_of(event));
  }
}

std::optional<Time> EventMapper::relative_time(const RawEvent& event) {
  WideTime time = 0;
  if (!parse_time(event[Field::kTime], time)) {
    diagnostics_.add(shared::kMissingTime, Place::byte(event.offset));
    return std::nullopt;
  }
  if (shared::is_lost_zero(time, *origin_)) {
    diagnostics_.add(shared::kZeroTime, Place::byte(event.offset));
    return std::nullopt;
  }
  const std::optional<Time> start = narrow(time, *origin_);
  if (!start) diagnostics_.add(shared::kTimeOutOfRange, Place::byte(event.offset));
  return start;
}

void EventMapper::map_timed_event(const RawEvent& event, char phase) {
  const std::optional<Time> start = relative_time(event);
  if (!start) return;
  switch (phase) {
    case 'X':
      map_span(event, *start);
      break;
    case 'B':
    case 'E':
    case 'b':
    case 'e':
    case 'S':
    case 'F':
      map_pair_end(event, phase, *start);
      break;
    case 's':
    case 't':
    case 'f':
      map_flow_end(event, phase, *start);
      break;
    case 'C':
      map_point(event, *start, trace::Shape::kCounter);
      break;
    default:
      map_point(event, *start, trace::Shape::kInstant);
      break;
  }
}

trace::Event EventMapper::describe(const RawEvent& event, Time start, trace::Shape shape) {
  trace::Event row;
  row.start = start;
  row.shape = shape;
  row.name = intern_name(event[Field::kName]);
  row.category = intern_category(event[Field::kCategory]);
  const shared::CategoryMeaning what = meaning(row.category);
  row.kind = what.is_by_name ? shared::kind_of_event(what, trace_.text(row.name)) : what.kind;
  if (row.kind == trace::Kind::kKernel && is_collective(row.name))
    row.kind = trace::Kind::kCommunication;
  row.track = tracks_.track(event[Field::kPid], event[Field::kTid], what.side);
  note_links(event, row);
  if (what.side == trace::Track::Side::kDevice) note_device(row.track);
  return row;
}

void EventMapper::map_span(const RawEvent& event, Time start) {
  WideTime duration = 0;
  const Time cut_start = start;
  // Only writers of text quote their times, and one of them keeps the exact ones elsewhere.
  const bool is_exact = event[Field::kTime].quoted &&
                        take_rocprof_times(WideTime{start.ps} + *origin_, start, duration);
  if (!is_exact && !parse_time(event[Field::kDuration], duration)) {
    diagnostics_.add(shared::kMissingDuration, Place::byte(event.offset));
  }
  if (duration < 0) {
    diagnostics_.add(shared::kNegativeDuration, Place::byte(event.offset));
    return;
  }
  if (duration > kMaxDistanceFromOriginPs || too_far(WideTime{start.ps} + duration, 0)) {
    diagnostics_.add(shared::kTimeOutOfRange, Place::byte(event.offset));
    return;
  }
  trace::Event row = describe(event, start, trace::Shape::kSpan);
  row.duration = Time{static_cast<std::int64_t>(duration)};
  const trace::EventId id = trace_.events.add(row);
  if (is_exact) evidence_.rocprof.note(id, cut_start, arguments_, trace_.strings);
  if (row.kind == trace::Kind::kCommunication) note_collective(id);
  if (row.category == kEmptyString && !arguments_.empty()) {
    evidence_.ascend.note(id, arguments_, trace_.strings);
  }
  trace_.arguments.set(id, kept_arguments(event));
  const StringId step = step_name(row);
  if (step != kEmptyString) {
    trace_.steps.push_back({step, rank_, start, start + row.duration});
  }
}

bool EventMapper::take_rocprof_times(WideTime cut_start, Time& start, WideTime& duration) {
  const auto exact = evidence_.rocprof.exact_times(arguments_, cut_start);
  const auto begin = exact ? narrow(exact->begin, *origin_) : std::nullopt;
  if (!begin) return false;
  start = *begin;
  duration = exact->end - exact->begin;
  return true;
}

void EventMapper::map_point(const RawEvent& event, Time start, trace::Shape shape) {
  trace::Event row = describe(event, start, shape);
  if (shape == trace::Shape::kCounter) row.kind = trace::Kind::kCounter;
  // An instant that says nothing of itself is a mark that somebody set; one that calls itself work
  // has no duration and can be no more.
  const bool is_mark = row.category == kEmptyString || trace::is_device_work(row.kind);
  if (shape == trace::Shape::kInstant && is_mark) row.kind = trace::Kind::kAnnotation;
  const trace::EventId id = trace_.events.add(row);
  trace_.arguments.set(id, kept_arguments(event));
}

void EventMapper::map_pair_end(const RawEvent& event, char phase, Time time) {
  const bool is_async = phase != 'B' && phase != 'E';
  const bool is_begin = phase == 'B' || phase == 'b' || phase == 'S';
  // An end often leaves out its category, so B and E meet on the thread whatever their side.
  std::string lane(is_async ? "async " : "sync ");
  if (is_async) lane.append(event[Field::kCategory].text());
  lane.append(" ").append(is_async ? event[Field::kId].text() : event[Field::kTid].text());
  const auto process = static_cast<std::uint64_t>(tracks_.process(event[Field::kPid]));
  const std::uint64_t key =
      (process << 32) | static_cast<std::uint64_t>(trace_.strings.intern(lane));
  const trace::Event row = describe(event, time, trace::Shape::kSpan);
  const StringId step = step_name(row);
  pairs_.add(key, row, step, is_begin, event.offset, kept_arguments(event));
}

void EventMapper::map_flow_end(const RawEvent& event, char phase, Time time) {
  trace::FlowEnd end;
  const Token category = event[Field::kCategory];
  end.category = category.present() ? intern_category(category) : intern_name(event[Field::kName]);
  const Token id = event[Field::kId];
  const auto number = id.quoted ? whole_number_in_text(id.text()) : whole_number(id.text());
  if (!number && !id.quoted && !is_nested(id.text()) && !is_bare_word(id.text())) {
    diagnostics_.add(kWrongType, Place::byte(event.offset));
  }
  // Ids that are no numbers are told apart by their text, above all numbers that occur.
  end.id = number ? *number
                  : (std::int64_t{1} << 62) +
                        static_cast<std::int64_t>(trace_.strings.intern(event[Field::kId].text()));
  end.id_is_correlation = number && shared::is_correlation_flow(event[Field::kCategory].text());
  const RawArgument* const launches = find_argument(kLaunchKey);
  end.may_launch = launches == nullptr || launches->value != "false";
  end.time = time;
  end.role = phase == 's'   ? trace::FlowEnd::Role::kStart
             : phase == 't' ? trace::FlowEnd::Role::kStep
                            : trace::FlowEnd::Role::kFinish;
  end.binds_enclosing = phase != 'f' || event[Field::kBindPoint].text() == "e";
  end.track = trace::TrackId{tracks_.lane(event[Field::kPid], event[Field::kTid])};
  flow_ends_.push_back(end);
  if (has_duration(event) && lasting_flows_++ == 0) first_lasting_flow_ = event.offset;
}

// Some exporters write the duration of a span with its flows too. Where few of many flows have one,
// it is no habit: they were spans, and their phases are damaged.
void EventMapper::say_lasting_flows() {
  const bool is_habit = lasting_flows_ >= 2 && lasting_flows_ * 4 >= flow_ends_.size();
  if (lasting_flows_ == 0 || is_habit) return;
  diagnostics_.add(kLastingFlow, Place::byte(first_lasting_flow_), {}, lasting_flows_);
}

void EventMapper::finish() {
  if (!origin_) choose_origin();
  const std::size_t first_joined = trace_.events.size();
  pairs_.join(trace_, rank_, diagnostics_);
  arguments_ = {};
  for (std::size_t i = first_joined; i < trace_.events.size(); ++i) {
    if (trace_.events.kind[i] == trace::Kind::kCommunication) {
      note_collective(trace::EventId{static_cast<std::uint32_t>(i)});
    }
  }
  say_lasting_flows();
  tracks_.apply_names();
  for (const StringId id : tracks_.broken_ids()) {
    diagnostics_.add(kWrongType, Place::none(), trace_.text(id));
  }
}

Column<trace::FlowEnd> EventMapper::take_flow_ends() {
  const auto starts = tracks_.tracks_of_lanes(trace::Track::Side::kHost);
  const auto finishes = tracks_.tracks_of_lanes(trace::Track::Side::kDevice);
  std::size_t kept = 0;
  for (const trace::FlowEnd& end : flow_ends_) {
    const auto& tracks = end.role == trace::FlowEnd::Role::kStart ? starts : finishes;
    const std::optional<trace::TrackId> track = tracks[trace::index_of(end.track)];
    if (!track) {
      diagnostics_.add(trace::kUnmatchedFlow);
      continue;
    }
    flow_ends_[kept] = end;
    flow_ends_[kept++].track = *track;
  }
  flow_ends_.truncate(kept);
  return std::move(flow_ends_);
}

}  // namespace lockstep::formats::chrome_json

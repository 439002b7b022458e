// Encoding of names, categories, arguments and flows.
#include "formats/perfetto/write/event_encoder.h"

#include <charconv>
#include <cmath>
#include <optional>
#include <tuple>

#include "formats/perfetto/decode/known_words.h"
#include "formats/perfetto/decode/time_scale.h"
#include "formats/perfetto/map/own_ids.h"

namespace lockstep::formats::perfetto {
namespace {

using AnnotationBuilder = shared::MessageBuilder<AnnotationField>;
using Interned = StringInterner::Domain;

bool tells_correlation(const trace::Trace& trace, const trace::Argument& argument) {
  return argument.type == trace::Argument::Type::kInteger && argument.as_integer() >= 0 &&
         known_word(trace.text(argument.key)) == KnownWord::kCorrelation;
}

bool joins_events(const trace::Flow& flow, std::size_t event_count) {
  return index_of(flow.from) < event_count && index_of(flow.to) < event_count;
}

}  // namespace

trace::Argument as_shown(const trace::Trace& trace, const trace::Argument& argument) {
  if (argument.type != trace::Argument::Type::kJson) return argument;
  const std::string_view text = trace.text(argument.as_string());
  if (!text.starts_with('-') && (text.empty() || text[0] < '0' || text[0] > '9')) return argument;
  double value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_number = code == std::errc() && end == text.data() + text.size();
  return is_number && std::isfinite(value) ? trace::Argument::real(argument.key, value) : argument;
}

EventEncoder::EventEncoder(const trace::Trace& trace, StringInterner& interner,
                           const std::vector<StringId>& flow_names)
    : trace_(trace), interner_(interner) {
  if (!trace.flows.empty()) index_flows(flow_names);
  for (std::uint32_t i = 0; i < trace.collectives.size(); ++i) {
    collectives_.try_emplace(static_cast<std::uint32_t>(trace.collectives[i].event), i);
  }
}

// Counting sort of both ends of all flows by event.
void EventEncoder::index_flows(const std::vector<StringId>& flow_names) {
  for (std::uint32_t i = 0; i < flow_names.size(); ++i) flow_names_.emplace(flow_names[i], i);
  const std::size_t event_count = trace_.events.size();
  first_flow_.assign(event_count + 2, 0);
  for (const trace::Flow& flow : trace_.flows) {
    if (!joins_events(flow, event_count)) continue;
    ++first_flow_[index_of(flow.from) + 2];
    ++first_flow_[index_of(flow.to) + 2];
  }
  for (std::size_t i = 2; i < first_flow_.size(); ++i) first_flow_[i] += first_flow_[i - 1];
  flow_ids_.resize(first_flow_.back());
  std::uint32_t id = 0;
  for (const trace::Flow& flow : trace_.flows) {
    ++id;  // 0 would mean none
    if (!joins_events(flow, event_count)) continue;
    flow_ids_[first_flow_[index_of(flow.from) + 1]++] = id;
    flow_ids_[first_flow_[index_of(flow.to) + 1]++] = id;
  }
}

void EventEncoder::write_details(TrackEventBuilder& event, std::size_t row) {
  write_category(event, row);
  if (const StringId name = trace_.events.name[row]; name != kEmptyString) {
    event.add_uint64(TrackEventField::kNameIid, interner_.use(Interned::kEventName, name));
  }
  write_arguments(event, row);
  write_exact_times(event, row);
  if (!first_flow_.empty()) write_flows(event, row);
}

void EventEncoder::write_category(TrackEventBuilder& event, std::size_t row) {
  const StringId category = trace_.events.category[row];
  const std::uint64_t iid = category != kEmptyString
                                ? interner_.use(Interned::kCategory, category)
                                : interner_.use(Interned::kCategory, trace_.events.kind[row]);
  event.add_uint64(TrackEventField::kCategoryIids, iid);
}

// Where the file had no category the kind stands in its place.
void EventEncoder::write_kind(TrackEventBuilder& event, std::size_t row) {
  if (trace_.events.category[row] == kEmptyString) return;
  AnnotationBuilder kind(event, TrackEventField::kDebugAnnotations);
  kind.add_uint64(AnnotationField::kNameIid,
                  interner_.use(Interned::kAnnotationName, OwnWord::kKind));
  kind.add_uint64(AnnotationField::kStringIid,
                  interner_.use(Interned::kAnnotationString, trace_.events.kind[row]));
}

void EventEncoder::write_arguments(TrackEventBuilder& event, std::size_t row) {
  write_kind(event, row);
  std::int64_t told = trace::kNoCorrelation;  // by the arguments
  for (const trace::Argument& argument :
       trace_.arguments.of(trace::EventId{static_cast<std::uint32_t>(row)})) {
    if (tells_correlation(trace_, argument)) told = argument.as_integer();
    write_argument(event, argument);
  }
  const std::int64_t correlation = trace_.events.correlation[row];
  if (correlation != told) write_integer(event, OwnWord::kCorrelation, correlation);
  if (trace_.events.shape[row] == trace::Shape::kCounter) write_counter_shape(event);
  const auto collective = collectives_.find(static_cast<std::uint32_t>(row));
  if (collective != collectives_.end()) {
    write_collective(event, trace_.collectives[collective->second]);
  }
}

void EventEncoder::write_counter_facts(TrackEventBuilder& event, std::size_t row) {
  write_counter_shape(event);
  write_kind(event, row);
  write_exact_times(event, row);
}

void EventEncoder::write_counter_shape(TrackEventBuilder& event) {
  AnnotationBuilder shape(event, TrackEventField::kDebugAnnotations);
  shape.add_uint64(AnnotationField::kNameIid,
                   interner_.use(Interned::kAnnotationName, OwnWord::kShape));
  shape.add_uint64(AnnotationField::kStringIid,
                   interner_.use(Interned::kAnnotationString, trace::Kind::kCounter));
}

void EventEncoder::write_collective(TrackEventBuilder& event, const trace::Collective& collective) {
  AnnotationBuilder dictionary(event, TrackEventField::kDebugAnnotations);
  dictionary.add_uint64(AnnotationField::kNameIid,
                        interner_.use(Interned::kAnnotationName, OwnWord::kCollective));
  const auto add_text = [&](OwnWord name, StringId text) {
    if (text == kEmptyString) return;
    AnnotationBuilder entry(dictionary, AnnotationField::kDictEntries);
    entry.add_uint64(AnnotationField::kNameIid, interner_.use(Interned::kAnnotationName, name));
    entry.add_uint64(AnnotationField::kStringIid, interner_.use(Interned::kAnnotationString, text));
  };
  const auto add_number = [&](OwnWord name, const std::optional<std::int64_t>& value) {
    if (!value) return;
    AnnotationBuilder entry(dictionary, AnnotationField::kDictEntries);
    entry.add_uint64(AnnotationField::kNameIid, interner_.use(Interned::kAnnotationName, name));
    entry.add_int64(AnnotationField::kInt, *value);
  };
  const auto add_time = [&](OwnWord name, const std::optional<Time>& time) {
    if (time) add_number(name, time->ps);
  };
  add_text(OwnWord::kOp, collective.op);
  add_text(OwnWord::kGroup, collective.group);
  add_text(OwnWord::kDtype, collective.dtype);
  add_number(OwnWord::kSequence, collective.sequence);
  add_number(OwnWord::kElementsIn, collective.elements_in);
  add_number(OwnWord::kElementsOut, collective.elements_out);
  add_number(OwnWord::kBytes, collective.bytes);
  add_time(OwnWord::kTransitPs, collective.transit);
  add_time(OwnWord::kWaitPs, collective.wait);
  add_time(OwnWord::kIdlePs, collective.idle);
}

void EventEncoder::write_argument(TrackEventBuilder& event, const trace::Argument& as_read) {
  const trace::Argument argument = as_shown(trace_, as_read);
  AnnotationBuilder annotation(event, TrackEventField::kDebugAnnotations);
  annotation.add_uint64(AnnotationField::kNameIid,
                        interner_.use(Interned::kAnnotationName, argument.key));
  switch (argument.type) {
    case trace::Argument::Type::kInteger:
      return annotation.add_int64(AnnotationField::kInt, argument.as_integer());
    case trace::Argument::Type::kReal:
      return annotation.add_double(AnnotationField::kDouble, argument.as_real());
    case trace::Argument::Type::kBoolean:
      return annotation.add_bool(AnnotationField::kBool, argument.as_boolean());
    case trace::Argument::Type::kString:
      return annotation.add_uint64(
          AnnotationField::kStringIid,
          interner_.use(Interned::kAnnotationString, argument.as_string()));
    case trace::Argument::Type::kJson: {
      const std::string_view json = as_utf8(trace_.text(argument.as_string()), scratch_);
      return annotation.add_string(AnnotationField::kLegacyJson, json.data(), json.size());
    }
  }
}

// Only for times that the timestamps of the packets do not tell already.
void EventEncoder::write_exact_times(TrackEventBuilder& event, std::size_t row) {
  const std::int64_t start = trace_.events.start[row].ps;
  const std::int64_t duration = trace_.events.duration[row].ps;
  if (start % kPicosecondsPerNanosecond == 0 && duration % kPicosecondsPerNanosecond == 0 &&
      duration >= 0) {
    return;
  }
  const std::int64_t rest = start % kPicosecondsPerNanosecond;
  write_integer(event, OwnWord::kStartPs, rest < 0 ? rest + kPicosecondsPerNanosecond : rest);
  if (trace_.events.shape[row] == trace::Shape::kSpan) {
    write_integer(event, OwnWord::kDurationPs, duration);
  }
}

void EventEncoder::write_integer(TrackEventBuilder& event, OwnWord name, std::int64_t value) {
  AnnotationBuilder annotation(event, TrackEventField::kDebugAnnotations);
  annotation.add_uint64(AnnotationField::kNameIid, interner_.use(Interned::kAnnotationName, name));
  annotation.add_int64(AnnotationField::kInt, value);
}

bool EventEncoder::is_written_before(trace::EventId a, trace::EventId b) const {
  const trace::EventTable& events = trace_.events;
  const auto place = [&](trace::EventId id) {
    const std::size_t row = index_of(id);
    const bool is_point = events.shape[row] != trace::Shape::kSpan;
    return std::tuple(events.track[row], is_point, is_point ? 0 : begin_ns(events, row),
                      is_point ? 0 : -end_ns(events, row), row);
  };
  return place(a) < place(b);
}

void EventEncoder::write_flows(TrackEventBuilder& event, std::size_t row) {
  for (std::uint32_t at = first_flow_[row]; at < first_flow_[row + 1]; ++at) {
    const trace::Flow& flow = trace_.flows[flow_ids_[at] - 1];
    const FlowId id{flow_ids_[at], flow.kind, is_written_before(flow.to, flow.from),
                    flow_names_.at(flow.name)};
    event.add_fixed64(TrackEventField::kFlowIds, id.encoded());
  }
}

}  // namespace lockstep::formats::perfetto

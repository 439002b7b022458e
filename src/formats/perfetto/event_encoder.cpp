// Encoding of names, categories, arguments and flows.
#include "formats/perfetto/event_encoder.h"

#include <charconv>
#include <cmath>

namespace lockstep::perfetto {
namespace {

using AnnotationBuilder = protozero::pbf_builder<AnnotationField>;
using Domain = StringInterner::Domain;

bool joins_events(const Flow& flow, std::size_t event_count) {
  return index_of(flow.from) < event_count && index_of(flow.to) < event_count;
}

}  // namespace

Argument as_shown(const Trace& trace, const Argument& argument) {
  if (argument.type != Argument::Type::kJson) return argument;
  const std::string_view text = trace.text(argument.as_string());
  if (!text.starts_with('-') && (text.empty() || text[0] < '0' || text[0] > '9')) return argument;
  double value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_number = code == std::errc() && end == text.data() + text.size();
  return is_number && std::isfinite(value) ? Argument::real(argument.key, value) : argument;
}

EventEncoder::EventEncoder(const Trace& trace, StringInterner& interner)
    : trace_(trace), interner_(interner) {
  if (!trace.flows.empty()) index_flows();
}

// Counting sort of both ends of all flows by event.
void EventEncoder::index_flows() {
  const std::size_t event_count = trace_.events.size();
  first_flow_.assign(event_count + 2, 0);
  for (const Flow& flow : trace_.flows) {
    if (!joins_events(flow, event_count)) continue;
    ++first_flow_[index_of(flow.from) + 2];
    ++first_flow_[index_of(flow.to) + 2];
  }
  for (std::size_t i = 2; i < first_flow_.size(); ++i) first_flow_[i] += first_flow_[i - 1];
  flow_ids_.resize(first_flow_.back());
  std::uint32_t id = 0;
  for (const Flow& flow : trace_.flows) {
    ++id;  // 0 would mean none
    if (!joins_events(flow, event_count)) continue;
    flow_ids_[first_flow_[index_of(flow.from) + 1]++] = id;
    flow_ids_[first_flow_[index_of(flow.to) + 1]++] = id;
  }
}

void EventEncoder::write_details(TrackEventBuilder& event, std::size_t row) {
  write_category(event, row);
  if (const StringId name = trace_.events.name[row]; name != kEmptyString) {
    event.add_uint64(TrackEventField::kNameIid, interner_.use(Domain::kEventName, name));
  }
  write_arguments(event, row);
  write_exact_times(event, row);
  if (!first_flow_.empty()) write_flows(event, row);
}

void EventEncoder::write_category(TrackEventBuilder& event, std::size_t row) {
  const StringId category = trace_.events.category[row];
  const std::uint64_t iid = category != kEmptyString
                                ? interner_.use(Domain::kCategory, category)
                                : interner_.use(Domain::kCategory, trace_.events.kind[row]);
  event.add_uint64(TrackEventField::kCategoryIids, iid);
}

void EventEncoder::write_arguments(TrackEventBuilder& event, std::size_t row) {
  {
    AnnotationBuilder kind(event, TrackEventField::kDebugAnnotations);
    kind.add_uint64(AnnotationField::kNameIid,
                    interner_.use(Domain::kAnnotationName, OwnWord::kKind));
    kind.add_uint64(AnnotationField::kStringIid,
                    interner_.use(Domain::kAnnotationString, trace_.events.kind[row]));
  }
  const std::int64_t correlation = trace_.events.correlation[row];
  bool add_correlation = correlation != kNoCorrelation;
  for (const Argument& argument : trace_.arguments.of(EventId{static_cast<std::uint32_t>(row)})) {
    if (add_correlation && trace_.text(argument.key) == "correlation") add_correlation = false;
    write_argument(event, argument);
  }
  if (add_correlation) write_integer(event, OwnWord::kCorrelation, correlation);
}

void EventEncoder::write_argument(TrackEventBuilder& event, const Argument& as_read) {
  const Argument argument = as_shown(trace_, as_read);
  AnnotationBuilder annotation(event, TrackEventField::kDebugAnnotations);
  annotation.add_uint64(AnnotationField::kNameIid,
                        interner_.use(Domain::kAnnotationName, argument.key));
  switch (argument.type) {
    case Argument::Type::kInteger:
      return annotation.add_int64(AnnotationField::kInt, argument.as_integer());
    case Argument::Type::kReal:
      return annotation.add_double(AnnotationField::kDouble, argument.as_real());
    case Argument::Type::kBoolean:
      return annotation.add_bool(AnnotationField::kBool, argument.as_boolean());
    case Argument::Type::kString:
      return annotation.add_uint64(AnnotationField::kStringIid,
                                   interner_.use(Domain::kAnnotationString, argument.as_string()));
    case Argument::Type::kJson: {
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
  if (trace_.events.shape[row] == Shape::kSpan) {
    write_integer(event, OwnWord::kDurationPs, duration);
  }
}

void EventEncoder::write_integer(TrackEventBuilder& event, OwnWord name, std::int64_t value) {
  AnnotationBuilder annotation(event, TrackEventField::kDebugAnnotations);
  annotation.add_uint64(AnnotationField::kNameIid, interner_.use(Domain::kAnnotationName, name));
  annotation.add_int64(AnnotationField::kInt, value);
}

void EventEncoder::write_flows(TrackEventBuilder& event, std::size_t row) {
  for (std::uint32_t at = first_flow_[row]; at < first_flow_[row + 1]; ++at) {
    event.add_fixed64(TrackEventField::kFlowIds, flow_ids_[at]);
  }
}

}  // namespace lockstep::perfetto

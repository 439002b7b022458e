// Reading back what the writer of this folder wrote.
#include "formats/perfetto/map/own_event_mapper.h"

#include <algorithm>

#include "formats/perfetto/defects.h"
#include "formats/perfetto/map/own_ids.h"
#include "formats/perfetto/wire/perfetto_fields.h"
#include "formats/shared/record_defects.h"

namespace lockstep::formats::perfetto {

const OwnEventMapper::LaneFacts* OwnEventMapper::lane_of(std::uint64_t uuid) {
  if (recent_lane_ != nullptr && recent_uuid_ == uuid) return recent_lane_;
  if (!is_track_uuid(uuid) || track_of_uuid(uuid) >= header_.rank_of_track.size()) return nullptr;
  const auto [known, is_new] = lanes_.try_emplace(uuid);
  if (is_new) {
    const auto track = static_cast<std::size_t>(track_of_uuid(uuid));
    known->second = {rows_.add_lane(),
                     trace::TrackId{static_cast<std::uint32_t>(header_.first_track + track)},
                     header_.rank_of_track[track]};
  }
  recent_uuid_ = uuid;
  recent_lane_ = &known->second;  // stays where it is when others come
  return recent_lane_;
}

std::optional<Time> OwnEventMapper::time_of(const LaneFacts& lane, std::uint64_t timestamp,
                                            std::int64_t rest_ps) const {
  const auto ns = static_cast<std::int64_t>(timestamp - header_.ranks[lane.rank].zero);
  return narrow(WideTime{ns} * kPicosecondsPerNanosecond + rest_ps, 0);
}

std::optional<trace::Kind> OwnEventMapper::kind_named(StringId text) {
  const auto i = static_cast<std::size_t>(text);
  if (i >= kinds_.size()) kinds_.resize(i + i / 2 + 16, -1);
  if (kinds_[i] == -1) {
    kinds_[i] = -2;
    for (std::size_t k = 0; k < trace::kKindCount; ++k) {
      if (name_of(static_cast<trace::Kind>(k)) == trace_.text(text))
        kinds_[i] = static_cast<std::int8_t>(k);
    }
  }
  if (kinds_[i] < 0) return std::nullopt;
  return static_cast<trace::Kind>(kinds_[i]);
}

trace::Event OwnEventMapper::describe(const DecodedEvent& event, const LaneFacts& lane,
                                      Time start) {
  trace::Event row;
  row.start = start;
  row.name = event.name;
  row.track = lane.track;
  const AnnotationFacts& facts = event.annotations;
  if (facts.kind != kEmptyString) {
    row.kind = kind_named(facts.kind).value_or(trace::Kind::kHostOp);
    row.category = event.category;
  } else if (const auto kind = kind_named(event.category)) {
    row.kind = *kind;  // in the place of a category that the trace did not have
  } else {
    row.category = event.category;
  }
  const std::int64_t told = facts.correlation.value_or(trace::kNoCorrelation);
  row.correlation = std::max(facts.own_correlation.value_or(told), trace::kNoCorrelation);
  return row;
}

void OwnEventMapper::take(const DecodedEvent& event, const PacketFacts& packet,
                          SequenceState& /*sequence*/) {
  const auto type = static_cast<EventType>(event.type);
  const bool goes_on = type == EventType::kCounter && !event.annotations.is_counter;
  if (counter_ && !goes_on) finish_counter();
  const LaneFacts* lane = lane_of(event.track_uuid.value_or(0));
  if (lane == nullptr) {
    diagnostics_.add(kUnknownTrack, Place::byte(packet.offset));
    return;
  }
  if (!packet.timestamp) {
    diagnostics_.add(shared::kMissingTime, Place::byte(packet.offset));
    return;
  }
  switch (type) {
    case EventType::kSliceBegin:
      return add_begin(event, *lane, packet);
    case EventType::kSliceEnd: {
      const auto time = time_of(*lane, *packet.timestamp, 0);
      const std::int64_t end = time ? time->ps : 0;
      rows_.end(lane->lane, end, kEmptyString, packet.offset);
      return;
    }
    case EventType::kInstant:
      return add_point(event, *lane, packet);
    case EventType::kCounter:
      return add_sample(event, *lane, packet);
  }
  diagnostics_.add(kUnknownEventType, Place::byte(packet.offset));
}

void OwnEventMapper::note(const DecodedEvent& event, trace::EventId row) {
  ++events_;
  for (const std::uint64_t id : event.flow_ids) flows_.add(id, row, 0, false);
  if (event.annotations.collective) {
    collectives_.push_back(*event.annotations.collective);
    collectives_.back().event = row;
  }
}

void OwnEventMapper::add_begin(const DecodedEvent& event, const LaneFacts& lane,
                               const PacketFacts& packet) {
  const AnnotationFacts& facts = event.annotations;
  const auto start = time_of(lane, *packet.timestamp, facts.start_ps.value_or(0));
  const bool is_near = !facts.duration_ps || (*facts.duration_ps <= kMaxDistanceFromOriginPs &&
                                              *facts.duration_ps >= -kMaxDistanceFromOriginPs);
  if (!start || !is_near || !narrow(WideTime{start->ps} + facts.duration_ps.value_or(0), 0)) {
    diagnostics_.add(shared::kTimeOutOfRange, Place::byte(packet.offset));
    rows_.begin_nothing(lane.lane, packet.offset);
    return;
  }
  std::optional<std::int64_t> duration = facts.duration_ps;
  const trace::EventId row = rows_.begin(lane.lane, describe(event, lane, *start), facts.arguments,
                                         duration, packet.offset);
  note(event, row);
}

void OwnEventMapper::add_point(const DecodedEvent& event, const LaneFacts& lane,
                               const PacketFacts& packet) {
  const auto start = time_of(lane, *packet.timestamp, event.annotations.start_ps.value_or(0));
  if (!start) {
    diagnostics_.add(shared::kTimeOutOfRange, Place::byte(packet.offset));
    return;
  }
  trace::Event row = describe(event, lane, *start);
  row.shape = event.annotations.is_counter ? trace::Shape::kCounter : trace::Shape::kInstant;
  note(event, rows_.add(row, event.annotations.arguments));
}

// The first sample of a counter has the marks of the event; the others follow it at once.
void OwnEventMapper::add_sample(const DecodedEvent& event, const LaneFacts& lane,
                                const PacketFacts& packet) {
  const auto start = time_of(lane, *packet.timestamp, event.annotations.start_ps.value_or(0));
  const auto known = counters_.find(event.track_uuid.value_or(0));
  if (!start || known == counters_.end()) {
    diagnostics_.add(start ? kUnknownTrack : shared::kTimeOutOfRange, Place::byte(packet.offset));
    return;
  }
  if (!counter_) {
    counter_ = describe(event, lane, *start);
    counter_->name = known->second.event;
    counter_->shape = trace::Shape::kCounter;
    counter_arguments_.clear();
  }
  const CounterSample value = event.counter.value_or(CounterSample{});
  counter_arguments_.push_back(value.is_real
                                   ? trace::Argument::real(known->second.key, value.real)
                                   : trace::Argument::integer(known->second.key, value.integer));
  const auto& others = event.annotations.arguments;
  counter_arguments_.insert(counter_arguments_.end(), others.begin(), others.end());
}

void OwnEventMapper::finish_counter() {
  rows_.add(*counter_, counter_arguments_);
  ++events_;
  counter_.reset();
}

void OwnEventMapper::describe_counter(std::uint64_t uuid, std::string_view description) {
  const auto name = parse_counter_text(description);
  if (!name) return;
  counters_[uuid] = {trace_.strings.intern(name->event), trace_.strings.intern(name->key)};
}

void OwnEventMapper::finish() {
  if (counter_) finish_counter();
  if (events_ < header_.events) {
    diagnostics_.add(kMissingEvents, Place::none(), {}, header_.events - events_);
  }
  rows_.finish(false);
  trace::EventTable& events = trace_.events;
  for (std::size_t i = rows_.first_row(); i < events.size(); ++i) {
    if (rows_.is_dropped(i) || narrow(WideTime{events.start[i].ps} + events.duration[i].ps, 0)) {
      continue;
    }
    diagnostics_.add(shared::kTimeOutOfRange);
    rows_.drop(i);
  }
  rows_.compact();
  flows_.bind_own(rows_, header_.flow_names, trace_, diagnostics_);
  for (trace::Collective& collective : collectives_) {
    const auto row = rows_.moved_to(trace::index_of(collective.event));
    if (!row) continue;
    collective.event = trace::EventId{static_cast<std::uint32_t>(*row)};
    trace_.collectives.push_back(collective);
  }
}

}  // namespace lockstep::formats::perfetto

// Mapping of track events.
#include "formats/perfetto/map/track_event_mapper.h"

#include <array>
#include <limits>

#include <protozero/pbf_message.hpp>

#include "formats/perfetto/decode/gpu_stage.h"
#include "formats/perfetto/defects.h"
#include "formats/perfetto/wire/perfetto_fields.h"
#include "formats/shared/record_defects.h"
#include "formats/shared/time_guess.h"

namespace lockstep::formats::perfetto {
namespace {

constexpr std::uint32_t kMonotonicClock = 3;
constexpr std::int64_t kNsPerUs = 1'000;
// Keeps the numbers of old flows (bind_id) apart from those of new ones.
constexpr std::uint64_t kBindIdSalt = 0x9E37'79B9'7F4A'7C15;

std::optional<trace::Kind> kind_named(std::string_view text) {
  for (std::size_t k = 0; k < trace::kKindCount; ++k) {
    if (name_of(static_cast<trace::Kind>(k)) == text) return static_cast<trace::Kind>(k);
  }
  return std::nullopt;
}

std::optional<std::int64_t> us_to_ns(std::int64_t us) {
  std::int64_t ns = 0;
  if (__builtin_mul_overflow(us, kNsPerUs, &ns)) return std::nullopt;
  return ns;
}

}  // namespace

std::optional<std::int64_t> TrackEventMapper::in_file_clock(ClockKey clock, std::int64_t ns) {
  if (!file_clock_) {
    const ClockKey wanted = clocks_.primary().value_or(kBoottimeClock);
    file_clock_ = clocks_.convert(clock, wanted, ns) ? wanted : clock;
  }
  return clocks_.convert(clock, *file_clock_, ns);
}

// Nanoseconds in the clock of the file; counted and nothing when that cannot be told.
std::optional<std::int64_t> TrackEventMapper::time_of(const DecodedEvent* event,
                                                      const PacketFacts& packet,
                                                      SequenceState& sequence) {
  const Place place = Place::byte(packet.offset);
  // A packet that names no clock counts in the file's own.
  const std::uint32_t of_file = clocks_.primary().value_or(kBoottimeClock);
  ClockKey clock = clock_key(packet.clock.value_or(of_file), sequence.id);
  std::optional<std::int64_t> ns;
  if (event != nullptr && (event->time_absolute_us || event->time_delta_us)) {
    if (event->time_absolute_us) {
      sequence.last_time_us = *event->time_absolute_us;
    } else if (__builtin_add_overflow(sequence.last_time_us, *event->time_delta_us,
                                      &sequence.last_time_us)) {
      sequence.last_time_us = 0;
    }
    clock = kMonotonicClock;
    ns = us_to_ns(sequence.last_time_us);
  } else if (packet.timestamp) {
    says_clock_ |= packet.clock.has_value();
    ns = clocks_.resolve(clock, *packet.timestamp);
  } else {
    diagnostics_.add(shared::kMissingTime, place);
    return std::nullopt;
  }
  if (!ns) {
    diagnostics_.add(shared::kTimeOutOfRange, place);
    return std::nullopt;
  }
  const auto time = in_file_clock(clock, *ns);
  if (!time) {
    diagnostics_.add(kUnknownClock, place);
  } else if (first_times_.size() < shared::kTimesForOrigin) {
    first_times_.push_back(WideTime{*time} * kPicosecondsPerNanosecond);
  }
  return time;
}

EventRows::Lane TrackEventMapper::add_lane(const LaneOrigin& origin) {
  placement_.add_lane(origin);
  return rows_.add_lane();
}

EventRows::Lane TrackEventMapper::lane_of_uuid(std::uint64_t uuid) {
  if (recent_lane_ && recent_uuid_ == uuid) return *recent_lane_;
  const auto [known, is_new] = lanes_by_uuid_.try_emplace(uuid);
  if (is_new) known->second = add_lane({LaneOrigin::Sort::kTrack, uuid, 0, 0, {}, {}});
  recent_uuid_ = uuid;
  recent_lane_ = known->second;
  return known->second;
}

EventRows::Lane TrackEventMapper::lane_of_thread(std::int64_t pid, std::int64_t tid) {
  const auto [known, is_new] = lanes_by_thread_.try_emplace({pid, tid});
  if (is_new) known->second = add_lane({LaneOrigin::Sort::kThread, 0, pid, tid, {}, {}});
  return known->second;
}

EventRows::Lane TrackEventMapper::lane_of(const DecodedEvent& event,
                                          const SequenceState& sequence) {
  const LegacyFacts& legacy = event.legacy;
  const std::int64_t pid = legacy.pid.value_or(sequence.pid.value_or(0));
  if (legacy.tid) return lane_of_thread(pid, *legacy.tid);
  if (event.track_uuid) return lane_of_uuid(*event.track_uuid);
  if (sequence.default_track) return lane_of_uuid(*sequence.default_track);
  if (sequence.tid) return lane_of_thread(pid, *sequence.tid);
  return lane_of_uuid(0);
}

// Async events of one category and id pair with each other, on whatever thread they are.
EventRows::Lane TrackEventMapper::lane_of_async(const DecodedEvent& event, EventRows::Lane thread) {
  const LegacyFacts& legacy = event.legacy;
  const bool is_global = legacy.id_scope == LegacyFacts::IdScope::kGlobal;
  const std::string key =
      std::to_string(static_cast<std::uint32_t>(event.category)) + " " +
      std::to_string(static_cast<std::uint32_t>(legacy.id_name)) + " " +
      std::to_string(static_cast<int>(legacy.id_scope)) + " " + std::to_string(legacy.id) + " " +
      (is_global || legacy.id_scope == LegacyFacts::IdScope::kUnscoped ? std::string()
                                                                       : std::to_string(thread));
  const auto [known, is_new] = async_lanes_.try_emplace(key);
  if (is_new) known->second = add_lane({LaneOrigin::Sort::kPairing, 0, 0, 0, {}, {}});
  return known->second;
}

trace::Event TrackEventMapper::describe(const DecodedEvent& event, EventRows::Lane lane,
                                        std::int64_t ns) {
  trace::Event row;
  row.start = Time{ns};
  row.name = event.name;
  row.category = event.category;
  row.track = trace::TrackId{lane};
  row.kind = shared::kind_of_event(placement_.meaning(event.category), trace_.text(event.name));
  if (event.annotations.kind != kEmptyString) {
    row.kind = kind_named(trace_.text(event.annotations.kind)).value_or(row.kind);
  }
  row.correlation = event.correlation.value_or(trace::kNoCorrelation);
  return row;
}

void TrackEventMapper::note(const DecodedEvent& event, trace::EventId row, std::int64_t ns) {
  for (const std::uint64_t id : event.flow_ids) flows_.add(id, row, ns, false);
  for (const std::uint64_t id : event.terminating_flow_ids) flows_.add(id, row, ns, true);
  const LegacyFacts& legacy = event.legacy;
  if (legacy.bind_id && legacy.flow_direction != 0) {
    flows_.add(*legacy.bind_id ^ kBindIdSalt, row, ns, false);
  }
  const AnnotationFacts& facts = event.annotations;
  const bool has_hint = facts.agent != kEmptyString || facts.source_agent != kEmptyString ||
                        facts.target_agent != kEmptyString || facts.stream != kEmptyString;
  if (!has_hint || row == trace::kNoEvent) return;
  const bool is_new = event.type != static_cast<std::int32_t>(EventType::kSliceEnd);
  if (is_new && event.legacy.phase != 'E' && event.legacy.phase != 'e') {
    placement_.add_hint(
        {trace::index_of(row), facts.agent, facts.source_agent, facts.target_agent, facts.stream});
  }
}

void TrackEventMapper::take(const DecodedEvent& event, const PacketFacts& packet,
                            SequenceState& sequence) {
  const auto ns = time_of(&event, packet, sequence);
  if (!ns) return;
  ++track_events_;
  add_samples(event, *ns);
  const EventRows::Lane lane = lane_of(event, sequence);
  if (event.legacy.phase != '\0') {
    take_by_phase(event, lane, *ns, packet.offset);
  } else {
    take_by_type(event, lane, *ns, packet.offset);
  }
}

void TrackEventMapper::take_by_type(const DecodedEvent& event, EventRows::Lane lane,
                                    std::int64_t ns, std::uint64_t offset) {
  switch (static_cast<EventType>(event.type)) {
    case EventType::kSliceBegin:
      note(event,
           rows_.begin(lane, describe(event, lane, ns), event.annotations.arguments, {}, offset),
           ns);
      return;
    case EventType::kSliceEnd:
      note(event, rows_.end(lane, ns, kEmptyString, offset), ns);
      return;
    case EventType::kInstant:
      return add_point(event, lane, ns, trace::Shape::kInstant);
    case EventType::kCounter:
      return;  // add_samples() took it
  }
  diagnostics_.add(kUnknownEventType, Place::byte(offset));
}

void TrackEventMapper::take_by_phase(const DecodedEvent& event, EventRows::Lane lane,
                                     std::int64_t ns, std::uint64_t offset) {
  const auto flow_end = [&](trace::FlowEnd::Role role) {
    loose_flow_ends_.push_back({lane, ns,
                                static_cast<std::int64_t>(event.legacy.id & ~(1ULL << 63)),
                                event.category, role});
  };
  const auto& arguments = event.annotations.arguments;
  switch (event.legacy.phase) {
    case 'B':
      note(event, rows_.begin(lane, describe(event, lane, ns), arguments, {}, offset), ns);
      return;
    case 'E':
      note(event, rows_.end(lane, ns, event.name, offset), ns);
      return;
    case 'b':
    case 'S':
      note(
          event,
          rows_.begin(lane_of_async(event, lane), describe(event, lane, ns), arguments, {}, offset),
          ns);
      return;
    case 'e':
    case 'F':
      note(event, rows_.end(lane_of_async(event, lane), ns, event.name, offset), ns);
      return;
    case 'X':
      return add_whole(event, lane, ns, offset);
    case 'i':
    case 'I':
    case 'R':
    case 'n':
    case 'T':
    case 'p':
      return add_point(event, lane, ns, trace::Shape::kInstant);
    case 'C':
      return add_point(event, lane, ns, trace::Shape::kCounter);
    case 's':
      return flow_end(trace::FlowEnd::Role::kStart);
    case 't':
      return flow_end(trace::FlowEnd::Role::kStep);
    case 'f':
      return flow_end(trace::FlowEnd::Role::kFinish);
    case 'M':
      return;
    default: {
      constexpr std::string_view kUnused = "NODPVvc()=,";
      const bool is_unused = kUnused.find(static_cast<char>(event.legacy.phase)) != kUnused.npos;
      diagnostics_.add(is_unused ? kUnusedPhase : kUnknownEventType, Place::byte(offset));
    }
  }
}

void TrackEventMapper::add_whole(const DecodedEvent& event, EventRows::Lane lane, std::int64_t ns,
                                 std::uint64_t offset) {
  const auto duration = us_to_ns(event.legacy.duration_us);
  if (!duration || *duration < 0) {
    diagnostics_.add(duration ? shared::kNegativeDuration : shared::kTimeOutOfRange,
                     Place::byte(offset));
    return;
  }
  trace::Event row = describe(event, lane, ns);
  row.duration = Time{*duration};
  note(event, rows_.add(row, event.annotations.arguments), ns);
}

void TrackEventMapper::add_point(const DecodedEvent& event, EventRows::Lane lane, std::int64_t ns,
                                 trace::Shape shape) {
  trace::Event row = describe(event, lane, ns);
  row.shape = shape;
  if (shape == trace::Shape::kCounter) row.kind = trace::Kind::kCounter;
  note(event, rows_.add(row, event.annotations.arguments), ns);
}

void TrackEventMapper::add_samples(const DecodedEvent& event, std::int64_t ns) {
  const bool is_counter = event.type == static_cast<std::int32_t>(EventType::kCounter);
  if (is_counter && event.counter && event.track_uuid) {
    CounterSample sample = *event.counter;
    sample.track_uuid = *event.track_uuid;
    add_sample(sample, event, ns);
  }
  for (const CounterSample& sample : event.extra_counters) add_sample(sample, event, ns);
}

void TrackEventMapper::add_sample(const CounterSample& sample, const DecodedEvent& event,
                                  std::int64_t ns) {
  trace::Event row;
  row.start = Time{ns};
  row.track = trace::TrackId{lane_of_uuid(sample.track_uuid)};
  row.kind = trace::Kind::kCounter;
  row.shape = trace::Shape::kCounter;
  row.category =
      event.type == static_cast<std::int32_t>(EventType::kCounter) ? event.category : kEmptyString;
  CounterSample value = sample;
  if (const TrackFacts* track = tracks_.find(sample.track_uuid)) {
    if (value.is_real) {
      value.real *= static_cast<double>(track->unit_multiplier);
    } else {
      if (track->is_incremental) {
        std::int64_t& sum = counter_sums_[sample.track_uuid];
        if (__builtin_add_overflow(sum, value.integer, &sum)) sum = 0;
        value.integer = sum;
      }
      if (__builtin_mul_overflow(value.integer, track->unit_multiplier, &value.integer)) return;
    }
  }
  const StringId key = trace_.strings.intern("value");
  const std::array arguments = {value.is_real ? trace::Argument::real(key, value.real)
                                              : trace::Argument::integer(key, value.integer)};
  rows_.add(row, arguments);
}

void TrackEventMapper::take_gpu_stage(protozero::data_view bytes, const PacketFacts& packet,
                                      SequenceState& sequence) {
  const GpuStage stage =
      read_gpu_stage(bytes, sequence, trace_.strings, old_gpu_queues_, old_gpu_stages_);
  if (!stage.is_event) return;  // only names of queues and stages
  const auto ns = time_of(nullptr, packet, sequence);
  if (!ns) return;
  ++gpu_stages_;
  const auto [known, is_new] = lanes_by_queue_.try_emplace({stage.gpu, stage.queue});
  if (is_new) {
    known->second =
        add_lane({LaneOrigin::Sort::kGpuQueue, 0, 0, 0, builder_.intern(std::to_string(stage.gpu)),
                  builder_.intern(stage.queue)});
  }
  trace::Event row;
  row.start = Time{*ns};
  row.track = trace::TrackId{known->second};
  row.kind = trace::Kind::kKernel;
  row.name = stage.name;
  if (stage.duration_ns > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    diagnostics_.add(shared::kTimeOutOfRange, Place::byte(packet.offset));
    return;
  }
  row.duration = Time{static_cast<std::int64_t>(stage.duration_ns)};
  rows_.add(row, stage.arguments);
}

void TrackEventMapper::set_origin() {
  const WideTime origin = shared::choose_origin(first_times_) / kPicosecondsPerNanosecond;
  origin_ns_ = origin;
  Origin& of_rank = builder_.rank().origin;
  const auto ns = static_cast<std::int64_t>(origin);
  of_rank = {ns, Clock::kUnknown};
  const ClockKey clock = file_clock_.value_or(kBoottimeClock);
  if (const auto since_epoch = clocks_.convert(clock, kRealtimeClock, ns)) {
    of_rank = {*since_epoch, Clock::kEpoch};
  } else if (shared::is_since_1970(origin)) {
    of_rank.clock = Clock::kEpoch;
  } else if (clock == kBoottimeClock && (says_clock_ || !clocks_.is_empty())) {
    of_rank.clock = Clock::kBoot;
  }
}

void TrackEventMapper::bind_loose_flow_ends() {
  for (const LooseFlowEnd& loose : loose_flow_ends_) {
    const auto time = narrow((WideTime{loose.ns} - origin_ns_) * kPicosecondsPerNanosecond, 0);
    if (!time) continue;
    trace::FlowEnd end;
    end.id = loose.id;
    end.category = loose.category;
    end.track = placement_.host_track(loose.lane);
    end.time = *time;
    end.role = loose.role;
    builder_.add_flow_end(end);
  }
}

void TrackEventMapper::finish() {
  rows_.finish(true);
  set_origin();
  trace::EventTable& events = trace_.events;
  for (std::size_t i = rows_.first_row(); i < events.size(); ++i) {
    if (rows_.is_dropped(i)) continue;
    const WideTime ns = events.start[i].ps;
    const WideTime begin = (ns - origin_ns_) * kPicosecondsPerNanosecond;
    const WideTime end = begin + WideTime{events.duration[i].ps} * kPicosecondsPerNanosecond;
    const auto start = narrow(begin, 0);
    const bool is_lost = shared::is_lost_zero(ns, origin_ns_ * kPicosecondsPerNanosecond);
    // A duration over both sides of the origin may be beyond 64 bits.
    if (!start || !narrow(end, 0) || !narrow(end, begin) || is_lost) {
      diagnostics_.add(is_lost ? shared::kZeroTime : shared::kTimeOutOfRange);
      rows_.drop(i);
      continue;
    }
    events.start[i] = *start;
    events.duration[i] = Time{static_cast<std::int64_t>(end - begin)};
  }
  rows_.compact();
  placement_.place(rows_);
  bind_loose_flow_ends();
  flows_.bind_by_time(rows_, trace_, diagnostics_);
}

}  // namespace lockstep::formats::perfetto

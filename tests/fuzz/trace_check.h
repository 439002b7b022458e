// What must hold of a trace that any reader made of any bytes.
#pragma once

#include <limits>

#include "fuzz_check.h"
#include "trace/trace.h"

namespace lockstep {

inline void check_lanes(const trace::Trace& trace) {
  for (const trace::Device& device : trace.devices) {
    LOCKSTEP_FUZZ_CHECK(trace::index_of(device.rank) < trace.ranks.size());
  }
  for (const trace::Process& process : trace.processes) {
    LOCKSTEP_FUZZ_CHECK(trace::index_of(process.rank) < trace.ranks.size());
  }
  for (const trace::Track& track : trace.tracks) {
    LOCKSTEP_FUZZ_CHECK(trace::index_of(track.process) < trace.processes.size());
    const bool on_device = track.side == trace::Track::Side::kDevice;
    LOCKSTEP_FUZZ_CHECK(on_device == (track.device != trace::kNoDevice));
    LOCKSTEP_FUZZ_CHECK(!on_device || trace::index_of(track.device) < trace.devices.size());
  }
}

// The times of events can be written in 64-bit nanoseconds.
inline void check_origins(const trace::Trace& trace) {
  constexpr std::int64_t kReachNs = kMaxDistanceFromOriginPs / kPicosecondsPerNanosecond;
  for (const trace::Rank& rank : trace.ranks) {
    LOCKSTEP_FUZZ_CHECK(rank.origin.ns <= std::numeric_limits<std::int64_t>::max() - kReachNs);
    LOCKSTEP_FUZZ_CHECK(rank.origin.ns >= std::numeric_limits<std::int64_t>::min() + kReachNs);
  }
}

inline void check_events(const trace::Trace& trace) {
  const trace::EventTable& events = trace.events;
  for (std::size_t i = 0; i < events.size(); ++i) {
    LOCKSTEP_FUZZ_CHECK(trace::index_of(events.track[i]) < trace.tracks.size());
    LOCKSTEP_FUZZ_CHECK(static_cast<std::size_t>(events.name[i]) < trace.strings.size());
    LOCKSTEP_FUZZ_CHECK(events.duration[i].ps >= 0);
    LOCKSTEP_FUZZ_CHECK(events.shape[i] == trace::Shape::kSpan || events.duration[i].ps == 0);
    LOCKSTEP_FUZZ_CHECK(events.start[i].ps >= -kMaxDistanceFromOriginPs);
    LOCKSTEP_FUZZ_CHECK(events.end(i).ps <= kMaxDistanceFromOriginPs);
    LOCKSTEP_FUZZ_CHECK(events.correlation[i] >= trace::kNoCorrelation);
  }
}

inline void check_relations(const trace::Trace& trace) {
  for (const trace::Flow& flow : trace.flows) {
    LOCKSTEP_FUZZ_CHECK(trace::index_of(flow.from) < trace.events.size());
    LOCKSTEP_FUZZ_CHECK(trace::index_of(flow.to) < trace.events.size());
    LOCKSTEP_FUZZ_CHECK(flow.from != flow.to);
  }
  std::size_t last = 0;
  for (const trace::Collective& collective : trace.collectives) {
    const std::size_t row = trace::index_of(collective.event);
    LOCKSTEP_FUZZ_CHECK(row < trace.events.size() && row >= last);
    LOCKSTEP_FUZZ_CHECK(trace.events.kind[row] == trace::Kind::kCommunication);
    last = row;
  }
  for (const trace::Step& step : trace.steps) {
    LOCKSTEP_FUZZ_CHECK(trace::index_of(step.rank) < trace.ranks.size());
    LOCKSTEP_FUZZ_CHECK(step.start <= step.end);
  }
}

inline void check_trace(const trace::Trace& trace) {
  check_lanes(trace);
  check_origins(trace);
  check_events(trace);
  check_relations(trace);
}

}  // namespace lockstep

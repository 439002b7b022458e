// What must hold of a trace that any reader made of any bytes.
#pragma once

#include "fuzz_check.h"
#include "trace/trace.h"

namespace lockstep {

inline void check_lanes(const Trace& trace) {
  for (const Process& process : trace.processes) {
    LOCKSTEP_FUZZ_CHECK(index_of(process.rank) < trace.ranks.size());
  }
  for (const Track& track : trace.tracks) {
    LOCKSTEP_FUZZ_CHECK(index_of(track.process) < trace.processes.size());
    const bool on_device = track.side == Track::Side::kDevice;
    LOCKSTEP_FUZZ_CHECK(on_device == (track.device != kNoDevice));
    LOCKSTEP_FUZZ_CHECK(!on_device || index_of(track.device) < trace.devices.size());
  }
}

inline void check_events(const Trace& trace) {
  const EventTable& events = trace.events;
  for (std::size_t i = 0; i < events.size(); ++i) {
    LOCKSTEP_FUZZ_CHECK(index_of(events.track[i]) < trace.tracks.size());
    LOCKSTEP_FUZZ_CHECK(static_cast<std::size_t>(events.name[i]) < trace.strings.size());
    LOCKSTEP_FUZZ_CHECK(events.duration[i].ps >= 0);
    LOCKSTEP_FUZZ_CHECK(events.shape[i] == Shape::kSpan || events.duration[i].ps == 0);
    LOCKSTEP_FUZZ_CHECK(events.start[i].ps >= -kMaxDistanceFromOriginPs);
    LOCKSTEP_FUZZ_CHECK(events.end(i).ps <= kMaxDistanceFromOriginPs);
    LOCKSTEP_FUZZ_CHECK(events.correlation[i] >= kNoCorrelation);
  }
}

inline void check_relations(const Trace& trace) {
  for (const Flow& flow : trace.flows) {
    LOCKSTEP_FUZZ_CHECK(index_of(flow.from) < trace.events.size());
    LOCKSTEP_FUZZ_CHECK(index_of(flow.to) < trace.events.size());
    LOCKSTEP_FUZZ_CHECK(flow.from != flow.to);
  }
  for (const Collective& collective : trace.collectives) {
    LOCKSTEP_FUZZ_CHECK(index_of(collective.event) < trace.events.size());
  }
  for (const Step& step : trace.steps) {
    LOCKSTEP_FUZZ_CHECK(index_of(step.rank) < trace.ranks.size());
    LOCKSTEP_FUZZ_CHECK(step.start <= step.end);
  }
}

inline void check_trace(const Trace& trace) {
  check_lanes(trace);
  check_events(trace);
  check_relations(trace);
}

}  // namespace lockstep

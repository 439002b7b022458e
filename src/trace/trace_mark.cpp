// Sizes, and going back to them.
#include "trace/trace_mark.h"

namespace lockstep::trace {

TraceMark::TraceMark(const Trace& trace)
    : ranks_(trace.ranks.size()),
      processes_(trace.processes.size()),
      devices_(trace.devices.size()),
      tracks_(trace.tracks.size()),
      events_(trace.events.size()),
      flows_(trace.flows.size()),
      steps_(trace.steps.size()),
      collectives_(trace.collectives.size()) {}

void TraceMark::roll_back(Trace& trace) const {
  trace.ranks.resize(ranks_);
  trace.processes.resize(processes_);
  trace.devices.resize(devices_);
  trace.tracks.resize(tracks_);
  trace.events.truncate(events_);
  trace.arguments.truncate(events_);
  trace.flows.truncate(flows_);
  trace.steps.resize(steps_);
  trace.collectives.resize(collectives_);
}

}  // namespace lockstep::trace

// One pass over the flows.
#include "trace/host/launches.h"

namespace lockstep::trace {
namespace {

void set_first(std::vector<EventId>& by_event, std::size_t events, const Flow& flow) {
  if (by_event.empty()) by_event.assign(events, kNoEvent);
  EventId& from = by_event[index_of(flow.to)];
  if (from == kNoEvent) from = flow.from;
}

}  // namespace

Launches find_launches(const Trace& trace) {
  Launches launches;
  for (const Flow& flow : trace.flows) {
    if (flow.from == kNoEvent || flow.to == kNoEvent) continue;
    if (flow.kind == Flow::Kind::kLaunch) {
      set_first(launches.calls, trace.events.size(), flow);
    } else if (trace.on_device(index_of(flow.to)) && !trace.on_device(index_of(flow.from))) {
      set_first(launches.operators, trace.events.size(), flow);
    }
  }
  return launches;
}

}  // namespace lockstep::trace

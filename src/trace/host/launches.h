// Who asked for the work of a device: the arrows of a trace, by the event that they point at.
#pragma once

#include <vector>

#include "trace/trace.h"

namespace lockstep::trace {

// By event; empty when the trace has no such arrow. Of several arrows the first one counts.
struct Launches {
  std::vector<EventId> calls;      // the runtime call that launched it
  std::vector<EventId> operators;  // another host event that the file connects with device work

  [[nodiscard]] EventId call_of(EventId event) const {
    return calls.empty() ? kNoEvent : calls[index_of(event)];
  }
  [[nodiscard]] EventId operator_of(EventId event) const {
    return operators.empty() ? kNoEvent : operators[index_of(event)];
  }
};

[[nodiscard]] Launches find_launches(const Trace& trace);

}  // namespace lockstep::trace

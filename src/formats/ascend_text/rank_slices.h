// Slices of one timeline, each read as a rank of its own, put together as one.
#pragma once

#include <cstddef>
#include <cstdint>

#include "trace/trace.h"

namespace lockstep::formats::ascend_text {

// How far a trace was filled.
struct TraceEnd {
  std::size_t ranks = 0;
  std::size_t processes = 0;
  std::size_t devices = 0;
  std::size_t tracks = 0;
  std::size_t events = 0;
  std::size_t flows = 0;
  std::size_t steps = 0;
  std::size_t collectives = 0;
};
[[nodiscard]] TraceEnd end_of(const trace::Trace& trace);
// Takes back all that was added since. Strings and diagnostics stay.
void cut_back(trace::Trace& trace, const TraceEnd& end);

// Whether the last rank can be a slice of the one before it.
enum class SliceFit : std::uint8_t { kFits, kOtherClock, kFarAway };

// Folds the last rank of the trace into the one before it: processes, devices and tracks with the
// same ids become one, times are moved to the zero of the first. Unless it fits nothing is changed.
[[nodiscard]] SliceFit fold_last_rank(trace::Trace& trace);

// Joins device work to the call with its correlation where they lie in different slices, by the
// rules of FlowBinder. The rows from `first_row` and the flows from `first_flow` on are the rank's.
void join_across_slices(trace::Trace& trace, std::size_t first_row, std::size_t first_flow,
                        Diagnostics& diagnostics);

}  // namespace lockstep::formats::ascend_text

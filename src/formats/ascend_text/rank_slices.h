// Slices of one timeline, each read as a rank of its own, put together as one.
#pragma once

#include <cstddef>

#include "trace/trace.h"

namespace lockstep::ascend_text {

// Folds the last rank of the trace into the one before it: processes, devices and tracks with the
// same ids become one, times are moved to the zero of the first. False when the zeros cannot be
// compared; nothing is changed then.
[[nodiscard]] bool fold_last_rank(Trace& trace);

// Joins device work to the call with its correlation where they lie in different slices. The rows
// from `first_row` on are the rank's.
void join_across_slices(Trace& trace, std::size_t first_row);

}  // namespace lockstep::ascend_text

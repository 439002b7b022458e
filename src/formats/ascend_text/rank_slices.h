// Slices of one timeline, each read as a rank of its own, put together as one.
#pragma once

#include "trace/trace.h"

namespace lockstep::ascend_text {

// Folds the last rank of the trace into the one before it: processes, devices and tracks with the
// same ids become one, times are moved to the zero of the first. False when the zeros cannot be
// compared; nothing is changed then.
[[nodiscard]] bool fold_last_rank(Trace& trace);

}  // namespace lockstep::ascend_text

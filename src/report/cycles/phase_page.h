// The phases of a stream as a table: passes of one model and phase are one row, wherever they run.
#pragma once

#include "analysis/cycles/cycles.h"
#include "report/layout/page.h"

namespace lockstep::report::cycles {

// Adds nothing where the stream has no phases.
void add_phases(const analysis::cycles::StreamCycles& cycles, layout::Page& page);

}  // namespace lockstep::report::cycles

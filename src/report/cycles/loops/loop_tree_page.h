// The nest of loops of one stream as an indented table, with what is worth saying below a loop.
#pragma once

#include <span>

#include "analysis/cycles/cycles.h"
#include "report/cycles/loops/loop_rows.h"
#include "report/layout/page.h"

namespace lockstep::report::cycles {

void add_loop_tree(const analysis::cycles::StreamCycles& stream, std::span<const LoopRow> rows,
                   layout::Page& page);

}  // namespace lockstep::report::cycles

// The nest of loops of one stream as an indented table, with what is worth saying below a loop.
#pragma once

#include <cstddef>
#include <vector>

#include "analysis/cycles/cycles.h"
#include "report/layout/page.h"

namespace lockstep::report::cycles {

// `shown` are indices of loops, parents before children.
void add_loop_tree(const analysis::cycles::StreamCycles& stream,
                   const std::vector<std::size_t>& shown, layout::Page& page);

}  // namespace lockstep::report::cycles

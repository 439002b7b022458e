// The nest of loops of one stream as an indented table, with what is worth saying below a loop.
#pragma once

#include <string>
#include <vector>

#include "analysis/cycles/cycles.h"
#include "report/layout/text_style.h"

namespace lockstep::report::cycles {

// `shown` are indices of loops, parents before children.
[[nodiscard]] std::string loop_tree(const analysis::cycles::StreamCycles& stream,
                                    const std::vector<std::size_t>& shown,
                                    const layout::TextStyle& style);

}  // namespace lockstep::report::cycles

// The nest of loops of one stream as an indented table, with what is worth saying below a loop.
#pragma once

#include <string>
#include <vector>

#include "analysis/cycles/cycles.h"
#include "report/layout/text_style.h"

namespace lockstep {

// `shown` are indices of loops, parents before children.
[[nodiscard]] std::string loop_tree(const StreamCycles& stream,
                                    const std::vector<std::size_t>& shown, const TextStyle& style);

}  // namespace lockstep

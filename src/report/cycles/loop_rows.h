// The rows of the table of loops: equal loops at several places of one parent are one row.
#pragma once

#include <cstddef>
#include <vector>

#include "analysis/cycles/cycles.h"

namespace lockstep::report::cycles {

// Loops with one body, role and phase below the same loop (or below loops that are one row
// themselves): the layers of a first, cut pass and those of the next. Indices, the first place
// first.
using LoopRow = std::vector<std::size_t>;

// `shown` are indices of loops, parents before children; every one is in one row.
[[nodiscard]] std::vector<LoopRow> equal_loops(const analysis::cycles::StreamCycles& stream,
                                               const std::vector<std::size_t>& shown);

// The median wall of the iterations of a row that compare.
[[nodiscard]] Time median_wall(const analysis::cycles::StreamCycles& stream, const LoopRow& row);

// Of all iterations of a row.
[[nodiscard]] analysis::breakdown::Breakdown breakdown_of(
    const analysis::cycles::StreamCycles& stream, const LoopRow& row);

}  // namespace lockstep::report::cycles

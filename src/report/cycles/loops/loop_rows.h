// The rows of the table of loops: equal loops at several places of one parent are one row, and so
// are the passes of a model that come in several runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analysis/cycles/cycles.h"

namespace lockstep::report::cycles {

struct LoopRow {
  std::vector<std::size_t> loops;  // indices, the first place first
  std::uint32_t depth = 0;         // in the table
  // Passes of one class wherever they run, between those of others: a server that serves several
  // requests. `loops` are the runs of them that are loops; a pass alone is none.
  const analysis::cycles::PassClass* passes = nullptr;
  std::vector<std::size_t> spans;  // of cycles.phases, that hold those passes
};

// `shown` are indices of loops, parents before children; every one is in one row, but for those
// that hold passes of a family by chance. Loops with one body, role and phase below the same row
// are one; below passes of a family, those with as many kernels. A row stands below the one around
// it, and passes of one family stand together.
[[nodiscard]] std::vector<LoopRow> loop_rows(const analysis::cycles::StreamCycles& stream,
                                             const std::vector<std::size_t>& shown);

// The walls of all iterations of a row, in order.
[[nodiscard]] std::vector<Time> walls_of(const analysis::cycles::StreamCycles& stream,
                                         const LoopRow& row);

// The median wall of the iterations of a row that compare.
[[nodiscard]] Time median_wall(const analysis::cycles::StreamCycles& stream, const LoopRow& row);

// Of all iterations of a row.
[[nodiscard]] analysis::breakdown::Breakdown breakdown_of(
    const analysis::cycles::StreamCycles& stream, const LoopRow& row);

}  // namespace lockstep::report::cycles

// Ranks that run the same loops are one section, with a row a rank.
#pragma once

#include <cstddef>
#include <vector>

#include "analysis/cycles/cycles.h"
#include "report/layout/page.h"

namespace lockstep::report::cycles {

// Streams of different ranks whose shown loops have the same shapes, roles and phases; a stream
// whose like no other rank has is alone. Indices of Cycles::streams, those of the busiest stream
// first; by rank in a group.
[[nodiscard]] std::vector<std::vector<std::size_t>> streams_alike(
    const analysis::cycles::Cycles& cycles, bool show_all);

// A row a stream of the group; nothing for a stream alone.
void add_ranks(const analysis::cycles::Cycles& cycles, const std::vector<std::size_t>& group,
               layout::Page& page);

}  // namespace lockstep::report::cycles

// What of a stream is compared as one thing: a loop (its iterations are the sample), or a segment
// between loops (equal ones together).
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/compare/compare.h"
#include "analysis/compare/items/item_rules.h"
#include "analysis/cycles/cycles.h"

namespace lockstep::analysis::compare {

struct CompareItem {
  PairSide side;  // walls are filled in when the item is paired
  cycles::Iteration body;
  std::vector<cycles::IterationTime> iterations;  // never empty
  // Of each iteration, whether it reaches to the start of the next one. The last one of an instance
  // ends with its last kernel, as segments do.
  std::vector<bool> reaches_next;
};

// By start; they share no kernel and leave out none but those of iterations outside of `share`.
// A loop of requests is looked into: its passes and what lies between are the items. A single pass
// that is compared whole is a segment, loops of layers inside and all; short loops that are not
// large in either trace are left in the segment around them.
[[nodiscard]] std::vector<CompareItem> compare_items(const cycles::StreamCycles& cycles,
                                                     std::uint32_t stream, IterationShare share,
                                                     const ItemRules& rules);

// Loops inside of the single passes that are compared whole: layers, whose iterations are a sample
// where the pass is none. By start.
[[nodiscard]] std::vector<CompareItem> inner_items(const cycles::StreamCycles& cycles,
                                                   std::uint32_t stream, const ItemRules& rules);

}  // namespace lockstep::analysis::compare

// What of a stream is compared as one thing: a loop (its iterations are the sample), or a segment
// between loops (equal ones together).
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "analysis/compare/compare.h"
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

// Phases whose single passes are compared whole, as one segment.
using WholePhases = std::set<cycles::PhaseName>;

// A single prefill is a segment by itself. Single passes of another phase are, when a loop of such
// passes in either trace asks for partners; else their layers are the better sample.
[[nodiscard]] WholePhases whole_phases(const cycles::Cycles& a, const cycles::Cycles& b);

// By start; they share no kernel and leave out none but those of iterations outside of `share`.
// A loop of requests is looked into: its passes and what lies between are the items. A single pass
// of one of `whole` is a segment, loops of layers inside and all; so are short loops that hardly
// take time.
[[nodiscard]] std::vector<CompareItem> compare_items(const cycles::StreamCycles& cycles,
                                                     std::uint32_t stream, IterationShare share,
                                                     const WholePhases& whole);

// Loops inside of the single passes that are compared whole: layers, whose iterations are a sample
// where the pass is none. By start.
[[nodiscard]] std::vector<CompareItem> inner_items(const cycles::StreamCycles& cycles,
                                                   std::uint32_t stream, const WholePhases& whole);

}  // namespace lockstep::analysis::compare

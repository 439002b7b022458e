// Cycles as the anchor method finds them: candidates, verification, sub-cycles.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/cycles/cycles.h"

namespace lockstep {

// A pattern inside a cycle, found in its first window.
struct AnchorSubCycle {
  std::uint32_t length = 0;
  std::vector<std::uint32_t> offsets;  // of its occurrences from the start of the cycle
};

struct AnchorCycle {
  std::uint32_t anchor = 0;  // symbol
  std::uint32_t length = 0;
  std::vector<std::uint32_t>
      starts;  // of the windows that match the first one, which is among them
};

// Verified cycles in the order of their candidates: anchors by count, the most frequent first, then
// by name. O(candidates * kernels).
[[nodiscard]] std::vector<AnchorCycle> find_anchor_cycles(const KernelStream& stream,
                                                          const AnchorOptions& options);

// The shortest sub-cycle; of several the one that begins first. Length 0 where there is none.
[[nodiscard]] AnchorSubCycle find_sub_cycle(const KernelStream& stream, const AnchorCycle& cycle,
                                            const AnchorOptions& options);

}  // namespace lockstep

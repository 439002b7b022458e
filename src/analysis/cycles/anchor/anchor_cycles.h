// Cycles as the anchor method finds them: candidates, verification, sub-cycles.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/cycles/cycles.h"

namespace lockstep::analysis::cycles {

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

// Looks for sub-cycles in the cycles of one stream, which it reads once: an anchor of any kernel of
// a cycle finds the cycle again, so there may be as many cycles as kernels in one.
class SubCycleSearch {
 public:
  SubCycleSearch(const KernelStream& stream, const AnchorOptions& options);

  // The shortest sub-cycle; of several the one that begins first. Length 0 where there is none.
  // Linear in the cycle's length, and once more for each sub-cycle that is tried.
  [[nodiscard]] AnchorSubCycle find_in(const AnchorCycle& cycle) const;

 private:
  [[nodiscard]] std::vector<std::uint32_t> offsets_from(std::uint32_t first,
                                                        const AnchorCycle& cycle) const;

  const AnchorOptions& options_;
  std::vector<std::uint32_t> signatures_;
  // The nearest kernels of the same signature; none is 0 before, the number of kernels behind.
  std::vector<std::uint32_t> after_last_;  // one more than the index of the one before
  std::vector<std::uint32_t> next_;
};

}  // namespace lockstep::analysis::cycles

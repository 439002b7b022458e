// The anchor method: loops from kernels that recur at even distances. What `--method anchor` runs,
// so that answers can be held against those of tools that work this way.
//
// A kernel name is an anchor when it is neither rare nor frequent and all distances between its
// occurrences are nearly the first one. The cycle begins at its first occurrence; windows that
// follow at that fixed stride are iterations when nearly all their names equal the first window's.
// Inside long cycles, signatures that recur make a sub-cycle. Anchors whose cycles begin with the
// same signatures have found the same pattern. The order of candidates, which decides among equal
// ones, is by count and then by name, so the answer is always the same.
//
// Known weaknesses are the method's: one irregular distance rejects an anchor for the whole stream,
// and one inserted kernel shifts every window behind it. The default method has none of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/cycles/cycles.h"

namespace lockstep {

// A repeating pattern: a sub-cycle where the cycle has one, else the cycle.
struct AnchorPattern {
  std::uint32_t length = 0;
  std::uint64_t repetitions = 0;   // of a sub-cycle: those in a cycle times the cycles
  double centre_percent = 0;       // middle of what it spans, of the stream
  std::string anchor;              // name of the kernel that found the cycle
  std::string signature;           // of its first kernels, what patterns are told apart by
  std::uint32_t cycle_length = 0;  // of the cycle around; the same as `length` without sub-cycle
  std::uint32_t cycle_repetitions = 0;
};

// All patterns by centre, earliest first.
[[nodiscard]] std::vector<AnchorPattern> find_anchor_patterns(const KernelStream& stream,
                                                              const AnchorOptions& options);

// The chosen cycle, with its sub-cycle as its child; no loops where there is none. Prefill is the
// pattern with the earliest centre, decode that with the latest; else, and where there is no
// pattern to choose from, it is the cycle with the most repetitions.
[[nodiscard]] Nest find_anchor_nest(const KernelStream& stream, const AnchorOptions& options,
                                    CycleMode mode);

}  // namespace lockstep

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

#include <vector>

#include "analysis/cycles/cycles.h"

namespace lockstep::analysis::cycles {

struct AnchorLoops {
  Nest nest;                            // no loops where there is no cycle
  std::vector<AnchorPattern> patterns;  // all, the earliest centre first; one is selected
};

// The nest is the chosen cycle, with its sub-cycle as its child. Prefill is the pattern with the
// earliest centre, decode that with the latest. Else it is the cycle with the most repetitions,
// which another one may stand for among the patterns: of those with one signature the one that
// repeats most when its sub-cycles are counted.
[[nodiscard]] AnchorLoops find_anchor_loops(const KernelStream& stream,
                                            const AnchorOptions& options, CycleMode mode);

}  // namespace lockstep::analysis::cycles

// Passes that take turns: a recurrent model that looks at its input from either side repeats every
// second pass only. By name two passes are the body; by role it is twice the same work.
#pragma once

#include <vector>

#include "analysis/cycles/nest/found_loop.h"
#include "analysis/cycles/nest/likeness.h"
#include "analysis/cycles/stream/kernel_stream.h"

namespace lockstep::analysis::cycles {

// Makes two iterations of each where the halves of a body that holds loops do the same work, and
// counts the second half as exceptions. Loops that the user marked stay, and so does what trains:
// two halves of a step are its micro-steps.
void unfold_alternating(const KernelStream& stream, const Likeness& likeness,
                        std::vector<FoundLoop>& loops);

// Halves the bodies of loops that are twice the same but for a kernel or two. A kernel that one
// iteration lacks in the middle of a run leaves repetitions of two iterations that are exact.
void unfold_doubled(const KernelStream& stream, std::vector<FoundLoop>& loops);

}  // namespace lockstep::analysis::cycles

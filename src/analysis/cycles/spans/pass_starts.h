// Where passes begin that are no loop, because no two of them have the same kernels.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/cycles/phases/loop_roles.h"

namespace lockstep::analysis::cycles {

// A kernel that runs once a pass (a lookup of words, the output, sampling) has as many attention
// kernels between any two of its runs, however much else differs: experts that were chosen,
// products for other lengths. Kinds of layers that take turns do so as well; so sampling must be
// among such kernels, or what begins a pass (a lookup, a convolution), and of several numbers the
// largest that it tells counts.
//
// Kernels of `range` with which a pass begins, but for the first pass; ascending. Empty where
// nothing of the sort is found, and where the stream trains.
[[nodiscard]] std::vector<std::uint32_t> pass_starts(const KernelStream& stream,
                                                     const WorkCounter& work, Iteration range);

}  // namespace lockstep::analysis::cycles

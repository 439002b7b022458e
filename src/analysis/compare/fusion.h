// Several kernels against one: what a compiler fused, or a library split.
#pragma once

#include <vector>

#include "analysis/compare/body_pairing.h"

namespace lockstep::analysis::compare {

// Regroups what lies between kernels that surely belong together, so that runs of kernels whose
// operations one kernel of the other side mentions stand against it; then gives kernels that are
// left alone to a near group that misses their operation (the silu before the GEMM that
// "mul_silu" after it does), and joins kernels of one name that only moved. `groups` are in order,
// each of at most one kernel a side.
[[nodiscard]] std::vector<KernelGroup> find_fusions(const BodyLikeness& likeness, const Body& a,
                                                    const Body& b, std::vector<KernelGroup> groups);

}  // namespace lockstep::analysis::compare

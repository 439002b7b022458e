// The kernels of a loop's body, one by one, over all its iterations.
#pragma once

#include <vector>

#include "analysis/cycles/cycles.h"
#include "base/string_pool.h"

namespace lockstep::analysis::cycles {

// One for each kernel of the body, in order. The name is the one that most iterations have there.
// Linear in the kernels of the loop, and needs no memory beyond the answer for long bodies.
[[nodiscard]] std::vector<Position> measure_positions(const KernelStream& stream,
                                                      const NestLoop& loop,
                                                      const StringPool& strings);

}  // namespace lockstep::analysis::cycles

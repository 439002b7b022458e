// Counts the attention kernels that tell how many layers a body has.
#pragma once

#include <cstdint>

#include "analysis/cycles/nest/nest.h"
#include "analysis/cycles/stream/kernel_stream.h"

namespace lockstep::analysis::cycles {

// Kernels of the one attention family that takes the most time; softmax where there is none.
[[nodiscard]] std::uint32_t count_layer_anchors(const KernelStream& stream, Iteration body);

}  // namespace lockstep::analysis::cycles

// Which kernel of an iteration stands for which kernel of the body.
//
// An iteration of the body's length maps by offset. One with inserted or missing kernels maps by
// an alignment with the fewest edits: by name, or by role where the names differ too much. Kernels
// that it inserts stand for none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "algo/sequences/edit_distance.h"
#include "analysis/cycles/nest/nest.h"
#include "analysis/cycles/stream/kernel_stream.h"

namespace lockstep::analysis::cycles {

inline constexpr std::uint32_t kNoKernel = 0xFFFF'FFFF;

// An iteration of another length than the body.
struct OddIteration {
  std::size_t number = 0;              // over all instances of the loop, from 0
  std::vector<std::uint32_t> kernels;  // of each position of the body; kNoKernel where missing
};

// The kernels of `part` that stand for those of `body`; nothing where they have too little in
// common.
[[nodiscard]] std::optional<algo::EditAlignment> align(const KernelStream& stream, Iteration body,
                                                       Iteration part);

// Of all instances, by number. Nothing for a loop whose iterations all have the body's length.
[[nodiscard]] std::vector<OddIteration> map_odd_iterations(const KernelStream& stream,
                                                           const NestLoop& loop);

}  // namespace lockstep::analysis::cycles

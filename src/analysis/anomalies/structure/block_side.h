// The main computing path of a structure and what runs beside it.
#pragma once

#include <cstdint>
#include <span>

#include "analysis/anomalies/structure/structure.h"

namespace lockstep::analysis::anomalies {

// Kernels of the main stream that compute for at least this are the block. small_op_us; but where
// those hold less than half of the main stream's computing time, small kernels are the work, and
// size says nothing.
[[nodiscard]] Time block_limit(const StructureInput& input, trace::TrackId main,
                               const Thresholds& thresholds);

// Rules in order: a computing kernel of the main stream of at least `limit` is of the block;
// communication, the AI CPU, smaller kernels and other streams are of the side.
[[nodiscard]] constexpr bool is_of_block(const DeviceWork& kernel, trace::TrackId main,
                                         Time limit) {
  return kernel.kind == trace::Kind::kKernel && kernel.track == main && kernel.duration() >= limit;
}

// Clocks of some kernels (of the timeline, ascending), with those of each operator.
[[nodiscard]] BlockOrSide sum_up(const StructureInput& input,
                                 std::span<const std::uint32_t> kernels,
                                 const Thresholds& thresholds = {});

}  // namespace lockstep::analysis::anomalies

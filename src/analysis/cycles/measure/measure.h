// How long the iterations of loops take, and where their time goes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "algo/statistics/outliers.h"
#include "analysis/cycles/cycles.h"
#include "base/string_pool.h"

namespace lockstep::analysis::cycles {

// Iterations that differ by less take alike: no outlier and no regime of their own.
inline constexpr algo::NoiseFloor kIterationNoise{.relative = 0.01,
                                                  .absolute = kPicosecondsPerMicrosecond};
// Instances of fewer iterations keep the wall of their last one among those that are compared.
inline constexpr std::size_t kFewestToCompare = 3;
// Fewer iterations have no trend: the test of it needs as many.
inline constexpr std::size_t kFewestForTrend = 8;
// A trend is said to be one when chance makes it less often than this.
inline constexpr double kTrendLevel = 0.01;
// A trend matters to people when it moves an iteration by this share of it over the run.
inline constexpr double kDriftThatMatters = 0.1;

// A place of the body around a loop is odd when at least half of this many instances or more have
// an outlier there.
inline constexpr std::size_t kFewestForOddPlace = 3;

// All of Loop but its role, phase and breakdown, for each loop of the nest. `strings` has the names
// of the stream's symbols. Linear in the kernels of each loop.
[[nodiscard]] std::vector<Loop> measure_loops(const KernelStream& stream, const Nest& nest,
                                              const StringPool& strings);

// The iterations, by number over all instances, whose walls compare: in an instance of at least
// kFewestToCompare, the last one lacks the gap to the next and would always be short.
[[nodiscard]] std::vector<std::uint32_t> comparable_iterations(const NestLoop& loop);

// Kernels inside the outermost loops.
[[nodiscard]] std::uint32_t covered_kernels(const Nest& nest);

}  // namespace lockstep::analysis::cycles

// The durations of an item's kernels, iteration by iteration: the samples that rows compare.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "analysis/breakdown/breakdown.h"
#include "analysis/compare/body_pairing.h"
#include "analysis/compare/items/items.h"

namespace lockstep::analysis::compare {

using Sample = std::vector<std::int64_t>;  // picoseconds, one an iteration

// Kernels of one name that some iterations have beyond the body.
struct ExtraKernels {
  KernelClass kernel = 0;
  std::uint32_t first_place = 0;  // in its iteration
  Sample sample;
};

// Of every iteration: wall = kernels of the body + kernels beyond it + idle + overlap.
struct ItemSamples {
  Body body;
  std::vector<Sample> positions;     // by position of the body; 0 where an iteration lacks it
  std::vector<ExtraKernels> beyond;  // by first appearance
  Sample idle;
  Sample overlap;  // never above 0
  Sample wall;
  std::vector<breakdown::Window> windows;  // as long as the walls
};

// Where an iteration ends. The pause after the last one of an instance is unknown: either
// iterations without it are left out, or the pauses of all are.
enum class SampleWindow : std::uint8_t { kToNextStart, kToLastKernel };

// The same for both sides of a pair: to the next start where at least kMinWholeIterations of each
// reach there.
[[nodiscard]] SampleWindow window_for(const CompareItem& a, const CompareItem& b);
inline constexpr std::ptrdiff_t kMinWholeIterations = 2;

// `classes` by symbol of the stream.
[[nodiscard]] ItemSamples take_samples(const CompareItem& item, const cycles::KernelStream& stream,
                                       std::span<const KernelClass> classes, SampleWindow window);

}  // namespace lockstep::analysis::compare

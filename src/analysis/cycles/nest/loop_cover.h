// Chooses which of many overlapping loops describe a sequence best: those that make its description
// shortest.
//
// A kernel outside loops costs 1; a loop costs kLoopCost, what one of its bodies costs, and 1 for
// each exception. The cost of a body is found the same way from the loops inside it, so that an
// outer loop of two iterations beats its inner loops, which it would have to describe twice.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "algo/sequences/sequence_hash.h"
#include "analysis/cycles/stream/kernel_stream.h"

namespace lockstep::analysis::cycles {

// Iterations of `period` kernels that may lie anywhere inside [start, end).
struct LoopCandidate {
  std::uint32_t start = 0;
  std::uint32_t end = 0;
  std::uint32_t period = 0;
  std::uint32_t root = 0;  // where its canonical rotation begins
  std::uint32_t exceptions = 0;
  SymbolLevel level = SymbolLevel::kName;
  // The repetition itself, where [start, end) bridges exceptions; else the same.
  std::uint32_t run_start = 0;
  std::uint32_t run_end = 0;

  [[nodiscard]] std::uint32_t complete() const { return (end - start) / period; }
};

struct PlacedLoop {
  LoopCandidate candidate;
  std::uint32_t start = 0;
  std::uint32_t complete = 0;

  [[nodiscard]] std::uint32_t end() const { return start + complete * candidate.period; }
};

inline constexpr std::uint32_t kLoopCost = 2;

// The best cover of the sequence by loops that do not overlap, in order. `candidates` are sorted by
// (start, period); `hash` is of the sequence that they were found in. A loop that holds loops may
// have no more exceptions than the share `pass_tolerance` of its kernels.
[[nodiscard]] std::vector<PlacedLoop> choose_loops(std::span<const LoopCandidate> candidates,
                                                   const algo::SequenceHash& hash,
                                                   double pass_tolerance);

}  // namespace lockstep::analysis::cycles

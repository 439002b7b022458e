// Every loop that a stretch of a stream could be said to run: exact repetitions of names, and
// repetitions of signatures or roles whose names differ here and there.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "algo/sequences/sequence_hash.h"
#include "analysis/cycles/nest/loop_cover.h"
#include "analysis/cycles/stream/kernel_stream.h"

namespace lockstep::analysis::cycles {

// The kernels [lo, hi) of a stream. Candidates and loops count from `lo`.
struct Stretch {
  const KernelStream& stream;
  std::uint32_t lo = 0;
  std::uint32_t hi = 0;

  [[nodiscard]] std::uint32_t size() const { return hi - lo; }
  [[nodiscard]] std::span<const std::uint32_t> names() const {
    return std::span(stream.names).subspan(lo, size());
  }
};

// Shorter bodies are alike by chance: every model alternates GEMMs and elementwise kernels.
inline constexpr std::uint32_t kShortestTolerantPeriod = 8;

// Kernels that do the work of a model; a layer has at least one.
[[nodiscard]] constexpr bool is_heavy(kernels::KernelRole role) {
  return role == kernels::KernelRole::kGemm || role == kernels::KernelRole::kAttention ||
         role == kernels::KernelRole::kExpertGemm || role == kernels::KernelRole::kConvolution;
}

// Exact repetitions, by (start, period).
[[nodiscard]] std::vector<LoopCandidate> exact_candidates(const algo::SequenceHash& hash);

// Repetitions of one body that follow each other across at most the share `tolerance` of a period:
// one loop, interrupted by an exception. Each as one candidate.
[[nodiscard]] std::vector<LoopCandidate> bridged_candidates(const algo::SequenceHash& hash,
                                                            std::span<const LoopCandidate> exact,
                                                            double tolerance);

// Repetitions at another level that no exact one of the same period mostly covers; at most the
// share `tolerance` of their kernels has another name than most have at that place of the body.
[[nodiscard]] std::vector<LoopCandidate> tolerant_candidates(const Stretch& stretch,
                                                             SymbolLevel level,
                                                             std::span<const LoopCandidate> exact,
                                                             double tolerance);

// Both lists as one, by (start, period); of two equal ones the first stays.
[[nodiscard]] std::vector<LoopCandidate> merged_candidates(std::vector<LoopCandidate> a,
                                                           std::vector<LoopCandidate> b);

// Kernels of `complete` iterations from `start` on that differ by name from what most iterations
// have at their place.
[[nodiscard]] std::uint32_t count_exceptions(std::span<const std::uint32_t> names,
                                             std::uint32_t start, std::uint32_t period,
                                             std::uint32_t complete);

}  // namespace lockstep::analysis::cycles

// Which streams of one trace go with which of the other, and which loops and segments: the optimal
// assignment on similarity.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "analysis/compare/items/items.h"
#include "analysis/compare/kernel_book.h"

namespace lockstep::analysis::compare {

// How the work of a stream or a body is spread over kernels: for each, the mean of its share of the
// time and its share of the number. Order plays no part, so a rotation does not matter.
class KernelMix {
 public:
  // Kernels [range) of the stream; `classes` by symbol.
  KernelMix(const KernelBook& book, const cycles::KernelStream& stream, cycles::Iteration range,
            std::span<const KernelClass> classes);

  // 0 to 1: what is common by name; what is so by signature or role only counts less.
  [[nodiscard]] double similarity(const KernelMix& other) const;
  [[nodiscard]] std::size_t size() const { return size_; }
  friend bool operator==(const KernelMix&, const KernelMix&) = default;

 private:
  using Shares = std::vector<std::pair<std::uint32_t, double>>;  // by key

  static double common(const Shares& a, const Shares& b);

  Shares by_name_;
  Shares by_signature_;
  Shares by_role_;  // kernels of unknown role by signature
  std::size_t size_ = 0;
};

using Partners = std::vector<std::optional<std::uint32_t>>;

// For each stream of a the index of its partner in b. Equal rank, device and stream ids speak for
// a pair, so that alike streams (ranks of one job) go with their namesakes. Namesakes that do
// exactly the same are paired at once, so that any number of streams of one trace find themselves.
[[nodiscard]] Partners match_streams(const KernelBook& book,
                                     std::span<const cycles::StreamCycles> a,
                                     std::span<const std::vector<KernelClass>> classes_a,
                                     std::span<const cycles::StreamCycles> b,
                                     std::span<const std::vector<KernelClass>> classes_b);

// One side of a matched pair of streams.
struct StreamItems {
  const cycles::KernelStream& stream;
  std::span<const KernelClass> classes;
  std::span<const CompareItem> items;
};

// For each item of a the index of its partner in b. A prefill never goes with a decode but where
// phases may be paired, and what trains never with what does not. Items of equal kernels are paired
// at once, in order.
[[nodiscard]] Partners match_items(const KernelBook& book, const StreamItems& a,
                                   const StreamItems& b, double min_similarity,
                                   bool pair_phases = false);

// What two streams have in common, 0 to 1.
[[nodiscard]] double stream_similarity(const KernelBook& book, const cycles::KernelStream& a,
                                       std::span<const KernelClass> classes_a,
                                       const cycles::KernelStream& b,
                                       std::span<const KernelClass> classes_b);

}  // namespace lockstep::analysis::compare

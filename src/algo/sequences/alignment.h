// Two sequences of unlike symbols laid side by side at the least cost, also when one of them turns
// in a circle.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace lockstep::algo {

inline constexpr std::uint16_t kNeverAligned = std::numeric_limits<std::uint16_t>::max();

// What putting elements side by side costs. An element has a class; a table says what a class of a
// costs against a class of b, so that any ladder of likeness (same name, same signature, same
// role) is one table. Sizes, on a logarithmic scale, decide between places of equal class.
struct AlignmentProblem {
  std::span<const std::uint32_t> a;  // classes
  std::span<const std::uint32_t> b;
  std::span<const std::uint8_t> size_a;  // as long as a
  std::span<const std::uint8_t> size_b;
  std::span<const std::uint16_t> cost;  // [class of a * classes_b + class of b], or kNeverAligned
  std::uint32_t classes_b = 0;
  std::uint16_t max_size_cost = 0;  // the difference of sizes is added, but no more than this
  std::uint16_t gap = 1;            // of an element left alone
};

inline constexpr std::uint64_t kMaxAlignmentCost = std::uint64_t{1} << 29;
inline constexpr std::uint32_t kNoElement = std::numeric_limits<std::uint32_t>::max();

struct AlignedElements {
  std::uint32_t a = kNoElement;  // index in a, kNoElement where b stands alone
  std::uint32_t b = kNoElement;

  friend bool operator==(const AlignedElements&, const AlignedElements&) = default;
};

struct Alignment {
  std::uint64_t cost = 0;
  std::vector<AlignedElements> elements;  // every element of a and b once, in order
};

// A global alignment of least cost. Time O((m + n) d) where d gaps would cost as much as it does,
// so O(mn) at worst; memory O(m + n) beyond a table of a few MB (Hirschberg 1975). Deterministic.
// (m + n) gaps must cost less than kMaxAlignmentCost.
[[nodiscard]] Alignment align(const AlignmentProblem& problem);

// The cost alone.
[[nodiscard]] std::uint64_t alignment_cost(const AlignmentProblem& problem);

// The place of b that should stand against the beginning of a when b is turned round: b[r], ...,
// b[n - 1], b[0], ..., b[r - 1]. Small problems try every place; large ones the two that the best
// alignment of a inside b b names, and 0: O(mn), never O(m n^2). A turn must lower the cost.
[[nodiscard]] std::uint32_t best_rotation(const AlignmentProblem& problem);

}  // namespace lockstep::algo

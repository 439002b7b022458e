// What it costs to put two kernels side by side, in the one scale that alignment and fusion share.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "algo/sequences/alignment.h"
#include "analysis/compare/kernel_book.h"

namespace lockstep::analysis::compare {

// Two kernels left alone cost twice this; no pair that is allowed at all costs as much.
inline constexpr std::uint16_t kGapCost = 64;

// By Likeness. Steps are wider than kMaxSizeCost, so that durations only decide within a step.
inline constexpr std::array<std::uint16_t, 8> kLikenessCost = {
    0,    // same name
    16,   // same signature
    24,   // same operation
    40,   // same role
    80,   // near role
    96,   // near operation
    120,  // unknown: only while durations are near
    algo::kNeverAligned};

inline constexpr std::uint16_t kMaxSizeCost = 15;

[[nodiscard]] constexpr std::uint16_t likeness_cost(Likeness likeness) {
  return kLikenessCost[static_cast<std::size_t>(likeness)];
}

// Four steps each time that a duration doubles; 0 for nothing.
[[nodiscard]] constexpr std::uint8_t size_of_duration(std::int64_t ps) {
  if (ps <= 0) return 0;
  const auto value = static_cast<std::uint64_t>(ps);
  const int width = static_cast<int>(std::bit_width(value));
  const std::uint64_t quarter = width > 2 ? (value >> (width - 3)) & 3U : 0;
  return static_cast<std::uint8_t>(4 * width + static_cast<int>(quarter));
}

// Whether a pair is a sign that its neighbours belong together too.
[[nodiscard]] constexpr bool is_sure(Likeness likeness) { return likeness <= Likeness::kSameRole; }

}  // namespace lockstep::analysis::compare

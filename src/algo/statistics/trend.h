// Whether a series rises or falls, and by how much: robust against outliers, and against the shape
// of the noise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace lockstep::algo {

struct TrendOfSeries {
  double slope = 0;  // Theil-Sen: the median slope of all pairs, in units a step
  double score = 0;  // Mann-Kendall, corrected for ties and continuity: standard normal by chance
  double p = 1;      // of a score at least as far from 0, in either direction
};

// Longer series are seen as the medians of at most this many blocks: both methods look at all
// pairs. The answer is exact up to this length, and deterministic beyond it.
inline constexpr std::size_t kMaxTrendPoints = 1024;

// No trend, with p = 1, for fewer than 3 values. The normal approximation is good from 8 on.
[[nodiscard]] TrendOfSeries find_trend(std::span<const std::int64_t> values);

}  // namespace lockstep::algo

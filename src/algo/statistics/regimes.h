// Regimes of a series: stretches whose values are alike and clearly unlike those of the stretch
// next to them, as when every iteration from the fifth on stalls.
//
// Two steps. Least-cost segmentation: the stretches that minimise the absolute deviations of the
// logarithms from the stretch's median, plus a price for each stretch. It is generous, so then
// neighbours are merged, the least apart first, until the gap between neighbours is wider than
// either of them is itself. Outliers neither make a regime nor hide one; a slow drift is one
// regime. Logarithms, because times vary in proportion to themselves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "algo/statistics/outliers.h"

namespace lockstep::algo {

struct RegimeOptions {
  NoiseFloor noise;               // differences below it are none
  std::size_t min_length = 3;     // values that a regime has, outliers not counted
  std::size_t max_regimes = 6;    // more are merged: a series that jumps about has no regimes
  double min_gap = 0.05;          // between the values of neighbours, of the lower one
  double min_gap_to_width = 1.0;  // the gap, in widths of the wider neighbour
};

// Values [begin, end).
struct RegimeOfSeries {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::int64_t median = 0;

  friend bool operator==(const RegimeOfSeries&, const RegimeOfSeries&) = default;
};

// Longer series are seen as the medians of at most this many blocks, then the borders are placed
// exactly: the cost of the segmentation is quadratic.
inline constexpr std::size_t kMaxRegimePoints = 512;

// In order, together the whole series; nothing for no values. Values are not negative.
[[nodiscard]] std::vector<RegimeOfSeries> find_regimes(std::span<const std::int64_t> values,
                                                       const RegimeOptions& options);

}  // namespace lockstep::algo

// Order statistics and moments of integers: exact sums, so that no figure depends on the order in
// which values are added.
//
// One definition of quantiles, that of numpy and pandas: the p-th percentile of n values in
// ascending order lies p / 100 * (n - 1) behind the first, between two values in proportion. The
// median is the 50th percentile, which of an even number is the mean of the middle two. Of whole
// numbers it is worked out exactly and then rounded down, so that picoseconds floored to
// nanoseconds are floored once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/time.h"

namespace lockstep::algo {

// Where a percentile lies among values in ascending order: so many hundredths of the way from the
// one at `index` to the next. With 0 hundredths no next one is needed, and there may be none.
struct RankPosition {
  std::size_t index = 0;
  unsigned hundredths = 0;

  friend bool operator==(const RankPosition&, const RankPosition&) = default;
};
[[nodiscard]] constexpr RankPosition rank_position(std::size_t count, unsigned percent) {
  // The whole hundreds apart from the rest, so that nothing overflows.
  const std::size_t steps = count - 1;
  const std::size_t rest = steps % 100 * percent;
  return {steps / 100 * percent + rest / 100, static_cast<unsigned>(rest % 100)};
}

// Between `low` and `high`, which is not less, rounded down.
[[nodiscard]] constexpr std::int64_t interpolated(std::int64_t low, std::int64_t high,
                                                  unsigned hundredths) {
  const WideTime part = (WideTime{high} - low) * hundredths / 100;
  return static_cast<std::int64_t>(low + part);
}

// Linear on average. `values` is not empty; `percent` is from 0 (the least) to 100 (the greatest).
[[nodiscard]] std::int64_t percentile(std::span<const std::int64_t> values, unsigned percent);
[[nodiscard]] std::int64_t median(std::span<const std::int64_t> values);

// The same of numbers that are no times (shares, slopes, counts), which it may reorder. None is
// NaN.
[[nodiscard]] double percentile_of_numbers(std::span<double> values, unsigned percent);
[[nodiscard]] double median_of_numbers(std::span<double> values);

struct OrderStatistics {
  std::int64_t min = 0;
  std::int64_t p50 = 0;
  std::int64_t p95 = 0;
  std::int64_t max = 0;

  friend bool operator==(const OrderStatistics&, const OrderStatistics&) = default;
};

// Of values that are not empty, and that it may reorder, so that millions need no second copy.
[[nodiscard]] OrderStatistics order_statistics(std::span<std::int64_t> values);

// The median distance from `centre`; distances beyond 64 signed bits count as the greatest.
[[nodiscard]] std::int64_t median_deviation(std::span<const std::int64_t> values,
                                            std::int64_t centre);

// Times this, the median deviation estimates the standard deviation of a normal distribution.
inline constexpr double kDeviationToSigma = 1.4826;

// Sum, mean and population standard deviation of values that come one by one. Sums are those of
// differences from the first value, in integers wide enough for any 64-bit input, so a common
// offset costs no precision.
class Moments {
 public:
  void add(std::int64_t value);

  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] WideTime sum() const;
  [[nodiscard]] double mean() const;    // 0 of nothing
  [[nodiscard]] double stddev() const;  // of the population; 0 of nothing

 private:
  __extension__ using Wide = unsigned __int128;

  std::uint64_t count_ = 0;
  std::int64_t first_ = 0;
  WideTime differences_ = 0;
  Wide squares_ = 0;            // of the differences, modulo 2^128
  std::uint64_t overflow_ = 0;  // how often that sum passed 2^128
};

[[nodiscard]] Moments moments(std::span<const std::int64_t> values);

// A series cut into blocks of equal length (the last may be shorter), each by its median: what
// quadratic methods see of a long series.
struct BlockMedians {
  std::size_t block = 1;  // values in each
  std::vector<std::int64_t> medians;
};
[[nodiscard]] BlockMedians block_medians(std::span<const std::int64_t> values,
                                         std::size_t max_blocks);

}  // namespace lockstep::algo

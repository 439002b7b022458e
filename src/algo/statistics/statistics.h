// Order statistics and moments of integers: exact sums, so that no figure depends on the order in
// which values are added.
//
// One definition of quantiles: nearest rank. The p-th percentile of n values is the one of rank
// ceil(p / 100 * n), counted from 1 in ascending order: a value that occurred, never one between
// two. The median is the 50th percentile, which of an even number is the lower middle.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/time.h"

namespace lockstep::algo {

// Its index in ascending order.
[[nodiscard]] constexpr std::size_t nearest_rank(std::size_t count, unsigned percent) {
  // The whole hundreds apart from the rest, so that nothing overflows.
  const std::size_t rank = count / 100 * percent + (count % 100 * percent + 99) / 100;
  return rank == 0 ? 0 : rank - 1;
}

// Linear on average. `values` is not empty; `percent` is from 0 (the least) to 100 (the greatest).
[[nodiscard]] std::int64_t percentile(std::span<const std::int64_t> values, unsigned percent);
[[nodiscard]] std::int64_t median(std::span<const std::int64_t> values);

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

// Selection by partial sorting; moments about the first value.
#include "algo/statistics/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace lockstep::algo {
namespace {

// The two values between which a percentile lies. What is before and behind the lower one in
// ascending order is then before and behind it in `values`.
template <typename Value>
struct Neighbours {
  Value low;
  Value high;
};
template <typename Value>
Neighbours<Value> select(std::span<Value> values, RankPosition position) {
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(position.index);
  std::ranges::nth_element(values, at);
  const Value high = position.hundredths == 0 ? *at : *std::min_element(at + 1, values.end());
  return {*at, high};
}

std::int64_t percentile_of(std::span<std::int64_t> values, unsigned percent) {
  const RankPosition position = rank_position(values.size(), percent);
  const auto [low, high] = select(values, position);
  return interpolated(low, high, position.hundredths);
}

std::int64_t distance(std::int64_t a, std::int64_t b) {
  constexpr auto kGreatest = std::numeric_limits<std::int64_t>::max();
  const auto apart = a < b ? static_cast<std::uint64_t>(b) - static_cast<std::uint64_t>(a)
                           : static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b);
  return apart > static_cast<std::uint64_t>(kGreatest) ? kGreatest
                                                       : static_cast<std::int64_t>(apart);
}

}  // namespace

std::int64_t percentile(std::span<const std::int64_t> values, unsigned percent) {
  std::vector<std::int64_t> copy(values.begin(), values.end());
  return percentile_of(copy, percent);
}

std::int64_t median(std::span<const std::int64_t> values) { return percentile(values, 50); }

double percentile_of_numbers(std::span<double> values, unsigned percent) {
  const RankPosition position = rank_position(values.size(), percent);
  const auto [low, high] = select(values, position);
  if (position.hundredths == 50) return std::midpoint(low, high);  // rounded but once
  return low + (high - low) * (position.hundredths / 100.0);
}

double median_of_numbers(std::span<double> values) { return percentile_of_numbers(values, 50); }

OrderStatistics order_statistics(std::span<std::int64_t> values) {
  const std::size_t middle = rank_position(values.size(), 50).index;
  const std::size_t high = rank_position(values.size(), 95).index;
  OrderStatistics statistics;
  statistics.p50 = percentile_of(values, 50);
  // Selection has left what is less on the left and what is greater on the right.
  const std::span<std::int64_t> upper = values.subspan(middle);
  const RankPosition position{high - middle, rank_position(values.size(), 95).hundredths};
  const auto [below, above] = select(upper, position);
  statistics.p95 = interpolated(below, above, position.hundredths);
  statistics.min = *std::ranges::min_element(values.first(middle + 1));
  statistics.max = *std::ranges::max_element(values.subspan(high));
  return statistics;
}

std::int64_t median_deviation(std::span<const std::int64_t> values, std::int64_t centre) {
  std::vector<std::int64_t> distances(values.size());
  std::ranges::transform(values, distances.begin(),
                         [&](std::int64_t value) { return distance(value, centre); });
  return percentile_of(distances, 50);
}

void Moments::add(std::int64_t value) {
  if (count_++ == 0) first_ = value;
  const WideTime difference = WideTime{value} - first_;
  const Wide size = static_cast<Wide>(difference < 0 ? -difference : difference);
  const Wide square = size * size;  // below 2^128, as the size is below 2^64
  differences_ += difference;
  squares_ += square;
  if (squares_ < square) ++overflow_;
}

WideTime Moments::sum() const {
  return differences_ + WideTime{first_} * static_cast<WideTime>(count_);
}

double Moments::mean() const {
  if (count_ == 0) return 0;
  return static_cast<double>(static_cast<long double>(sum()) / static_cast<long double>(count_));
}

double Moments::stddev() const {
  if (count_ == 0) return 0;
  // The difference below cancels at most log2(count) bits: with the first value among them, the
  // variance is at least the square of its distance from the mean, divided by the count.
  const auto count = static_cast<long double>(count_);
  const long double mean_difference = static_cast<long double>(differences_) / count;
  const long double squares =
      std::ldexp(static_cast<long double>(overflow_), 128) + static_cast<long double>(squares_);
  const long double variance = squares / count - mean_difference * mean_difference;
  return static_cast<double>(std::sqrt(std::max(variance, 0.0L)));
}

Moments moments(std::span<const std::int64_t> values) {
  Moments result;
  for (const std::int64_t value : values) result.add(value);
  return result;
}

BlockMedians block_medians(std::span<const std::int64_t> values, std::size_t max_blocks) {
  BlockMedians blocks;
  blocks.block = std::max<std::size_t>(1, (values.size() + max_blocks - 1) / max_blocks);
  if (blocks.block == 1) {
    blocks.medians.assign(values.begin(), values.end());
    return blocks;
  }
  for (std::size_t at = 0; at < values.size(); at += blocks.block) {
    blocks.medians.push_back(
        median(values.subspan(at, std::min(blocks.block, values.size() - at))));
  }
  return blocks;
}

}  // namespace lockstep::algo

// Theil-Sen and Mann-Kendall over all pairs of at most kMaxTrendPoints points.
#include "algo/statistics/trend.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <vector>

#include "algo/statistics/statistics.h"

namespace lockstep::algo {
namespace {

// Positions are doubled, so that the middle of a block of even length is a whole number.
std::vector<std::int64_t> doubled_middles(std::size_t count, std::size_t block, std::size_t total) {
  std::vector<std::int64_t> middles(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t begin = i * block;
    const std::size_t end = std::min(begin + block, total);
    middles[i] = static_cast<std::int64_t>(begin + end - 1);
  }
  return middles;
}

double median_slope(std::span<const std::int64_t> at, std::span<const std::int64_t> values) {
  std::vector<double> slopes;
  slopes.reserve(values.size() * (values.size() - 1) / 2);
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (std::size_t j = i + 1; j < values.size(); ++j) {
      const double rise = static_cast<double>(values[j]) - static_cast<double>(values[i]);
      slopes.push_back(2 * rise / static_cast<double>(at[j] - at[i]));
    }
  }
  return median_of_numbers(slopes);
}

// Pairs that rise less pairs that fall.
std::int64_t kendall_sum(std::span<const std::int64_t> values) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (std::size_t j = i + 1; j < values.size(); ++j) {
      sum += (values[j] > values[i] ? 1 : 0) - (values[j] < values[i] ? 1 : 0);
    }
  }
  return sum;
}

// Of the sum above when the order is chance, for a series with ties.
double kendall_variance(std::span<const std::int64_t> values) {
  const auto term = [](std::size_t count) {
    const auto n = static_cast<double>(count);
    return n * (n - 1) * (2 * n + 5);
  };
  std::vector<std::int64_t> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  double terms = term(sorted.size());
  for (auto first = sorted.begin(); first != sorted.end();) {
    const auto last = std::upper_bound(first, sorted.end(), *first);
    terms -= term(static_cast<std::size_t>(last - first));
    first = last;
  }
  return terms / 18;
}

double kendall_score(std::span<const std::int64_t> values) {
  const std::int64_t sum = kendall_sum(values);
  const double variance = kendall_variance(values);
  if (sum == 0 || variance <= 0) return 0;
  const double corrected = static_cast<double>(sum) - (sum > 0 ? 1 : -1);
  return corrected / std::sqrt(variance);
}

}  // namespace

TrendOfSeries find_trend(std::span<const std::int64_t> values) {
  TrendOfSeries trend;
  if (values.size() < 3) return trend;
  const BlockMedians points = block_medians(values, kMaxTrendPoints);
  const auto at = doubled_middles(points.medians.size(), points.block, values.size());
  trend.slope = median_slope(at, points.medians);
  trend.score = kendall_score(points.medians);
  trend.p = std::erfc(std::abs(trend.score) / std::numbers::sqrt2);
  return trend;
}

}  // namespace lockstep::algo

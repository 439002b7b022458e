// Figures worked out by hand, and comparison with sorting and with sums in wide integers.
#include "algo/statistics/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace lockstep::algo {
namespace {

using Values = std::vector<std::int64_t>;

constexpr auto kMin = std::numeric_limits<std::int64_t>::min();
constexpr auto kMax = std::numeric_limits<std::int64_t>::max();

Values some_values() {
  return *rc::gen::nonEmpty(
      rc::gen::container<Values>(rc::gen::inRange<std::int64_t>(-1'000, 1'000)));
}

// The least value that has at least `percent` of all values at or below it.
std::int64_t slow_percentile(Values values, unsigned percent) {
  std::ranges::sort(values);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if ((i + 1) * 100 >= values.size() * percent) return values[i];
  }
  return values.back();
}

TEST(Percentile, NearestRankOfAClassicExample) {
  const Values values = {50, 15, 40, 20, 35};
  EXPECT_EQ(percentile(values, 0), 15);
  EXPECT_EQ(percentile(values, 5), 15);
  EXPECT_EQ(percentile(values, 30), 20);
  EXPECT_EQ(percentile(values, 40), 20);
  EXPECT_EQ(percentile(values, 41), 35);
  EXPECT_EQ(percentile(values, 50), 35);
  EXPECT_EQ(percentile(values, 100), 50);
}

TEST(Percentile, MedianOfAnEvenNumberIsTheLowerMiddle) { EXPECT_EQ(median(Values{4, 1, 3, 2}), 2); }

TEST(Percentile, OneValueIsEveryPercentile) {
  Values one = {7};
  EXPECT_EQ(percentile(one, 0), 7);
  EXPECT_EQ(percentile(one, 100), 7);
  EXPECT_EQ(order_statistics(one), (OrderStatistics{7, 7, 7, 7}));
}

TEST(Percentile, NinetyFifthOfTwentyIsTheNineteenth) {
  Values values;
  for (std::int64_t i = 20; i > 0; --i) values.push_back(i);
  EXPECT_EQ(order_statistics(values), (OrderStatistics{1, 10, 19, 20}));
}

TEST(MedianDeviation, IsTheMedianOfDistances) {
  // Distances 0, 1, 1, 0, 2, 4, 7 from 2.
  const Values values = {2, 1, 1, 2, 4, 6, 9};
  EXPECT_EQ(median(values), 2);
  EXPECT_EQ(median_deviation(values, 2), 1);
}

TEST(MedianDeviation, HugeDistancesDoNotWrap) {
  EXPECT_EQ(median_deviation(Values{kMin, kMin, 0}, kMax), kMax);
}

TEST(MomentsOfValues, PopulationDeviationOfAClassicExample) {
  const Moments m = moments(Values{2, 4, 4, 4, 5, 5, 7, 9});
  EXPECT_EQ(m.count(), 8U);
  EXPECT_TRUE(m.sum() == 40);
  EXPECT_EQ(m.mean(), 5.0);
  EXPECT_EQ(m.stddev(), 2.0);
}

TEST(MomentsOfValues, OfNothingAreNothing) {
  EXPECT_EQ(Moments().mean(), 0.0);
  EXPECT_EQ(Moments().stddev(), 0.0);
}

TEST(MomentsOfValues, CommonOffsetCostsNoPrecision) {
  constexpr std::int64_t kOffset = 8'000'000'000'000'000'000;
  const Moments m = moments(Values{kOffset + 1, kOffset + 2, kOffset + 3, kOffset + 6});
  EXPECT_TRUE(m.sum() == WideTime{kOffset} * 4 + 12);
  EXPECT_DOUBLE_EQ(m.stddev(), std::sqrt(3.5));
}

TEST(MomentsOfValues, EndsOfTheTypeDoNotOverflow) {
  const Moments m = moments(Values{kMin, kMax, kMin, kMax, kMin, kMax});
  EXPECT_TRUE(m.sum() == -3);
  EXPECT_DOUBLE_EQ(m.mean(), -0.5);
  EXPECT_DOUBLE_EQ(m.stddev(), std::ldexp(1.0, 63));
}

TEST(BlockMediansOfASeries, ShortSeriesStayAsTheyAre) {
  const BlockMedians blocks = block_medians(Values{3, 1, 2}, 3);
  EXPECT_EQ(blocks.block, 1U);
  EXPECT_EQ(blocks.medians, (Values{3, 1, 2}));
}

TEST(BlockMediansOfASeries, LastBlockMayBeShorter) {
  const BlockMedians blocks = block_medians(Values{1, 9, 2, 8, 3, 7, 5}, 3);
  EXPECT_EQ(blocks.block, 3U);
  EXPECT_EQ(blocks.medians, (Values{2, 7, 5}));
}

RC_GTEST_PROP(StatisticsProperties, PercentileIsThatOfTheSortedValues, ()) {
  const Values values = some_values();
  const auto percent = *rc::gen::inRange(0U, 101U);
  RC_ASSERT(percentile(values, percent) == slow_percentile(values, percent));
}

RC_GTEST_PROP(StatisticsProperties, OrderStatisticsAreThosePercentiles, ()) {
  const Values values = some_values();
  Values reordered = values;
  const OrderStatistics found = order_statistics(reordered);
  RC_ASSERT(found == (OrderStatistics{slow_percentile(values, 0), slow_percentile(values, 50),
                                      slow_percentile(values, 95), slow_percentile(values, 100)}));
  RC_ASSERT(std::ranges::is_permutation(values, reordered));
}

// n * sum(x^2) - sum(x)^2 is exact in 64 bits for values this small.
RC_GTEST_PROP(StatisticsProperties, MomentsAreThoseOfTheDefinition, ()) {
  const Values values = some_values();
  std::int64_t sum = 0;
  std::int64_t squares = 0;
  for (const std::int64_t value : values) {
    sum += value;
    squares += value * value;
  }
  const auto count = static_cast<std::int64_t>(values.size());
  const double variance = static_cast<double>(count * squares - sum * sum) /
                          (static_cast<double>(count) * static_cast<double>(count));
  const Moments m = moments(values);
  RC_ASSERT(m.sum() == sum);
  RC_ASSERT(std::abs(m.stddev() - std::sqrt(variance)) < 1e-9);
}

}  // namespace
}  // namespace lockstep::algo

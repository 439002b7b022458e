// Figures worked out by hand, and comparison with sorting and with sums in wide integers.
#include "algo/statistics/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "algo/statistics/largest_remainder.h"

namespace lockstep::algo {
namespace {

using Values = std::vector<std::int64_t>;

constexpr auto kMin = std::numeric_limits<std::int64_t>::min();
constexpr auto kMax = std::numeric_limits<std::int64_t>::max();

Values some_values() {
  return *rc::gen::nonEmpty(
      rc::gen::container<Values>(rc::gen::inRange<std::int64_t>(-1'000, 1'000)));
}

// By the definition, in fractions of hundredths: the value at position p / 100 * (n - 1).
std::int64_t slow_percentile(Values values, unsigned percent) {
  std::ranges::sort(values);
  const std::size_t hundredths = (values.size() - 1) * percent;
  const std::size_t below = hundredths / 100;
  const std::size_t above = (hundredths + 99) / 100;
  const auto part = static_cast<std::int64_t>(hundredths % 100);
  const WideTime numerator =
      WideTime{values[below]} * (100 - part) + WideTime{values[above]} * part;
  return static_cast<std::int64_t>(floor_divide(numerator, 100));
}

// What numpy.percentile(values, percent) gives, floored.
TEST(Percentile, IsThatOfNumpy) {
  const Values five = {50, 15, 40, 20, 35};
  EXPECT_EQ(percentile(five, 0), 15);
  EXPECT_EQ(percentile(five, 5), 16);
  EXPECT_EQ(percentile(five, 30), 23);
  EXPECT_EQ(percentile(five, 40), 29);
  EXPECT_EQ(percentile(five, 50), 35);
  EXPECT_EQ(percentile(five, 90), 46);
  EXPECT_EQ(percentile(five, 95), 48);
  EXPECT_EQ(percentile(five, 100), 50);
  const Values six = {3, 1'000'003, 10, 7, 2, 8};
  EXPECT_EQ(percentile(six, 25), 4);        // 4.0
  EXPECT_EQ(percentile(six, 50), 7);        // 7.5
  EXPECT_EQ(percentile(six, 95), 750'004);  // 750004.75
  EXPECT_EQ(percentile(six, 99), 950'003);  // 950003.35
}

TEST(Percentile, MedianOfAnEvenNumberIsTheMeanOfTheMiddleTwo) {
  EXPECT_EQ(median(Values{4'000, 1'000, 3'000, 2'000}), 2'500);
  EXPECT_EQ(median(Values{5, 2}), 3) << "3.5 rounded down";
  EXPECT_EQ(median(Values{-2, -7}), -5) << "-4.5 rounded down";
}

TEST(Percentile, EndsOfTheTypeDoNotOverflow) {
  EXPECT_EQ(median(Values{kMin, kMax}), -1);
  EXPECT_EQ(median(Values{kMax, kMax}), kMax);
  EXPECT_EQ(percentile(Values{kMin, kMin}, 95), kMin);
  EXPECT_EQ(percentile(Values{kMin, kMax}, 95), slow_percentile({kMin, kMax}, 95));
}

TEST(RankPositions, AreExactForAnyCount) {
  EXPECT_EQ(rank_position(1, 95), (RankPosition{0, 0}));
  EXPECT_EQ(rank_position(2, 50), (RankPosition{0, 50}));
  EXPECT_EQ(rank_position(20, 95), (RankPosition{18, 5}));
  EXPECT_EQ(rank_position(101, 95), (RankPosition{95, 0}));
  constexpr auto kMost = std::numeric_limits<std::size_t>::max();
  EXPECT_EQ(rank_position(kMost, 100), (RankPosition{kMost - 1, 0}));
}

TEST(PercentileOfNumbers, IsThatOfNumpy) {
  std::vector<double> ratios = {0.5, 0.125, 0.25, 1};
  EXPECT_DOUBLE_EQ(percentile_of_numbers(ratios, 0), 0.125);
  EXPECT_DOUBLE_EQ(median_of_numbers(ratios), 0.375);
  EXPECT_DOUBLE_EQ(percentile_of_numbers(ratios, 90), 0.85);
  EXPECT_DOUBLE_EQ(percentile_of_numbers(ratios, 100), 1);
  std::vector<double> one = {0.7};
  EXPECT_EQ(percentile_of_numbers(one, 95), 0.7);
}

TEST(Percentile, OneValueIsEveryPercentile) {
  Values one = {7};
  EXPECT_EQ(percentile(one, 0), 7);
  EXPECT_EQ(percentile(one, 100), 7);
  EXPECT_EQ(order_statistics(one), (OrderStatistics{7, 7, 7, 7}));
}

TEST(Percentile, NinetyFifthOfTwentyIsALittleBehindTheNineteenth) {
  Values values;
  for (std::int64_t i = 20; i > 0; --i) values.push_back(i * 1'000);
  EXPECT_EQ(order_statistics(values), (OrderStatistics{1'000, 10'500, 19'050, 20'000}));
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
  const Values values =
      *rc::gen::oneOf(rc::gen::exec(some_values), rc::gen::nonEmpty(rc::gen::arbitrary<Values>()));
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

RC_GTEST_PROP(StatisticsProperties, NumbersHaveThePercentilesOfWholeOnes, ()) {
  const Values values = some_values();
  const auto percent = *rc::gen::inRange(0U, 101U);
  Values hundredfold;  // so that nothing is rounded down
  for (const std::int64_t value : values) hundredfold.push_back(100 * value);
  std::vector<double> numbers(values.begin(), values.end());
  const double exact = static_cast<double>(percentile(hundredfold, percent)) / 100;
  RC_ASSERT(std::abs(percentile_of_numbers(numbers, percent) - exact) < 1e-9);
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

// Figures worked out by hand, ties, long series, and what any series obeys.
#include "algo/statistics/trend.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace lockstep::algo {
namespace {

using Values = std::vector<std::int64_t>;

TEST(Trend, RisingSeriesOfTen) {
  Values values;
  for (std::int64_t i = 0; i < 10; ++i) values.push_back(100 + 3 * i);
  const TrendOfSeries trend = find_trend(values);
  EXPECT_DOUBLE_EQ(trend.slope, 3);
  // All 45 pairs rise; variance 10 * 9 * 25 / 18 = 125.
  EXPECT_DOUBLE_EQ(trend.score, 44 / std::sqrt(125.0));
  EXPECT_NEAR(trend.p, 8.3e-5, 1e-6);
}

TEST(Trend, TiesTakeTheirPartOfTheVariance) {
  // Pairs: (1,1) tie, (1,2) (1,3) twice each, (2,3): 5 rise; 4*3*13 = 156, less 2*1*9 = 18.
  const TrendOfSeries trend = find_trend(Values{1, 1, 2, 3});
  EXPECT_DOUBLE_EQ(trend.score, 4 / std::sqrt(138 / 18.0));
  // Slopes 0, 1/2, 2/3, 1, 1, 1.
  EXPECT_DOUBLE_EQ(trend.slope, (2 / 3.0 + 1) / 2);
}

TEST(Trend, FallingSeriesHasANegativeScore) {
  const TrendOfSeries trend = find_trend(Values{9, 8, 7, 6, 5, 4, 3, 2});
  EXPECT_DOUBLE_EQ(trend.slope, -1);
  EXPECT_DOUBLE_EQ(trend.score, -27 / std::sqrt(8 * 7 * 21 / 18.0));
}

TEST(Trend, ConstantSeriesHasNone) {
  const TrendOfSeries trend = find_trend(Values(50, 7));
  EXPECT_EQ(trend.slope, 0);
  EXPECT_EQ(trend.score, 0);
  EXPECT_EQ(trend.p, 1);
}

TEST(Trend, TwoValuesHaveNone) {
  EXPECT_EQ(find_trend(Values{1, 2}).p, 1);
  EXPECT_EQ(find_trend({}).slope, 0);
}

TEST(Trend, OneOutlierDoesNotMoveTheSlope) {
  Values values;
  for (std::int64_t i = 0; i < 31; ++i) values.push_back(1000 + 10 * i);
  values[15] = 1'000'000;
  EXPECT_NEAR(find_trend(values).slope, 10, 0.5);
}

TEST(Trend, LongSeriesKeepTheSlopeAStep) {
  // One value more than whole blocks: the last block is shorter, and its middle elsewhere.
  Values values;
  for (std::int64_t i = 0; i < 4 * 1024 + 1; ++i) values.push_back(8 * i);
  const TrendOfSeries trend = find_trend(values);
  EXPECT_NEAR(trend.slope, 8, 0.01);
  EXPECT_LT(trend.p, 1e-12);
}

RC_GTEST_PROP(TrendProperties, TurningTheSeriesAroundTurnsTheTrendAround, ()) {
  Values values = *rc::gen::container<Values>(rc::gen::inRange<std::int64_t>(-20, 20));
  const TrendOfSeries forth = find_trend(values);
  std::ranges::reverse(values);
  const TrendOfSeries back = find_trend(values);
  RC_ASSERT(std::abs(forth.slope + back.slope) < 1e-12);
  RC_ASSERT(std::abs(forth.score + back.score) < 1e-12);
  RC_ASSERT(forth.p == back.p);
}

}  // namespace
}  // namespace lockstep::algo

// Scores worked out by hand; the floor; what cannot be judged.
#include "algo/statistics/outliers.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "algo/statistics/statistics.h"

namespace lockstep::algo {
namespace {

using Values = std::vector<std::int64_t>;

constexpr NoiseFloor kNoFloor{0, 1};

TEST(Outliers, ScoreIsTheDistanceInScaledDeviations) {
  // Median 101, distances 3 2 1 0 1 2 49, median deviation 2.
  const Values values = {98, 99, 100, 101, 102, 103, 150};
  EXPECT_EQ(median(values), 101);
  const auto outliers = find_outliers(values, kNoFloor);
  ASSERT_EQ(outliers.size(), 1U);
  EXPECT_EQ(outliers[0].index, 6U);
  EXPECT_DOUBLE_EQ(outliers[0].score, 49 / (2 * 1.4826));
}

TEST(Outliers, FastValuesAreOutliersWithNegativeScores) {
  const auto outliers = find_outliers(Values{100, 101, 99, 100, 10, 102, 98}, kNoFloor);
  ASSERT_EQ(outliers.size(), 1U);
  EXPECT_EQ(outliers[0].index, 4U);
  EXPECT_LT(outliers[0].score, -kOutlierScore);
}

TEST(Outliers, DistanceMustPassTheCut) {
  // Median 1000, median deviation 10: the cut is 3.5 * 14.826 = 51.9 away.
  const auto with = [](std::int64_t last) { return Values{980, 990, 990, 1000, 1010, 1010, last}; };
  EXPECT_TRUE(find_outliers(with(1051), kNoFloor).empty());
  EXPECT_EQ(find_outliers(with(1052), kNoFloor).size(), 1U);
}

TEST(Outliers, JitterBelowTheRelativeFloorIsNone) {
  const auto with = [](std::int64_t last) { return Values(Values{1000, 1000, 1000, 1000, last}); };
  EXPECT_TRUE(find_outliers(with(1010), {0.01, 1}).empty());
  EXPECT_EQ(find_outliers(with(1011), {0.01, 1}).size(), 1U);
}

TEST(Outliers, JitterBelowTheAbsoluteFloorIsNone) {
  const auto with = [](std::int64_t last) { return Values(Values{1000, 1000, 1000, 1000, last}); };
  EXPECT_TRUE(find_outliers(with(1100), {0.01, 100}).empty());
  EXPECT_EQ(find_outliers(with(1101), {0.01, 100}).size(), 1U);
}

TEST(Outliers, FloorHoldsBelowZeroToo) {
  EXPECT_TRUE(find_outliers(Values{-1000, -1000, -1000, -1000, -1010}, {0.01, 1}).empty());
  EXPECT_EQ(find_outliers(Values{-1000, -1000, -1000, -1000, -1011}, {0.01, 1}).size(), 1U);
}

TEST(Outliers, FloorOfNothingLeavesEqualValuesAlone) {
  EXPECT_TRUE(find_outliers(Values{5, 5, 5, 5, 5}, {0, 0}).empty());
  EXPECT_TRUE(find_outliers(Values{0, 0, 0, 0, 0}, {0, 0}).empty());
}

TEST(Outliers, FourValuesAreTooFewToJudge) {
  EXPECT_TRUE(find_outliers(Values{1, 1, 1, 1000}, kNoFloor).empty());
  EXPECT_EQ(find_outliers(Values{1, 1, 1, 1, 1000}, kNoFloor).size(), 1U);
  EXPECT_TRUE(find_outliers({}, kNoFloor).empty());
}

TEST(Outliers, SecondLevelIsNoneButBothDoNotHideOne) {
  Values values;
  for (int i = 0; i < 20; ++i) values.insert(values.end(), {1000, 1200});
  EXPECT_TRUE(find_outliers(values, kNoFloor).empty());
  values.insert(values.end(), {1200, 9000});
  const auto outliers = find_outliers(values, kNoFloor);
  ASSERT_EQ(outliers.size(), 1U);
  EXPECT_EQ(outliers[0].index, 41U);
  // Median 1200; 21 lie on it and 20 are 200 away, so that the median deviation is 100.
  EXPECT_NEAR(outliers[0].score, 7800 / (1.4826 * 100), 1e-9);
  // With one more on the median it would be 0: the mean distance is (20 * 200 + 7800) / 43.
  values.push_back(1200);
  ASSERT_EQ(find_outliers(values, kNoFloor).size(), 1U);
  EXPECT_NEAR(find_outliers(values, kNoFloor)[0].score, 7800 / (1.2533 * 11800 / 43), 1e-9);
}

TEST(Outliers, ThirdOfTheValuesMayBeOutliers) {
  EXPECT_EQ(find_outliers(Values{10, 10, 10, 10, 90, 90}, kNoFloor).size(), 2U);
  EXPECT_EQ(find_outliers(Values{10, 10, 10, 10, 90, 90, 90}, kNoFloor).size(), 0U);
}

TEST(Outliers, StallsOfThreeStepsInTenAreFound) {
  const Values steps = {71379, 69502, 106120, 62152, 63067, 89338, 57934, 93264, 62934, 65960};
  std::vector<std::size_t> found;
  for (const OutlyingValue& outlier : find_outliers(steps, {0.01, 1000})) {
    found.push_back(outlier.index);
  }
  EXPECT_EQ(found, (std::vector<std::size_t>{2, 5, 7}));
}

TEST(Outliers, ThoseThatHideEachOtherAmongFewAreFound) {
  // Median 67731, median deviation 5188: 106120 alone is 3.5 of them away. Without it they are
  // 65960 and 3808, and two more are.
  const Values steps = {71379, 69502, 106120, 62152, 63067, 89338, 57934, 93264, 62934, 65960};
  const auto outliers = find_outliers(steps, {0.01, 1000});
  ASSERT_EQ(outliers.size(), 3U);
  EXPECT_DOUBLE_EQ(outliers[0].score, (106120 - 65960) / (1.4826 * 3808));
}

double deviation_of(const Values& values, std::int64_t centre) {
  Values distances;
  for (const std::int64_t value : values) distances.push_back(std::abs(value - centre));
  return static_cast<double>(percentile(distances, 50));
}

std::vector<std::size_t> slow_outliers(const Values& values, const Values& others) {
  const std::int64_t centre = percentile(others, 50);
  const double deviation = deviation_of(others, centre);
  std::vector<std::size_t> far;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto distance = static_cast<double>(std::abs(values[i] - centre));
    const bool is_far = distance > kOutlierScore * 1.4826 * deviation;
    const bool matters = distance > std::max(0.02 * std::abs(static_cast<double>(centre)), 3.0);
    if (is_far && matters) far.push_back(i);
  }
  return far;
}

RC_GTEST_PROP(OutlierProperties, ThoseWhoseModifiedScorePassesTheCutAndTheFloor, ()) {
  const auto values = *rc::gen::container<Values>(rc::gen::oneOf(
      rc::gen::inRange<std::int64_t>(90, 110), rc::gen::inRange<std::int64_t>(-500, 500)));
  RC_PRE(values.size() >= kFewestForOutliers);
  std::vector<std::size_t> expected = slow_outliers(values, values);
  RC_PRE(3 * expected.size() <= values.size());
  if (!expected.empty() && values.size() < kManyForOutliers) {
    Values others;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (std::ranges::find(expected, i) == expected.end()) others.push_back(values[i]);
    }
    const auto more = slow_outliers(values, others);
    if (more.size() > expected.size() && 3 * more.size() <= values.size()) expected = more;
  }
  std::vector<std::size_t> found;
  for (const OutlyingValue& outlier : find_outliers(values, {0.02, 3})) {
    found.push_back(outlier.index);
  }
  RC_ASSERT(found == expected);
}

}  // namespace
}  // namespace lockstep::algo

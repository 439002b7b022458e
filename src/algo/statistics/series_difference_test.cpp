// Samples whose truth is known: shifted, drifting, stalling, few.
#include "algo/statistics/series_difference.h"

#include <bit>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "algo/statistics/significance.h"

namespace lockstep::algo {
namespace {

using Sample = std::vector<std::int64_t>;

constexpr DifferenceLimits kLimits{0.01, 64};

// Deterministic noise in [0, below).
std::int64_t noise(std::int64_t i, std::int64_t below) {
  const auto mixed = static_cast<std::uint64_t>(i + 1) * 0x9E37'79B9'7F4A'7C15U;
  return static_cast<std::int64_t>((mixed >> 33) % static_cast<std::uint64_t>(below));
}

// Goes from `from` to `to` in `count` steps; `seed` tells runs apart.
Sample course(double from, double to, std::int64_t count, std::int64_t seed) {
  Sample sample;
  for (std::int64_t i = 0; i < count; ++i) {
    const double at = from + (to - from) * static_cast<double>(i) / static_cast<double>(count);
    sample.push_back(std::llround(at) + noise(1000 * seed + i, 50));
  }
  return sample;
}

Sample steady(double level, std::int64_t count, std::int64_t seed) {
  return course(level, level, count, seed);
}

bool is_claimed(const Sample& a, const Sample& b) {
  const SeriesDifference found = compare_series(a, b, kLimits);
  return found.is_sound && *found.p < 0.01;
}

TEST(SeriesDifference, ShiftIsSoundBothWays) {
  EXPECT_TRUE(is_claimed(steady(10'000, 24, 1), steady(11'000, 24, 2)));
  EXPECT_TRUE(is_claimed(steady(11'000, 24, 1), steady(10'000, 24, 2)));
  EXPECT_FALSE(is_claimed(steady(10'000, 24, 1), steady(10'000, 24, 2)));
  const Sample a = steady(10'000, 24, 1);
  const Sample b = steady(11'000, 24, 2);  // far out, all of them
  EXPECT_DOUBLE_EQ(compare_series(a, b, kLimits).p.value(), mann_whitney(a, b).value() / 0.8);
}

TEST(SeriesDifference, NoiseIsNoTrendThatCouldGoOn) {
  Sample a;
  Sample b;
  for (std::int64_t i = 0; i < 24; ++i) {
    a.push_back(10'000 + noise(i, 1000));
    b.push_back(10'700 + noise(100 + i, 1000));
  }
  EXPECT_TRUE(is_claimed(a, b));
}

TEST(SeriesDifference, ShiftWithinTheLimitsIsNotSound) {
  const Sample a = steady(10'000, 24, 1);
  EXPECT_FALSE(compare_series(a, steady(10'100, 24, 1), kLimits).is_sound);  // 1 %
  EXPECT_TRUE(compare_series(a, steady(10'100, 24, 1), {0.001, 64}).is_sound);
  EXPECT_FALSE(compare_series(a, steady(10'100, 24, 1), {0.001, 200}).is_sound);
}

TEST(SeriesDifference, OneStallThatTurnsTheMeanIsNoRegression) {
  const Sample a = steady(10'000, 24, 1);
  Sample b = steady(9500, 24, 2);
  EXPECT_TRUE(is_claimed(a, b));
  b[7] += 500'000;  // the mean is now far above that of a
  EXPECT_FALSE(compare_series(a, b, kLimits).is_sound);
}

TEST(SeriesDifference, StallsInManyIterationsAreFound) {
  const Sample a = steady(10'000, 24, 1);
  Sample b = steady(10'000, 24, 2);
  Sample late = b;
  for (const std::size_t i : {1, 3, 5, 8, 9, 11, 13, 15, 17, 20}) b[i] += 500'000;
  for (std::size_t i = 12; i < 24; ++i) late[i] += 500'000;
  EXPECT_TRUE(is_claimed(a, b));
  EXPECT_TRUE(is_claimed(b, a));
  EXPECT_TRUE(is_claimed(a, late));
  EXPECT_NEAR(compare_series(a, b, kLimits).p.value(), 5 * fisher(0, 24, 10, 24), 1e-12);
}

TEST(SeriesDifference, StallsThatBothRunsHaveAreNoDifference) {
  Sample a = steady(10'000, 24, 1);
  Sample b = steady(10'000, 24, 2);
  for (const std::size_t i : {1, 3, 5, 8, 9, 11}) a[i] += 500'000;
  for (const std::size_t i : {2, 4, 6, 8, 10, 12, 14, 16}) b[i] += 500'000;
  EXPECT_FALSE(is_claimed(a, b));
}

TEST(SeriesDifference, MixtureOfTwoKindsMayChange) {
  Sample a = steady(10'000, 42, 1);
  Sample b = steady(10'000, 28, 2);
  b[5] = 500'000;
  EXPECT_FALSE(is_claimed(a, b));
  for (std::size_t i = 0; i < 11; ++i) b[i] = 500'000;
  EXPECT_TRUE(is_claimed(a, b));
  a[1] = 500'000;
  EXPECT_TRUE(is_claimed(a, b));
  a[2] = 500'000;
  EXPECT_FALSE(is_claimed(a, b));
}

TEST(SeriesDifference, StallsThatBeganInTheOtherRunAreNoNews) {
  Sample a = steady(10'000, 24, 1);
  Sample b = steady(10'000, 24, 2);
  for (std::size_t i = 14; i < 24; ++i) a[i] += 500'000;
  for (std::int64_t& value : b) value += 500'000;
  EXPECT_FALSE(is_claimed(a, b));
}

TEST(SeriesDifference, GrowingTimesAreComparedAtTheSamePlace) {
  const Sample a = course(10'000, 20'000, 48, 1);
  for (const double factor : {1.3, 1.6, 2.0, 0.6}) {
    SCOPED_TRACE(factor);
    EXPECT_TRUE(is_claimed(a, course(factor * 10'000, factor * 20'000, 48, 2)));
  }
}

TEST(SeriesDifference, DriftThatGoesOnIsNoDifference) {
  const Sample a = course(10'000, 20'000, 24, 1);
  EXPECT_FALSE(compare_series(a, course(20'000, 30'000, 24, 2), kLimits).is_sound);
  EXPECT_FALSE(compare_series(course(20'000, 30'000, 24, 2), a, kLimits).is_sound);
  // Small against the level, so that the same course lifted looks like a multiple of it.
  const Sample slight = course(100'000, 103'000, 24, 1);
  EXPECT_FALSE(compare_series(slight, course(103'000, 106'000, 24, 2), kLimits).is_sound);
  // A warm-up that is over.
  EXPECT_FALSE(
      compare_series(course(12'000, 10'000, 24, 1), steady(10'000, 24, 2), kLimits).is_sound);
}

TEST(SeriesDifference, FewValuesClaimOnlyWhatTheOtherSideNeverHad) {
  EXPECT_FALSE(
      compare_series(Sample{10'000, 10'001, 10'002}, steady(20'000, 24, 1), kLimits).is_sound);
  EXPECT_TRUE(is_claimed(Sample{10'000, 10'001, 10'002, 10'003}, steady(20'000, 24, 1)));
  const Sample a = {10'000, 10'010, 10'020, 10'030, 10'900};
  EXPECT_FALSE(compare_series(a, Sample{10'500, 10'510, 10'520, 10'530}, kLimits).is_sound);
  EXPECT_TRUE(compare_series(a, Sample{10'950, 10'960, 10'970, 10'980}, kLimits).is_sound);
  EXPECT_EQ(compare_series(Sample{1}, a, kLimits).p, std::nullopt);
}

TEST(SeriesDifference, FloorIsSpreadThatFewValuesHide) {
  const Sample a = {10'000, 10'000, 10'000, 10'000};
  const Sample b = {11'000, 11'000, 11'000, 11'000};
  EXPECT_EQ(compare_series(a, b, kLimits).p, welch(a, b, 64));
}

TEST(BeyondDrift, SteadyDriftThatGoesOnIsNoDifference) {
  const Sample first = {0, 10, 20, 30, 40, 50, 60, 70};
  const Sample next = {80, 90, 100, 110, 120, 130, 140, 150};
  const Sample later = {110, 120, 130, 140, 150, 160, 170, 180};
  EXPECT_FALSE(is_beyond_drift(first, next));
  EXPECT_FALSE(is_beyond_drift(next, first));
  EXPECT_TRUE(is_beyond_drift(first, later));
  EXPECT_TRUE(is_beyond_drift(Sample{5, 5}, Sample{6, 6}));
  EXPECT_FALSE(is_beyond_drift(Sample{5, 5}, Sample{5, 5}));
}

TEST(Fisher, LadyTastingTeaHasHerP) {
  EXPECT_NEAR(fisher(4, 4, 0, 4), 2.0 / 70, 1e-12);
  EXPECT_NEAR(fisher(3, 4, 1, 4), 34.0 / 70, 1e-12);
  EXPECT_NEAR(fisher(2, 4, 2, 4), 1, 1e-12);
  EXPECT_EQ(fisher(0, 4, 0, 9), 1);
}

TEST(SeriesDifference, SaysWhyADifferenceIsNotSound) {
  EXPECT_EQ(compare_series(Sample{1, 2}, Sample{900, 901}, kLimits).doubt, Doubt::kFewValues);
  const Sample flat(20, 100'000);
  EXPECT_EQ(compare_series(flat, flat, kLimits).doubt, Doubt::kTooSmall);
  Sample stray = flat;
  stray.front() = 9'000'000;
  EXPECT_EQ(compare_series(flat, stray, kLimits).doubt, Doubt::kStrayValues);
  Sample rising;
  Sample going_on;
  for (std::int64_t i = 0; i < 20; ++i) {
    rising.push_back(100'000 + 10'000 * i);
    going_on.push_back(300'000 + 10'000 * i);
  }
  EXPECT_EQ(compare_series(rising, going_on, kLimits).doubt, Doubt::kDrift);
  EXPECT_EQ(compare_series(flat, Sample(20, 200'000), kLimits).doubt, Doubt::kNone);
}

RC_GTEST_PROP(SeriesDifferenceProperties, NothingDiffersFromItself, ()) {
  const auto size = *rc::gen::inRange<std::size_t>(1, 40);
  const auto a = *rc::gen::container<Sample>(size, rc::gen::inRange<std::int64_t>(0, 100'000));
  RC_ASSERT(!compare_series(a, a, kLimits).is_sound);
}

RC_GTEST_PROP(SeriesDifferenceProperties, FisherIsTheSumOfTablesAsUnlikely, ()) {
  const auto size_a = *rc::gen::inRange<std::size_t>(1, 8);
  const auto size_b = *rc::gen::inRange<std::size_t>(1, 8);
  const auto hits_a = *rc::gen::inRange<std::size_t>(0, size_a + 1);
  const auto hits_b = *rc::gen::inRange<std::size_t>(0, size_b + 1);
  // Over all ways to deal the hits.
  std::vector<double> ways(size_a + 1, 0.0);
  for (std::uint32_t deal = 0; deal < (1U << (size_a + size_b)); ++deal) {
    if (static_cast<std::size_t>(std::popcount(deal)) != hits_a + hits_b) continue;
    ++ways[static_cast<std::size_t>(std::popcount(deal & ((1U << size_a) - 1)))];
  }
  double far = 0;
  double all = 0;
  for (const double count : ways) {
    all += count;
    if (count <= ways[hits_a]) far += count;
  }
  RC_ASSERT(std::abs(fisher(hits_a, size_a, hits_b, size_b) - far / all) < 1e-9);
}

}  // namespace
}  // namespace lockstep::algo

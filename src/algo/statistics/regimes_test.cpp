// Series with known regimes, some of them measured, and what any series obeys.
#include "algo/statistics/regimes.h"

#include <algorithm>
#include <random>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "algo/statistics/statistics.h"

namespace lockstep::algo {
namespace {

using Values = std::vector<std::int64_t>;
using Borders = std::vector<std::size_t>;

// Ends of all regimes but the last.
Borders borders(const Values& values, const RegimeOptions& options = {}) {
  Borders found;
  for (const RegimeOfSeries& regime : find_regimes(values, options)) found.push_back(regime.end);
  if (!found.empty()) found.pop_back();
  return found;
}

Values noisy(std::size_t count, std::int64_t level, double relative, std::uint32_t seed) {
  std::mt19937 random(seed);
  Values values;
  for (std::size_t i = 0; i < count; ++i) {
    // Sum of uniform numbers: the same on every platform, unlike std::normal_distribution.
    double noise = 0;
    for (int k = 0; k < 12; ++k) noise += static_cast<double>(random()) / 4294967296.0;
    values.push_back(
        level + static_cast<std::int64_t>(static_cast<double>(level) * relative * (noise - 6.0)));
  }
  return values;
}

Values joined(std::initializer_list<Values> parts) {
  Values all;
  for (const Values& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

// Wall times in ns of the 24 decode passes of a Llama of 16 layers on one H200: eager, where the
// passes from the fifth on stall before their first attention, and compiled.
const Values kEagerPasses = {26292612, 30025212, 28165264, 21398841, 78807981, 87183347,
                             88957376, 83718201, 86022527, 66406836, 57976110, 61414569,
                             70925443, 65785210, 62915480, 58876165, 62805210, 65569660,
                             62608893, 60264502, 62257344, 59107522, 58342890, 60132407};
const Values kCompiledPasses = {9871906,  11550493, 10076865, 9463428,  60478472, 60412168,
                                55689976, 53746876, 51325253, 51024357, 51180197, 52858527,
                                52588096, 55018266, 54155003, 52296097, 52588641, 65703384,
                                67484403, 52243618, 52969055, 52871360, 52851200, 52914975};
// Ten training steps, three of them with stalls of different kinds.
const Values kStepsWithStalls = {71379087, 69502211, 106119746, 62152464, 63066599,
                                 89337842, 57934397, 93263945,  62934248, 65959881};

TEST(Regimes, StallFromTheFifthPassOnMakesTwo) {
  const auto regimes = find_regimes(kEagerPasses, {});
  ASSERT_EQ(regimes.size(), 2U);
  EXPECT_EQ(regimes[0], (RegimeOfSeries{0, 4, (26292612 + 28165264) / 2}));
  EXPECT_EQ(regimes[1], (RegimeOfSeries{4, 24, (62805210 + 62915480) / 2}));
  EXPECT_EQ(borders(kCompiledPasses), (Borders{4}));
}

TEST(Regimes, StepsWithSingleStallsAreOne) { EXPECT_EQ(borders(kStepsWithStalls), Borders{}); }

// How many of 200 series of noise have more than one regime.
std::size_t series_of_noise_with_several(std::size_t count, double relative) {
  std::size_t several = 0;
  for (std::uint32_t seed = 1; seed <= 200; ++seed) {
    if (!borders(noisy(count, 1'000'000, relative, seed)).empty()) ++several;
  }
  return several;
}

TEST(Regimes, NoiseIsOne) {
  for (const double relative : {0.001, 0.02, 0.15}) {
    for (const std::size_t count : {8U, 12U, 24U, 100U}) {
      EXPECT_EQ(series_of_noise_with_several(count, relative), 0U) << count << " at " << relative;
    }
  }
  // Six values of strong noise can lie as two times three by chance.
  EXPECT_LE(series_of_noise_with_several(6, 0.15), 1U);
}

TEST(Regimes, OutliersWhereverTheyStandMakeNone) {
  const Values quiet = noisy(24, 1'000'000, 0.01, 7);
  for (std::size_t first = 0; first < quiet.size(); ++first) {
    for (std::size_t second = 0; second < quiet.size(); ++second) {
      Values values = quiet;
      values[first] *= 3;
      values[second] = 40'000'000;
      EXPECT_EQ(borders(values), Borders{}) << first << " " << second;
    }
  }
}

TEST(Regimes, OutliersDoNotHideThem) {
  Values values = joined({noisy(20, 1'000'000, 0.01, 1), noisy(20, 2'000'000, 0.01, 2)});
  values[3] = 2'000'000;
  values[11] = 30'000'000;
  values[33] = 1'000'000;
  EXPECT_EQ(borders(values), (Borders{20}));
}

TEST(Regimes, SlowPatchInTheMiddleMakesThree) {
  const Values values = joined(
      {noisy(12, 1'000'000, 0.01, 1), noisy(5, 1'500'000, 0.01, 2), noisy(30, 1'000'000, 0.01, 3)});
  EXPECT_EQ(borders(values), (Borders{12, 17}));
}

TEST(Regimes, ThreeAreTheFewestValues) {
  EXPECT_EQ(borders({1000, 1000, 1000, 2000, 2000, 2000}), (Borders{3}));
  EXPECT_EQ(borders({1000, 1000, 1000, 2000, 2000}), Borders{});
  EXPECT_EQ(borders({1000, 1000, 1000, 1000, 2000, 2000}), Borders{});
  RegimeOptions pairs;
  pairs.min_length = 2;
  EXPECT_EQ(borders({1000, 1000, 1000, 1000, 2000, 2000}, pairs), (Borders{4}));
}

TEST(Regimes, OutliersDoNotCountAmongTheFewest) {
  RegimeOptions five;
  five.min_length = 5;
  const Values quiet(6, 1000);
  EXPECT_EQ(borders(joined({quiet, {2000, 2000, 2000, 2000, 9000}, quiet}), five), Borders{});
  EXPECT_EQ(borders(joined({quiet, {2000, 2000, 2000, 2000, 2000}, quiet}), five),
            (Borders{6, 11}));
}

TEST(Regimes, GapMustBeWiderThanTheWiderNeighbour) {
  // The lower ones span a factor of 1.2, and so must the gap: 1.2 * 1.2 * 1.2^(2/29) = 1.458.
  const auto with = [](std::int64_t upper) {
    Values values(60, upper);
    for (std::size_t i = 0; i < 30; ++i) values[i] = i % 2 == 0 ? 1'000'000 : 1'200'000;
    return values;
  };
  EXPECT_EQ(borders(with(1'457'000)), Borders{});
  EXPECT_EQ(borders(with(1'459'000)), (Borders{30}));
}

TEST(Regimes, GapOfAFewPercentIsNone) {
  EXPECT_EQ(borders({10000, 10000, 10000, 10000, 10490, 10490, 10490, 10490}), Borders{});
  EXPECT_EQ(borders({10000, 10000, 10000, 10000, 10510, 10510, 10510, 10510}), (Borders{4}));
}

TEST(Regimes, DifferencesBelowTheAbsoluteFloorAreNone) {
  RegimeOptions options;
  options.noise.absolute = 1'000'000;
  const Values values = {1000, 1000, 1000, 2000, 2000, 2000, 0, 0, 0};
  EXPECT_EQ(borders(values, options), Borders{});
  // Also where they are a good part of the values.
  const auto with = [](std::int64_t level) {
    return Values{level, level, level, level, 700'000, 700'000, 700'000, 700'000};
  };
  EXPECT_EQ(borders(with(1'690'000), options), Borders{});
  EXPECT_EQ(borders(with(1'710'000), options), (Borders{4}));
}

TEST(Regimes, DriftIsOne) {
  Values values;
  for (std::int64_t i = 0; i < 60; ++i) values.push_back(1'000'000 + 20'000 * i);
  EXPECT_EQ(borders(values), Borders{});
}

TEST(Regimes, SeriesThatJumpsAboutHasAtMostAHandful) {
  Values values;
  for (std::int64_t i = 0; i < 200; ++i) values.push_back(i / 5 % 2 == 0 ? 1000 : 5000);
  EXPECT_LE(find_regimes(values, {}).size(), RegimeOptions{}.max_regimes);
  RegimeOptions many;
  many.max_regimes = 40;
  EXPECT_EQ(find_regimes(values, many).size(), 40U);
}

TEST(Regimes, BordersOfLongSeriesAreExact) {
  const Values values =
      joined({noisy(7'003, 1'000'000, 0.02, 1), noisy(11'111, 1'400'000, 0.02, 2)});
  const auto regimes = find_regimes(values, {});
  ASSERT_EQ(regimes.size(), 2U);
  EXPECT_EQ(regimes[0].end, 7'003U);
  EXPECT_EQ(regimes[1].begin, 7'003U);
  EXPECT_EQ(regimes[1].end, values.size());
  EXPECT_EQ(regimes[0].median, median(Values(values.begin(), values.begin() + 7'003)));
}

TEST(Regimes, NothingHasNoneAndOneValueIsOne) {
  EXPECT_TRUE(find_regimes({}, {}).empty());
  EXPECT_EQ(find_regimes(Values{5}, {}), (std::vector<RegimeOfSeries>{{0, 1, 5}}));
  EXPECT_EQ(borders(Values(1000, 0)), Borders{});
}

RC_GTEST_PROP(RegimeProperties, TogetherTheyAreTheSeriesAndNoneIsShort, ()) {
  const auto values = *rc::gen::container<Values>(
      rc::gen::oneOf(rc::gen::inRange<std::int64_t>(1000, 1010),
                     rc::gen::inRange<std::int64_t>(2000, 2010), rc::gen::just<std::int64_t>(0)));
  const auto regimes = find_regimes(values, {});
  std::size_t reached = 0;
  for (const RegimeOfSeries& regime : regimes) {
    RC_ASSERT(regime.begin == reached);
    RC_ASSERT(regimes.size() == 1 || regime.end - regime.begin >= 3U);
    const Values part(values.begin() + static_cast<std::ptrdiff_t>(regime.begin),
                      values.begin() + static_cast<std::ptrdiff_t>(regime.end));
    RC_ASSERT(regime.median == median(part));
    reached = regime.end;
  }
  RC_ASSERT(reached == values.size());
}

// Two levels that are far apart, in stretches of any length from the fewest on.
RC_GTEST_PROP(RegimeProperties, ClearStretchesAreFoundAsTheyAre, ()) {
  const auto lengths = *rc::gen::resize(
      5, rc::gen::nonEmpty(
             rc::gen::container<std::vector<std::size_t>>(rc::gen::inRange<std::size_t>(3, 40))));
  RC_PRE(lengths.size() <= RegimeOptions{}.max_regimes);
  Values values;
  Borders expected;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    for (std::size_t k = 0; k < lengths[i]; ++k) {
      values.push_back((i % 2 == 0 ? 1'000'000 : 3'000'000) +
                       *rc::gen::inRange<std::int64_t>(0, 30'000));
    }
    expected.push_back(values.size());
  }
  expected.pop_back();
  RC_ASSERT(borders(values) == expected);
}

}  // namespace
}  // namespace lockstep::algo

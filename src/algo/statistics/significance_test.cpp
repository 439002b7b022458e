// Values from the literature, and comparison with slow and obvious versions: all ways to deal a
// sample, the t density integrated step by step, the definition of the step-up.
#include "algo/statistics/significance.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace lockstep::algo {
namespace {

using Sample = std::vector<std::int64_t>;

// U of a, doubled so that ties are whole.
int doubled_u(const Sample& a, const Sample& b) {
  int u = 0;
  for (const std::int64_t x : a) {
    for (const std::int64_t y : b) u += x > y ? 2 : (x == y ? 1 : 0);
  }
  return u;
}

double slow_mann_whitney(const Sample& a, const Sample& b) {
  Sample all = a;
  all.insert(all.end(), b.begin(), b.end());
  const auto middle = static_cast<int>(a.size() * b.size());
  const int seen = std::abs(doubled_u(a, b) - middle);
  int far = 0;
  int dealt = 0;
  for (std::uint32_t mask = 0; mask < 1U << all.size(); ++mask) {
    if (static_cast<std::size_t>(std::popcount(mask)) != a.size()) continue;
    Sample left;
    Sample right;
    for (std::size_t i = 0; i < all.size(); ++i) {
      ((mask >> i & 1U) != 0 ? left : right).push_back(all[i]);
    }
    ++dealt;
    if (std::abs(doubled_u(left, right) - middle) >= seen) ++far;
  }
  return static_cast<double>(far) / dealt;
}

// Both tails of Student's t beyond `t`, by Simpson's rule over the middle.
double slow_student_p(double t, double freedom) {
  const double front = std::exp(std::lgamma((freedom + 1) / 2) - std::lgamma(freedom / 2)) /
                       std::sqrt(freedom * std::numbers::pi);
  const auto density = [&](double x) {
    return front * std::pow(1 + x * x / freedom, -(freedom + 1) / 2);
  };
  constexpr int kSteps = 20'000;
  const double width = t / kSteps;
  double sum = density(0) + density(t);
  for (int i = 1; i < kSteps; ++i) sum += density(i * width) * (i % 2 == 0 ? 2 : 4);
  return 1 - 2 * sum * width / 3;
}

TEST(MannWhitney, OneValueSaysNothing) {
  EXPECT_EQ(mann_whitney(Sample{1}, Sample{2, 3}), std::nullopt);
  EXPECT_EQ(mann_whitney(Sample{1, 2}, Sample{}), std::nullopt);
}

TEST(MannWhitney, TextbookSampleHasItsExactP) {
  // Ages at diagnosis, U = 17: 14 of 126 deals are as far.
  EXPECT_DOUBLE_EQ(mann_whitney(Sample{19, 22, 16, 29, 24}, Sample{20, 11, 17, 12}).value(),
                   14.0 / 126);
}

TEST(MannWhitney, CompleteSeparationIsTwoDealsOfAll) {
  EXPECT_DOUBLE_EQ(mann_whitney(Sample{1, 2, 3}, Sample{4, 5, 6}).value(), 2.0 / 20);
}

TEST(MannWhitney, EqualValuesDoNotDiffer) {
  EXPECT_EQ(mann_whitney(Sample{5, 5, 5}, Sample{5, 5}), 1.0);
  const Sample many(40, 7);
  EXPECT_EQ(mann_whitney(many, many), 1.0);
}

TEST(MannWhitney, LargeSamplesUseTheCorrectedNormal) {
  Sample a;
  Sample b;
  for (std::int64_t i = 0; i < 20; ++i) {
    a.push_back(i);
    b.push_back(i + 8);
  }
  // Twelve ties of two: U = 72, variance 400 / 12 (41 - 72 / 1560), z = (128 - 0.5) / 36.9479...
  const double variance = 400.0 / 12 * (41 - 72.0 / 1560);
  EXPECT_NEAR(mann_whitney(a, b).value(), std::erfc(127.5 / std::sqrt(variance) / std::sqrt(2.0)),
              1e-12);
}

TEST(MannWhitney, ExactAndNormalMeetAtTheBorder) {
  Sample a;
  Sample b;
  for (std::int64_t i = 0; i < 15; ++i) {
    a.push_back(2 * i);
    b.push_back(2 * i + 9);
  }
  const double exact = mann_whitney(a, b).value();
  b.push_back(23);  // the middle of b: one value more makes it normal
  EXPECT_NEAR(mann_whitney(a, b).value(), exact, 0.01);
}

TEST(Welch, PublishedSampleHasItsPublishedP) {
  // t = -2.46, 25.0 degrees of freedom, p = 0.021
  const Sample a = {275, 210, 190, 236, 170, 179, 169, 201, 219, 226, 231, 196, 190, 217, 214};
  const Sample b = {271, 220, 208, 234, 234, 235, 258, 220, 248, 202, 219, 221, 229, 205, 244};
  EXPECT_NEAR(welch(a, b, 0).value(), 0.021, 0.0005);
}

TEST(Welch, OneValueSaysNothing) { EXPECT_EQ(welch(Sample{1}, Sample{2, 3}, 0), std::nullopt); }

TEST(Welch, WithoutSpreadOnlyTheClockSpeaks) {
  const Sample low = {1000, 1000, 1000};
  const Sample high = {1032, 1032, 1032};
  EXPECT_EQ(welch(low, low, 0), 1.0);
  EXPECT_EQ(welch(low, high, 0), 0.0);
  // One tick apart: a standard error of 32 / sqrt(12) x sqrt(2 / 3), 4 degrees of freedom.
  EXPECT_NEAR(welch(low, high, 32).value(), slow_student_p(std::sqrt(18.0), 4), 1e-9);
}

TEST(Welch, LargeTimesLoseNoPrecision) {
  const std::int64_t day = 86'400'000'000'000'000;
  EXPECT_NEAR(welch(Sample{day, day + 2, day + 4}, Sample{day + 5, day + 7, day + 9}, 0).value(),
              welch(Sample{0, 2, 4}, Sample{5, 7, 9}, 0).value(), 1e-12);
}

TEST(DifferenceP, FewValuesAreTestedByTheirMeans) {
  Sample a;
  Sample b;
  for (std::int64_t i = 0; i < 11; ++i) {
    a.push_back(1000 + i);
    b.push_back(2000 + i * i);
  }
  EXPECT_EQ(difference_p(a, b, 1), welch(a, b, 1));
  a.push_back(1011);
  b.push_back(2121);
  EXPECT_EQ(difference_p(a, b, 1), mann_whitney(a, b));
}

TEST(Drift, IsTheDistanceOfTheHalvesMedians) {
  EXPECT_EQ(drift_of(Sample{1, 2, 3, 10, 20, 30}), 18);
  EXPECT_EQ(drift_of(Sample{30, 20, 10, 3, 2, 1}), 18);
  EXPECT_EQ(drift_of(Sample{1, 2, 99, 3, 4}), 2);  // the middle of five is in neither half
  EXPECT_EQ(drift_of(Sample{1, 2, 99}), 0);
}

TEST(AdjustForMany, PublishedTableRejectsTheFirstFour) {
  // The fifteen p of Benjamini and Hochberg 1995.
  const std::vector<double> p = {0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344,
                                 0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0000};
  const std::vector<double> adjusted = adjust_for_many(p);
  EXPECT_NEAR(adjusted[0], 0.0015, 1e-12);
  EXPECT_NEAR(adjusted[3], 0.035625, 1e-12);
  EXPECT_NEAR(adjusted[4], 0.0603, 1e-12);
  EXPECT_EQ(std::ranges::count_if(adjusted, [](double q) { return q <= 0.05; }), 4);
}

RC_GTEST_PROP(SignificanceProperties, RankTestIsThatOfAllDeals, ()) {
  const auto value = rc::gen::inRange<std::int64_t>(0, 8);
  const auto size_a = *rc::gen::inRange<std::size_t>(2, 6);
  const auto size_b = *rc::gen::inRange<std::size_t>(2, 6);
  const auto a = *rc::gen::container<Sample>(size_a, value);
  const auto b = *rc::gen::container<Sample>(size_b, value);
  RC_ASSERT(std::abs(mann_whitney(a, b).value() - slow_mann_whitney(a, b)) < 1e-12);
}

RC_GTEST_PROP(SignificanceProperties, WelchIsTheIntegralOfTheDensity, ()) {
  const auto value = rc::gen::inRange<std::int64_t>(0, 100);
  const auto size = *rc::gen::inRange<std::size_t>(2, 8);
  const auto a = *rc::gen::container<Sample>(size, value);
  const auto b = *rc::gen::container<Sample>(size, value);
  const auto n = static_cast<double>(size);
  const auto spread = [&](const Sample& sample) {
    double sum = 0;
    double squares = 0;
    for (const std::int64_t x : sample) {
      sum += static_cast<double>(x);
      squares += static_cast<double>(x * x);
    }
    return std::pair{sum / n, (squares - sum * sum / n) / (n - 1) / n};
  };
  const auto [mean_a, error_a] = spread(a);
  const auto [mean_b, error_b] = spread(b);
  const double error = error_a + error_b;
  RC_PRE(error > 0.01);
  const double freedom = error * error * (n - 1) / (error_a * error_a + error_b * error_b);
  const double t = std::abs(mean_a - mean_b) / std::sqrt(error);
  RC_PRE(t < 50);
  RC_ASSERT(std::abs(welch(a, b, 0).value() - slow_student_p(t, freedom)) < 1e-6);
}

RC_GTEST_PROP(SignificanceProperties, AdjustedIsTheLeastOfTheStepUp, ()) {
  const auto whole = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 1001));
  std::vector<double> p;
  for (const int value : whole) p.push_back(value / 1000.0);
  const std::vector<double> adjusted = adjust_for_many(p);
  for (std::size_t i = 0; i < p.size(); ++i) {
    double least = 1;
    for (const double other : p) {
      if (other < p[i]) continue;
      const auto rank = std::ranges::count_if(p, [&](double x) { return x <= other; });
      least = std::min(least, other * static_cast<double>(p.size()) / static_cast<double>(rank));
    }
    RC_ASSERT(std::abs(adjusted[i] - least) < 1e-12);
  }
}

}  // namespace
}  // namespace lockstep::algo

// What is beyond noise, and what is not.
#include "analysis/compare/compare_for_test.h"

namespace lockstep::analysis::compare {
namespace {

TEST(Compare, OnlyTheSlowerKernelIsSignificant) {
  const Comparison comparison = compare_sides(loop_side(20'000, 1), loop_side(22'000, 2));
  expect_sums(comparison);
  ASSERT_EQ(comparison.pairs.size(), 1U);
  const ComparePair& pair = comparison.pairs[0];
  EXPECT_TRUE(pair.is_significant);
  EXPECT_EQ(comparison.rows_significant, 1U);
  ASSERT_EQ(pair.rows[0].a.kernels.size(), 1U);
  EXPECT_EQ(pair.rows[0].a.kernels[0].name, kGemmName);
  EXPECT_TRUE(pair.rows[0].is_significant);
  EXPECT_NEAR(static_cast<double>(pair.rows[0].delta_ns), 2000, 50);
  EXPECT_NEAR(pair.rows[0].percent.value(), 10, 0.3);
  EXPECT_LE(pair.rows[0].p.value(), pair.rows[0].adjusted_p.value());
}

TEST(Compare, FewIterationsAreEnoughForALargeDifference) {
  const Comparison comparison = compare_sides(loop_side(20'000, 1, 5), loop_side(30'000, 2, 5));
  EXPECT_TRUE(comparison.pairs.at(0).rows.at(0).is_significant);
  EXPECT_EQ(comparison.rows_significant, 1U);
}

TEST(Compare, ThreeIterationsClaimNothing) {
  const Comparison comparison = compare_sides(loop_side(20'000, 1, 3), loop_side(30'000, 2, 30));
  EXPECT_TRUE(comparison.pairs.at(0).p.has_value());
  EXPECT_FALSE(comparison.pairs.at(0).is_significant);
  EXPECT_EQ(comparison.rows_significant, 0U);
}

TEST(Compare, OneStallAmongFasterIterationsIsNoRegression) {
  const auto side = [](std::int64_t gemm_ns, int stalled) {
    SideBuilder builder;
    Noise noise(static_cast<std::uint64_t>(gemm_ns));
    for (int i = 0; i < 24; ++i) {
      for (int k = 0; k < 8; ++k) {
        const std::int64_t idle_ns = i == stalled && k == 4 ? 5'000'000 : 1000;
        builder.add({std::string(kGemmName), gemm_ns + noise.next(100), idle_ns});
      }
    }
    builder.loop(cycles::loop_of(0, 8, {cycles::instance_of(0, 8, 24)}));
    return builder.side();
  };
  const Comparison comparison = compare_sides(side(20'000, -1), side(19'000, 7));
  const ComparePair& pair = comparison.pairs.at(0);
  EXPECT_GT(*pair.delta_ns, 0);
  EXPECT_FALSE(pair.is_significant);
  EXPECT_EQ(comparison.rows_significant, 8U);
  for (const CompareRow& row : pair.rows) EXPECT_EQ(row.is_significant, row.delta_ns < 0);
}

TEST(Compare, SureButTinyDifferencesAreNotSignificant) {
  // Without noise every difference is sure.
  const auto steady = [](std::int64_t duration_ns) {
    SideBuilder builder;
    for (int i = 0; i < 64; ++i) builder.add({std::string(kGemmName), duration_ns + i % 2});
    builder.loop(cycles::loop_of(0, 8, {cycles::instance_of(0, 8, 8)}));
    return builder.side();
  };
  const CompareOptions options;
  EXPECT_EQ(compare_sides(steady(20'000), steady(20'150), options).rows_significant, 0U);  // 0.75 %
  EXPECT_EQ(compare_sides(steady(2000), steady(2060), options).rows_significant, 0U);      // 60 ns
  EXPECT_EQ(compare_sides(steady(20'000), steady(20'300), options).rows_significant, 8U);
}

TEST(Compare, DifferenceWithinTheRunsOwnDriftIsNotSignificant) {
  const auto drifting = [](std::int64_t from_ns) {
    SideBuilder builder;
    for (std::int64_t i = 0; i < 20; ++i) {
      for (int k = 0; k < 8; ++k) builder.add({std::string(kGemmName), from_ns + 100 * i});
    }
    builder.loop(cycles::loop_of(0, 8, {cycles::instance_of(0, 8, 20)}));
    return builder.side();
  };
  // The second run goes on where the first one stopped.
  EXPECT_EQ(compare_sides(drifting(20'000), drifting(22'000)).rows_significant, 0U);
  EXPECT_EQ(compare_sides(drifting(20'000), drifting(26'000)).rows_significant, 8U);
}

TEST(Compare, HalvesOfOneRunDoNotDiffer) {
  const TestSide side = loop_side(20'000, 5, 40);
  CompareOptions options;
  options.iterations_a = {0, 0.5};
  options.iterations_b = {0.5, 1};
  const Comparison comparison = compare_sides(side, side, options);
  EXPECT_EQ(comparison.pairs.at(0).a->iterations, 20U);
  EXPECT_EQ(comparison.pairs.at(0).b->start, 160U);
  EXPECT_EQ(comparison.rows_significant, 0U);
}

}  // namespace
}  // namespace lockstep::analysis::compare

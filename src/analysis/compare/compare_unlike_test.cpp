// What is not the same work, and what has no partner at all.
#include <gtest/gtest.h>

#include "analysis/compare/compare.h"
#include "analysis/compare/compare_for_test.h"

namespace lockstep::analysis::compare {
namespace {

// GEMMs, then sums over ranks; no loop.
TestSide segment_of(std::uint32_t gemms, std::uint32_t others) {
  SideBuilder builder;
  for (std::uint32_t k = 0; k < gemms; ++k) builder.add({std::string(kGemmName), 10'000});
  for (std::uint32_t k = 0; k < others; ++k) builder.add({std::string(kAllReduceName), 9000});
  return builder.side();
}

TEST(CompareUnlike, SegmentsOfUnlikeLengthAreNotTheSameWork) {
  const Comparison comparison = compare_sides(segment_of(10, 0), segment_of(10, 25));
  ASSERT_EQ(comparison.pairs.size(), 1U);
  EXPECT_EQ(comparison.pairs[0].kind, PairKind::kSegment);
  EXPECT_FALSE(comparison.pairs[0].is_same_work);
  expect_sums(comparison);
  EXPECT_TRUE(compare_sides(segment_of(10, 0), segment_of(10, 4)).pairs.at(0).is_same_work);
}

TEST(CompareUnlike, SegmentsWithLittleInCommonAreNotTheSameWork) {
  const Comparison comparison = compare_sides(segment_of(10, 0), segment_of(3, 11));
  ASSERT_EQ(comparison.pairs.size(), 1U);
  EXPECT_FALSE(comparison.pairs[0].is_same_work);
}

TEST(CompareUnlike, LoopsWithLittleInCommonAreNotTheSameWork) {
  const auto loop_of = [](std::uint32_t gemms) {
    SideBuilder builder;
    for (std::uint32_t i = 0; i < 8; ++i) {
      for (std::uint32_t k = 0; k < 10; ++k)
        builder.add({std::string(k < gemms ? kGemmName : kAllReduceName), 10'000});
    }
    builder.loop(cycles::loop_of(0, 10, {cycles::instance_of(0, 10, 8)}), cycles::LoopRole::kPass);
    return builder.side();
  };
  const Comparison comparison = compare_sides(loop_of(10), loop_of(4));
  ASSERT_EQ(comparison.pairs.size(), 1U);
  EXPECT_LT(comparison.pairs[0].similarity, 0.5);
  EXPECT_FALSE(comparison.pairs[0].is_same_work);
  EXPECT_EQ(comparison.total_ns_a, 0);
  EXPECT_TRUE(compare_sides(loop_of(10), loop_of(6)).pairs.at(0).is_same_work);
}

TEST(CompareUnlike, OtherWorkIsInNoSum) {
  const Comparison comparison = compare_sides(segment_of(10, 0), segment_of(10, 25));
  ASSERT_EQ(comparison.pairs.size(), 1U);
  EXPECT_FALSE(is_compared(comparison.pairs[0]));
  EXPECT_EQ(comparison.total_ns_a, 0);
  EXPECT_EQ(comparison.total_percent(), std::nullopt);
  EXPECT_EQ(comparison.elapsed_ns_a, 0);
  EXPECT_EQ(comparison.unmatched_a.share, 1);
  EXPECT_EQ(comparison.unmatched_b.share, 1);
  EXPECT_EQ(comparison.rows_tested, 0U);
}

TEST(CompareUnlike, WhatHasNoPartnerIsAShareOfItsTrace) {
  const auto sides = [](std::int64_t other_ns) {
    SideBuilder builder;
    for (int i = 0; i < 16; ++i) {
      for (int k = 0; k < 8; ++k) builder.add({std::string(kGemmName), 1000});
    }
    builder.loop(cycles::loop_of(0, 8, {cycles::instance_of(0, 8, 16)}));
    if (other_ns > 0) builder.add({std::string(kAllReduceName), other_ns});
    return builder.side();
  };
  const Comparison none = compare_sides(sides(0), sides(0));
  EXPECT_EQ(none.unmatched_a.ns, 0);
  EXPECT_EQ(none.unmatched_a.share, 0);
  const Comparison comparison = compare_sides(sides(32'000), sides(0));
  EXPECT_EQ(comparison.unmatched_a.ns, 32'000);
  EXPECT_NEAR(comparison.unmatched_a.share, 0.2, 0.001);
  EXPECT_EQ(comparison.unmatched_b.ns, 0);
  EXPECT_EQ(compare_sides({}, {}).unmatched_a.share, 0);
}

TEST(CompareUnlike, PassWithoutItsPhaseIsTheSamePass) {
  const auto pass = [](cycles::PhaseName phase) {
    SideBuilder builder;
    builder.add({"embedding", 500});
    for (int layer = 0; layer < 6; ++layer) {
      for (int gemm = 0; gemm < 7; ++gemm) builder.add({std::string(kGemmName), 1000, 100});
      builder.add({std::string(kFlashName), 2000});
    }
    builder.loop(cycles::loop_of(0, 8, {cycles::instance_of(1, 8, 6)}), cycles::LoopRole::kLayer,
                 phase);
    builder.phase({phase, 0, builder.size(), 1, 6, cycles::kNoLoop, {}});
    return builder.side();
  };
  for (const auto phase : {cycles::PhaseName::kPrefill, cycles::PhaseName::kDecode}) {
    const Comparison comparison = compare_sides(pass(phase), pass(cycles::PhaseName::kUnknown));
    EXPECT_EQ(comparison.total_delta_ns, 0);
    EXPECT_EQ(comparison.unmatched_a.ns, 0);
    EXPECT_EQ(comparison.unmatched_b.ns, 0);
  }
}

}  // namespace
}  // namespace lockstep::analysis::compare

// Iterations joined.
#include "analysis/compare/items/folding.h"

#include <gtest/gtest.h>

#include "analysis/compare/side_for_test.h"

namespace lockstep::analysis::compare {
namespace {

using Counts = std::vector<std::uint32_t>;

TEST(Folding, CountIsTheWholeNumberThatComesNear) {
  EXPECT_EQ(fold_counts(41, 88), Counts{2});
  EXPECT_EQ(fold_counts(10, 40), (Counts{4, 3}));
  EXPECT_EQ(fold_counts(20, 495), (Counts{25, 24, 23}));
  EXPECT_EQ(fold_counts(100, 149), Counts{});  // too near
  EXPECT_EQ(fold_counts(100, 150), Counts{});  // neither one nor two
  EXPECT_EQ(fold_counts(1, 1000), Counts{});
  EXPECT_EQ(fold_counts(0, 10), Counts{});
}

// Passes of two kernels; instances of so many iterations, a kernel between.
CompareItem loop_item(const std::vector<std::uint32_t>& iterations) {
  SideBuilder builder;
  std::vector<cycles::LoopInstance> instances;
  for (const std::uint32_t count : iterations) {
    if (builder.size() > 0) builder.add({"between", 7});
    instances.push_back(cycles::instance_of(builder.size(), 2, count));
    for (std::uint32_t i = 0; i < count; ++i) builder.add({{"a", 10, 5}, {"b", 20}});
  }
  builder.loop(cycles::loop_of(0, 2, instances));
  return compare_items(builder.side().cycles.streams.front(), 0, {}, {}).front();
}

TEST(Folding, IterationsThatFollowEachOtherBecomeOne) {
  const auto folded = fold(loop_item({5, 2, 1}), 2);
  ASSERT_TRUE(folded.has_value());
  ASSERT_EQ(folded->iterations.size(), 3U);  // two of the first instance, one of the second
  EXPECT_EQ(folded->iterations[1].kernels, (cycles::Iteration{4, 8}));
  EXPECT_EQ(folded->iterations[1].wall, Time{70'000});
  EXPECT_EQ(folded->iterations[1].busy, Time{60'000});
  EXPECT_EQ(folded->iterations[1].kernel_sum, Time{60'000});
  EXPECT_EQ(folded->iterations[2].kernels, (cycles::Iteration{11, 15}));
  EXPECT_EQ(folded->reaches_next, (std::vector<bool>{true, true, false}));
  EXPECT_EQ(folded->body, (cycles::Iteration{0, 4}));
  EXPECT_EQ(folded->side.kernels, 4U);
  EXPECT_EQ(folded->side.iterations, 3U);
  EXPECT_EQ(folded->side.folded, 2U);
}

TEST(Folding, WhatHasTooFewIterationsIsNotFolded) {
  EXPECT_EQ(fold(loop_item({3, 3}), 4), std::nullopt);
  SideBuilder builder;
  const TestSide segment = builder.add({{"a", 10}, {"b", 20}}).side();
  EXPECT_EQ(fold(compare_items(segment.cycles.streams.front(), 0, {}, {}).front(), 1),
            std::nullopt);
}

}  // namespace
}  // namespace lockstep::analysis::compare

// What of a stream is compared as one thing.
#include "analysis/compare/items/items.h"

#include <gtest/gtest.h>

#include "analysis/compare/side_for_test.h"

namespace lockstep::analysis::compare {
namespace {

const ItemRules kPrefillOnly = {.whole = {cycles::PhaseName::kPrefill}, .large = {}};

std::vector<CompareItem> items_of(SideBuilder& builder, IterationShare share = {}) {
  return compare_items(builder.stream(), 0, share, kPrefillOnly);
}

// Kernels named by letters, 1 us each.
SideBuilder letters(std::string_view names) {
  SideBuilder builder;
  for (const char name : names) builder.add({std::string(1, name)});
  return builder;
}

TEST(CompareItems, LoopsAndWhatLiesBetween) {
  SideBuilder builder = letters("xabcdefghabcdefghabcdefghyz");
  builder.loop(cycles::loop_of(0, 8, {cycles::instance_of(1, 8, 3)}), cycles::LoopRole::kPass,
               cycles::PhaseName::kDecode);
  const std::vector<CompareItem> items = items_of(builder);
  ASSERT_EQ(items.size(), 3U);
  EXPECT_EQ(items[0].body, (cycles::Iteration{0, 1}));
  EXPECT_FALSE(items[0].side.loop.has_value());
  EXPECT_EQ(items[1].side.loop, 0U);
  EXPECT_EQ(items[1].side.start, 1U);
  EXPECT_EQ(items[1].side.end, 25U);
  EXPECT_EQ(items[1].side.iterations, 3U);
  EXPECT_EQ(items[1].side.kernels, 8U);
  EXPECT_EQ(items[1].side.phase, cycles::PhaseName::kDecode);
  EXPECT_EQ(items[2].body, (cycles::Iteration{25, 27}));
}

TEST(CompareItems, NestedLoopsAreNoItemsOfTheirOwn) {
  SideBuilder builder = letters("abababababababab");
  builder.loop(cycles::loop_of(0, 8, {cycles::instance_of(0, 8, 2)}), cycles::LoopRole::kPass);
  cycles::NestLoop inner =
      cycles::loop_of(1, 2, {cycles::instance_of(0, 2, 4), cycles::instance_of(8, 2, 4)});
  inner.parent = 0;
  builder.loop(inner, cycles::LoopRole::kLayer);
  EXPECT_EQ(items_of(builder).size(), 1U);
}

TEST(CompareItems, EqualSegmentsAreOccurrencesOfOne) {
  SideBuilder builder = letters("xabcdefghabcdefghxabcdefghabcdefghx");
  builder.loop(
      cycles::loop_of(0, 8, {cycles::instance_of(1, 8, 2), cycles::instance_of(18, 8, 2)}));
  const std::vector<CompareItem> items = items_of(builder);
  ASSERT_EQ(items.size(), 2U);
  EXPECT_EQ(items[0].side.iterations, 3U);
  EXPECT_EQ(items[0].iterations[1].kernels, (cycles::Iteration{17, 18}));
  EXPECT_EQ(items[1].side.iterations, 4U);
  EXPECT_EQ(items[1].side.end, 17U);  // of the first instance
}

TEST(CompareItems, SinglePrefillIsASegmentWithItsLayers) {
  SideBuilder builder = letters("xababababababababyabcdefghabcdefghabcdefgh");
  builder.loop(cycles::loop_of(0, 2, {cycles::instance_of(1, 2, 8)}), cycles::LoopRole::kLayer,
               cycles::PhaseName::kPrefill);
  builder.loop(cycles::loop_of(1, 8, {cycles::instance_of(18, 8, 3)}), cycles::LoopRole::kPass,
               cycles::PhaseName::kDecode);
  builder.phase({cycles::PhaseName::kPrefill, 0, 18, 1, 8, cycles::kNoLoop, {}});
  builder.phase({cycles::PhaseName::kDecode, 18, 42, 3, 0, 1, {}});
  const std::vector<CompareItem> items = items_of(builder);
  ASSERT_EQ(items.size(), 2U);
  EXPECT_EQ(items[0].body, (cycles::Iteration{0, 18}));
  EXPECT_EQ(items[0].side.phase, cycles::PhaseName::kPrefill);
  EXPECT_EQ(items[0].side.role, cycles::LoopRole::kPass);
  EXPECT_FALSE(items[0].side.loop.has_value());
  EXPECT_EQ(items[1].side.loop, 1U);
}

TEST(CompareItems, LayersOfASingleDecodeAreTheSampleUnlessPassesAsk) {
  SideBuilder builder = letters("xabcdefghabcdefghabcdefghy");
  builder.loop(cycles::loop_of(0, 8, {cycles::instance_of(1, 8, 3)}), cycles::LoopRole::kLayer,
               cycles::PhaseName::kDecode);
  builder.phase({cycles::PhaseName::kDecode, 0, 26, 1, 3, cycles::kNoLoop, {}});
  const cycles::StreamCycles cycles = builder.stream();
  EXPECT_EQ(compare_items(cycles, 0, {}, kPrefillOnly).size(), 3U);
  EXPECT_EQ(compare_items(cycles, 0, {}, {{cycles::PhaseName::kDecode}, {}}).size(), 1U);
}

TEST(CompareItems, RequestsAreLookedInto) {
  SideBuilder builder = letters("pabcdefghabcdefghabcdefghpabcdefghabcdefghabcdefgh");
  builder.loop(cycles::loop_of(0, 25, {cycles::instance_of(0, 25, 2)}), cycles::LoopRole::kRequest,
               cycles::PhaseName::kRequest);
  cycles::NestLoop decode =
      cycles::loop_of(1, 8, {cycles::instance_of(1, 8, 3), cycles::instance_of(26, 8, 3)});
  decode.parent = 0;
  builder.loop(decode, cycles::LoopRole::kPass, cycles::PhaseName::kDecode);
  const std::vector<CompareItem> items = items_of(builder);
  ASSERT_EQ(items.size(), 2U);
  EXPECT_EQ(items[0].side.iterations, 2U);
  EXPECT_EQ(items[1].side.loop, 1U);
  EXPECT_EQ(items[1].side.iterations, 6U);
}

TEST(CompareItems, ShortLoopsThatHardlyTakeTimeStayInTheirSegment) {
  SideBuilder builder = letters("mmabcdefghabcdefghabcdefghabcdefgh");
  builder.loop(cycles::loop_of(0, 1, {cycles::instance_of(0, 1, 2)}));
  builder.loop(cycles::loop_of(1, 8, {cycles::instance_of(2, 8, 4)}));
  const std::vector<CompareItem> items = items_of(builder);
  ASSERT_EQ(items.size(), 2U);
  EXPECT_FALSE(items[0].side.loop.has_value());
  EXPECT_EQ(items[0].body, (cycles::Iteration{0, 2}));
  EXPECT_EQ(items[1].side.loop, 1U);
}

TEST(CompareItems, ShareTakesAPartOfTheIterations) {
  SideBuilder builder = letters("aaaaaaaaaaaaaaaaaaaa");
  builder.loop(cycles::loop_of(0, 4, {cycles::instance_of(0, 4, 5)}));
  const std::vector<CompareItem> first = items_of(builder, {0, 0.5});
  ASSERT_EQ(first.size(), 1U);
  EXPECT_EQ(first[0].side.iterations, 2U);
  EXPECT_EQ(first[0].side.end, 8U);
  const std::vector<CompareItem> second = items_of(builder, {0.5, 1});
  EXPECT_EQ(second[0].side.iterations, 3U);
  EXPECT_EQ(second[0].side.start, 8U);
  EXPECT_TRUE(items_of(builder, {0, 0.1}).empty());
}

TEST(CompareItems, SegmentLastsFromItsFirstKernelToItsLastEnd) {
  SideBuilder builder;
  builder.add({"long", 10'000}).back_ps(8'000'000).add({"short", 1000}).add({"late", 500, 20'000});
  const std::vector<CompareItem> items = items_of(builder);
  ASSERT_EQ(items.size(), 1U);
  const cycles::IterationTime& time = items[0].iterations.front();
  EXPECT_EQ(time.wall, Time{23'500'000});
  EXPECT_EQ(time.busy, Time{10'500'000});
  EXPECT_EQ(time.kernel_sum, Time{11'500'000});
}

}  // namespace
}  // namespace lockstep::analysis::compare

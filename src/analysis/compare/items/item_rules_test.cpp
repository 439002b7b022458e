// What is settled for both traces at once.
#include "analysis/compare/items/item_rules.h"

#include <gtest/gtest.h>

#include "analysis/compare/items/items.h"
#include "analysis/compare/side_for_test.h"

namespace lockstep::analysis::compare {
namespace {

using Phases = std::set<cycles::PhaseName>;

// Kernels named by letters, 1 us each.
SideBuilder kernels_of(std::string_view names) {
  SideBuilder builder;
  for (const char name : names) builder.add({std::string(1, name)});
  return builder;
}

// One kernel `count` times, then as many others.
SideBuilder repeated_kernel(std::uint32_t count, std::uint32_t others) {
  SideBuilder builder;
  for (std::uint32_t i = 0; i < count; ++i) builder.add({"x", 1000, 50'000});
  for (std::uint32_t i = 0; i < others; ++i) builder.add({"other " + std::to_string(i)});
  builder.loop(cycles::loop_of(0, 1, {cycles::instance_of(0, 1, count)}));
  return builder;
}

TEST(ItemRules, LoopOfOneKernelIsLargeOnlyWhereItIsNearlyTheWholeStream) {
  EXPECT_TRUE(is_large(repeated_kernel(40, 1).stream(), 0));
  EXPECT_FALSE(is_large(repeated_kernel(40, 4).stream(), 0));  // though it takes most of the time
}

TEST(ItemRules, LoopOfOneKernelThatIsLargeInOneTraceIsComparedInTheOther) {
  const auto count = [](SideBuilder a, SideBuilder b) {
    const TestSide side_a = a.side();
    const TestSide side_b = b.side();
    const ItemRules rules = item_rules(side_a.cycles, side_b.cycles);
    return compare_items(side_b.cycles.streams.front(), 0, {}, rules).size();
  };
  EXPECT_EQ(count(repeated_kernel(40, 1), repeated_kernel(40, 4)), 2U);
  EXPECT_EQ(count(repeated_kernel(40, 4), repeated_kernel(40, 4)), 1U);
  // What is beside other work in one trace is no loop for being alone in the other.
  EXPECT_EQ(count(repeated_kernel(40, 1), repeated_kernel(4, 30)), 1U);
}

// Two kernels three times that wait so long, in a stream of others.
SideBuilder waiting_pairs(std::int64_t idle_ns) {
  SideBuilder builder;
  for (int i = 0; i < 3; ++i) builder.add({"a", 1000, idle_ns}).add({"b"});
  for (int i = 0; i < 94; ++i) builder.add({"other " + std::to_string(i)});
  builder.loop(cycles::loop_of(0, 2, {cycles::instance_of(0, 2, 3)}));
  return builder;
}

TEST(ItemRules, ShortLoopIsComparedByItselfInBothTracesOrInNone) {
  const TestSide fast = waiting_pairs(0).side();
  const TestSide slow = waiting_pairs(100'000).side();
  const auto count = [](const TestSide& side, const ItemRules& rules) {
    return compare_items(side.cycles.streams.front(), 0, {}, rules).size();
  };
  const ItemRules both = item_rules(fast.cycles, slow.cycles);
  EXPECT_EQ(count(fast, both), 2U);
  EXPECT_EQ(count(slow, both), 2U);
  EXPECT_EQ(count(fast, item_rules(fast.cycles, fast.cycles)), 1U);
}

// One pass of this phase, with layers of eight kernels.
SideBuilder single_pass(cycles::PhaseName phase, std::uint32_t layers = 3) {
  SideBuilder builder = kernels_of("xabcdefghabcdefghabcdefghy");
  builder.loop(cycles::loop_of(0, 8, {cycles::instance_of(1, 8, 3)}), cycles::LoopRole::kLayer,
               phase);
  builder.phase({phase, 0, 26, 1, layers, cycles::kNoLoop, {}});
  return builder;
}

TEST(ItemRules, PassOfUnknownPhaseIsWholeWhereThatOfTheOtherTraceIs) {
  const auto items_of_unknown = [](cycles::PhaseName other, std::uint32_t layers) {
    const TestSide known = single_pass(other).side();
    const TestSide unknown = single_pass(cycles::PhaseName::kUnknown, layers).side();
    const ItemRules rules = item_rules(known.cycles, unknown.cycles);
    return compare_items(unknown.cycles.streams.front(), 0, {}, rules).size();
  };
  EXPECT_EQ(items_of_unknown(cycles::PhaseName::kPrefill, 3), 1U);
  EXPECT_EQ(items_of_unknown(cycles::PhaseName::kDecode, 3), 3U);
  EXPECT_EQ(items_of_unknown(cycles::PhaseName::kUnknown, 3), 3U);
  EXPECT_EQ(items_of_unknown(cycles::PhaseName::kPrefill, 0), 3U);  // it may be anything
}

TEST(ItemRules, WhereAPassOfUnknownPhaseIsWholeAllSinglePassesAre) {
  SideBuilder passes = kernels_of("abcdefghabcdefgh");
  passes.loop(cycles::loop_of(0, 8, {cycles::instance_of(0, 8, 2)}), cycles::LoopRole::kPass,
              cycles::PhaseName::kPrefill);
  passes.phase({cycles::PhaseName::kPrefill, 0, 16, 2, 0, 0, {}});
  const TestSide prefills = passes.side();
  const TestSide decode = single_pass(cycles::PhaseName::kDecode).side();
  const TestSide unknown = single_pass(cycles::PhaseName::kUnknown).side();
  // It may be the decode: what is whole in one trace is in the other.
  cycles::Cycles both;
  both.streams = {prefills.cycles.streams.front(), decode.cycles.streams.front()};
  EXPECT_EQ(item_rules(both, unknown.cycles).whole,
            (Phases{cycles::PhaseName::kPrefill, cycles::PhaseName::kDecode,
                    cycles::PhaseName::kUnknown}));
  EXPECT_EQ(item_rules(both, both).whole, (Phases{cycles::PhaseName::kPrefill}));
  EXPECT_EQ(item_rules(unknown.cycles, unknown.cycles).whole,
            (Phases{cycles::PhaseName::kPrefill}));
}

TEST(ItemRules, LoopOfPassesMakesItsPhaseWhole) {
  SideBuilder passes = kernels_of("abcdefghabcdefgh");
  passes.loop(cycles::loop_of(0, 8, {cycles::instance_of(0, 8, 2)}), cycles::LoopRole::kPass,
              cycles::PhaseName::kDecode);
  passes.phase({cycles::PhaseName::kDecode, 0, 16, 2, 0, 0, {}});
  SideBuilder single = kernels_of("abcdefgh");
  single.phase({cycles::PhaseName::kMixed, 0, 8, 1, 0, cycles::kNoLoop, {}});
  const ItemRules rules = item_rules(passes.side().cycles, single.side().cycles);
  EXPECT_EQ(rules.whole, (Phases{cycles::PhaseName::kPrefill, cycles::PhaseName::kDecode}));
}

}  // namespace
}  // namespace lockstep::analysis::compare

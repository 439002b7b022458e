// The nest of the chosen cycle, the patterns, the choice of a phase, determinism.
#include "analysis/cycles/anchor/anchor_method.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "analysis/cycles/anchor/anchor_stream_for_test.h"

namespace lockstep::analysis::cycles {
namespace {

TEST(AnchorMethod, WindowThatDoesNotMatchPartsTheInstances) {
  std::string names = times(letters(20), 6);
  names[3 * 20 + 5] = names[3 * 20 + 6] = '!';
  const Nest nest = nest_of(names);
  ASSERT_EQ(nest.loops.size(), 1U);
  const NestLoop& loop = nest.loops.front();
  ASSERT_EQ(loop.instances.size(), 2U);
  EXPECT_EQ(loop.instances[0].start(), 0U);
  EXPECT_EQ(loop.instances[0].end(), 60U);
  EXPECT_EQ(loop.instances[1].start(), 80U);
  EXPECT_EQ(loop.instances[1].end(), 120U);
  EXPECT_EQ(loop.run_end, 60U);
  EXPECT_TRUE(loop.is_exact);
  EXPECT_EQ(loop.border, BorderEvidence::kAnchor);
  EXPECT_EQ(loop.symbol, SymbolLevel::kName);
}

TEST(AnchorMethod, NamesThatDifferAreExceptions) {
  std::string names = times(letters(20), 6);
  names[3 * 20 + 5] = '!';
  const Nest nest = nest_of(names);
  EXPECT_FALSE(nest.loops.front().is_exact);
  EXPECT_EQ(nest.loops.front().exceptions, 1U);
}

TEST(AnchorMethod, SubCyclesAreAChildWithAnInstanceInEachIteration) {
  const Nest nest = nest_of(times("xstuvwstuvwstuvwstuvw", 6));
  ASSERT_EQ(nest.loops.size(), 2U);
  const NestLoop& sub = nest.loops[1];
  EXPECT_EQ(sub.parent, 0);
  EXPECT_EQ(sub.depth, 1U);
  EXPECT_NE(sub.id, nest.loops[0].id);
  ASSERT_EQ(sub.instances.size(), 6U);
  EXPECT_EQ(sub.instances[5].start(), 106U);
  EXPECT_EQ(sub.instances[5].end(), 126U);
  EXPECT_EQ(sub.body_start, 1U);
}

TEST(AnchorMethod, KernelsThatASubCycleLacksAreExceptions) {
  const Nest nest = nest_of(times("xyz" + times("klmnopqrst", 3) + "klmnopqrs" + "klmnopqrst", 6));
  ASSERT_EQ(nest.loops.size(), 2U);
  const LoopInstance& first = nest.loops[1].instances.front();
  ASSERT_EQ(first.iterations.size(), 5U);
  EXPECT_EQ(first.iterations[3].size(), 9U);
  EXPECT_EQ(first.iterations[4], (Iteration{42, 52}));
  EXPECT_EQ(nest.loops[1].exceptions, 1U);
  EXPECT_FALSE(nest.loops[1].is_exact);
}

TEST(AnchorMethod, AttentionKernelsOfTheBodyAreCounted) {
  TestStream test = stream_of(times("xstuvwstuvwstuvwstuvw", 6));
  test.stream.symbols[test.symbol("u")].facts.is_attention_anchor = true;
  const Nest nest = find_anchor_loops(test.stream, {}, CycleMode::kAuto).nest;
  ASSERT_EQ(nest.loops.size(), 2U);
  EXPECT_EQ(nest.loops[0].anchors_per_body, 4U);
  EXPECT_EQ(nest.loops[1].anchors_per_body, 1U);
}

TEST(AnchorMethod, SubCycleThatTheEndCutsOffIsPartial) {
  // s begins the fifth one, which has three kernels.
  const Nest nest = nest_of(times("xstuvwstuvwstuvwstuvwstu", 6));
  ASSERT_EQ(nest.loops.size(), 2U);
  EXPECT_EQ(nest.loops[1].instances[0].iterations.size(), 4U);
  EXPECT_EQ(nest.loops[1].instances[0].partial_after, 3U);
}

TEST(AnchorMethod, RepetitionsOfASubCycleAreThoseOfAllCycles) {
  const auto patterns = patterns_of(times("xstuvwstuvwstuvwstuvw", 6));
  ASSERT_EQ(patterns.size(), 1U);
  EXPECT_EQ(patterns[0].length, 5U);
  EXPECT_EQ(patterns[0].repetitions, 24U);
  EXPECT_EQ(patterns[0].cycle_length, 21U);
  EXPECT_EQ(patterns[0].cycle_repetitions, 6U);
  EXPECT_EQ(patterns[0].anchor, "K:x");
  EXPECT_EQ(patterns[0].signature, "K:s|K:t|K:u|K:v|K:w");
  // From 1 to 126 of 126 kernels.
  EXPECT_DOUBLE_EQ(patterns[0].centre_percent, 100 * 63.5 / 126);
}

TEST(AnchorMethod, EqualSignaturesAreOnePatternThatOfMoreRepetitions) {
  // Same signatures, other names; every letter is the anchor of one rotation.
  const std::string small = letters(12);
  std::string large = small;
  for (char& letter : large) letter = static_cast<char>(letter - 'a' + 'A');
  const auto pattern_of = [](const std::vector<AnchorPattern>& patterns, char first) {
    return std::ranges::count_if(patterns, [&](const AnchorPattern& pattern) {
      return pattern.anchor == std::string("K:") + first;
    });
  };
  const auto later = patterns_of(times(small, 6) + times(large, 8));
  EXPECT_EQ(later.size(), 12U);
  EXPECT_EQ(pattern_of(later, 'A'), 1);
  EXPECT_EQ(pattern_of(later, 'a'), 0);
  const auto earlier = patterns_of(times(small, 8) + times(large, 6));
  EXPECT_EQ(earlier.size(), 12U);
  EXPECT_EQ(pattern_of(earlier, 'A'), 0);
  EXPECT_EQ(pattern_of(earlier, 'a'), 1);
}

TEST(AnchorMethod, PatternOfAMoreFrequentAnchorGivesWayToOneOfMoreRepetitions) {
  // "A" is tried first, as there are eight, but three of its windows do not match.
  const std::string good = "ABCDEFGHIJKL";
  const std::string names = times(letters(12), 6) + times(good, 5) + times("A!!!!!!!!!!!", 3);
  std::string found;
  for (const AnchorPattern& pattern : patterns_of(names)) {
    if (pattern.anchor == "K:A" || pattern.anchor == "K:a") found += pattern.anchor;
  }
  EXPECT_EQ(found, "K:a");
}

TEST(AnchorMethod, PrefillIsTheEarliestPatternAndDecodeTheLatest) {
  // The last kernels of a cycle follow each run, so that all rotations repeat as often.
  const std::string early = "abcdefghijkl";
  const std::string late = "mnopqrstuvwxy";
  const std::string names =
      times(early, 9) + early.substr(0, 11) + times(late, 6) + late.substr(0, 12);
  EXPECT_EQ(found_in(names, {}, CycleMode::kPrefill), "12 x 9 from 0");
  EXPECT_EQ(found_in(names, {}, CycleMode::kDecode), "13 x 6 from 131");
  EXPECT_EQ(found_in(names, {}, CycleMode::kAuto), "12 x 9 from 0");
  const std::string other =
      times(early, 6) + early.substr(0, 11) + times(late, 9) + late.substr(0, 12);
  EXPECT_EQ(found_in(other, {}, CycleMode::kAuto), "13 x 9 from 83");
  const auto patterns = patterns_of(other);
  ASSERT_EQ(patterns.size(), 25U);
  EXPECT_TRUE(std::ranges::is_sorted(patterns, {}, &AnchorPattern::centre_percent));
}

TEST(AnchorMethod, PatternOfTheChosenCycleIsSelected) {
  const std::string early = "abcdefghijkl";
  const std::string late = "mnopqrstuvwxy";
  const std::string names =
      times(early, 6) + early.substr(0, 11) + times(late, 9) + late.substr(0, 12);
  const auto selected = [&](CycleMode mode) {
    std::vector<std::size_t> places;
    const auto patterns = patterns_of(names, mode);
    for (std::size_t i = 0; i < patterns.size(); ++i) {
      if (patterns[i].is_selected) places.push_back(i);
    }
    return places;
  };
  EXPECT_EQ(selected(CycleMode::kPrefill), (std::vector<std::size_t>{0}));
  EXPECT_EQ(selected(CycleMode::kDecode), (std::vector<std::size_t>{24}));
  // The first of the later ones, behind the twelve rotations of the earlier.
  EXPECT_EQ(selected(CycleMode::kAuto), (std::vector<std::size_t>{12}));
}

TEST(AnchorMethod, ChosenCycleMayStandBehindOneWithMoreSubCycles) {
  // Nine cycles, and behind them six with four sub-cycles each that begin alike.
  const std::string names = times("abcdefghijkl", 9) + times("!" + times("ABCDEFGHIJKL", 4), 6);
  EXPECT_EQ(found_in(names), "12 x 9 from 0");
  const auto patterns = patterns_of(names);
  const auto selected = std::ranges::find_if(patterns, &AnchorPattern::is_selected);
  ASSERT_NE(selected, patterns.end());
  EXPECT_EQ(selected->anchor, "K:!");
  EXPECT_EQ(selected->repetitions, 24U);
  EXPECT_EQ(std::ranges::count_if(patterns, &AnchorPattern::is_selected), 1);
}

TEST(AnchorMethod, StreamsWithoutCyclesHaveNoneInAnyMode) {
  for (const CycleMode mode : {CycleMode::kAuto, CycleMode::kPrefill, CycleMode::kDecode}) {
    EXPECT_EQ(found_in("", {}, mode), "none");
    EXPECT_EQ(found_in("a", {}, mode), "none");
    EXPECT_EQ(found_in(times("a", 100), {}, mode), "none");
    EXPECT_EQ(found_in(letters(50), {}, mode), "none");
    EXPECT_TRUE(patterns_of(letters(50), mode).empty());
  }
}

TEST(AnchorMethod, NumbersOfSymbolsDoNotMatter) {
  const TestStream test = stream_of(times("x" + times("stuvw", 4), 6) + times(letters(12), 7));
  const auto expected = find_anchor_loops(test.stream, {}, CycleMode::kAuto).patterns;
  const Nest nest = find_anchor_loops(test.stream, {}, CycleMode::kDecode).nest;
  ASSERT_FALSE(nest.loops.empty());
  for (std::size_t shift = 1; shift < test.stream.symbols.size(); ++shift) {
    KernelStream renumbered = test.stream;
    const std::size_t count = renumbered.symbols.size();
    for (std::size_t i = 0; i < count; ++i) {
      renumbered.symbols[(i + shift) % count] = test.stream.symbols[i];
      renumbered.symbols[(i + shift) % count].signature = 1000 - test.stream.symbols[i].signature;
    }
    for (std::uint32_t& name : renumbered.names) {
      name = static_cast<std::uint32_t>((name + shift) % count);
    }
    const auto found = find_anchor_loops(renumbered, {}, CycleMode::kAuto).patterns;
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_EQ(found[i].anchor, expected[i].anchor);
      EXPECT_EQ(found[i].length, expected[i].length);
      EXPECT_EQ(found[i].repetitions, expected[i].repetitions);
    }
    const Nest again = find_anchor_loops(renumbered, {}, CycleMode::kDecode).nest;
    EXPECT_EQ(again.loops.front().instances.front().iterations,
              nest.loops.front().instances.front().iterations);
  }
}

}  // namespace
}  // namespace lockstep::analysis::cycles

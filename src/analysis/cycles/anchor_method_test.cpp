// Each threshold of the anchor method just on and just off, the choice of a phase, determinism.
#include "analysis/cycles/anchor_method.h"

#include <algorithm>
#include <functional>

#include <gtest/gtest.h>

#include "analysis/cycles/test_stream.h"

namespace lockstep {
namespace {

constexpr std::string_view kAlphabet = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

std::string times(std::string_view text, int count) {
  std::string all;
  for (int i = 0; i < count; ++i) all += text;
  return all;
}

std::string letters(std::size_t count) { return std::string(kAlphabet.substr(0, count)); }

// Kernels named by letters. Signatures are the letters without case.
TestStream stream_of(std::string_view names) {
  TestStream test;
  test.add_letters(names);
  for (KernelSymbol& symbol : test.stream.symbols) {
    const char letter = symbol.text.back();
    const bool is_upper = letter >= 'A' && letter <= 'Z';
    symbol.signature = static_cast<std::uint32_t>(is_upper ? letter - 'A' + 'a' : letter);
  }
  return test;
}

Nest nest_of(std::string_view names, const AnchorOptions& options = {},
             CycleMode mode = CycleMode::kAuto) {
  return find_anchor_nest(stream_of(names).stream, options, mode);
}

// "12 x 6 from 0", and " {5 x 4}" for a sub-cycle; "none".
std::string found_in(std::string_view names, const AnchorOptions& options = {},
                     CycleMode mode = CycleMode::kAuto) {
  const Nest nest = nest_of(names, options, mode);
  if (nest.loops.empty()) return "none";
  const auto iterations = [](const NestLoop& loop) {
    std::size_t count = 0;
    for (const LoopInstance& instance : loop.instances) count += instance.iterations.size();
    return count;
  };
  const NestLoop& cycle = nest.loops.front();
  std::string text = std::to_string(cycle.period) + " x " + std::to_string(iterations(cycle)) +
                     " from " + std::to_string(cycle.instances.front().start());
  if (nest.loops.size() > 1) {
    const NestLoop& sub = nest.loops[1];
    text += " {" + std::to_string(sub.period) + " x " +
            std::to_string(sub.instances.front().iterations.size()) + "}";
  }
  return text;
}

AnchorOptions with(const std::function<void(AnchorOptions&)>& change) {
  AnchorOptions options;
  change(options);
  return options;
}

TEST(AnchorMethod, FiveOccurrencesAreEnough) {
  EXPECT_EQ(found_in(times(letters(12), 5)), "12 x 5 from 0");
  EXPECT_EQ(found_in(times(letters(12), 4)), "none");
  EXPECT_EQ(found_in(times(letters(12), 4), with([](auto& o) { o.min_count = 4; })),
            "12 x 4 from 0");
}

TEST(AnchorMethod, AnchorIsAtMostAFifthOfAllKernels) {
  const auto short_ones = with([](auto& o) { o.min_length = 1; });
  EXPECT_EQ(found_in(times(letters(5), 6), short_ones), "5 x 6 from 0");
  EXPECT_EQ(found_in(times(letters(4), 6), short_ones), "none");
  EXPECT_EQ(found_in(times(letters(4), 6), with([](auto& o) {
                       o.min_length = 1;
                       o.max_share = 0.25;
                     })),
            "4 x 6 from 0");
}

TEST(AnchorMethod, CyclesHaveAtLeastTenKernels) {
  EXPECT_EQ(found_in(times(letters(10), 6)), "10 x 6 from 0");
  EXPECT_EQ(found_in(times(letters(9), 6)), "none");
}

TEST(AnchorMethod, LengthIsTheFirstDistance) {
  // Twice a cycle: the distances are 4 and 8 in turn, and the first one is too short.
  std::string cycle = letters(12);
  cycle[4] = 'a';
  EXPECT_EQ(found_in(times(cycle, 6)), "12 x 5 from 1");
}

TEST(AnchorMethod, DistancesVaryByFivePercent) {
  // Before the last of six cycles of 40; the stride misses that one.
  const auto with_foreign = [](int count) {
    return times(letters(40), 5) + times("!", count) + letters(40);
  };
  EXPECT_EQ(found_in(with_foreign(2)), "40 x 5 from 0");
  EXPECT_EQ(found_in(with_foreign(3)), "none");
  EXPECT_EQ(found_in(with_foreign(3), with([](auto& o) { o.gap_tolerance = 0.08; })),
            "40 x 5 from 0");
}

TEST(AnchorMethod, DistancesOfShortCyclesVaryByOneKernel) {
  const auto with_foreign = [](int count) {
    return times(letters(12), 5) + times("!", count) + letters(12);
  };
  EXPECT_EQ(found_in(with_foreign(1)), "12 x 5 from 0");
  EXPECT_EQ(found_in(with_foreign(2)), "none");
}

TEST(AnchorMethod, NineteenNamesOfTwentyMatch) {
  const auto with_changed = [](std::size_t count) {
    std::string names = times(letters(20), 6);
    for (std::size_t i = 0; i < count; ++i) names[3 * 20 + 5 + i] = '!';
    return names;
  };
  EXPECT_EQ(found_in(with_changed(1)), "20 x 6 from 0");
  EXPECT_EQ(found_in(with_changed(2)), "20 x 5 from 0");
  EXPECT_EQ(found_in(with_changed(2), with([](auto& o) { o.match = 0.9; })), "20 x 6 from 0");
}

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

TEST(AnchorMethod, TwoWindowsThatMatchAreEnough) {
  // The anchor recurs, but only its fourth window is like the first.
  TestStream test;
  for (int window = 0; window < 5; ++window) {
    test.add_letters("a");
    for (int i = 0; i < 11; ++i) {
      const std::string part = window == 0 || window == 3 ? "x" : "w" + std::to_string(window);
      test.add(part + std::to_string(i), 10'000 * window + 10 * i, 4);
    }
  }
  const Nest nest = find_anchor_nest(test.stream, {}, CycleMode::kAuto);
  ASSERT_EQ(nest.loops.size(), 1U);
  ASSERT_EQ(nest.loops.front().instances.size(), 2U);
  EXPECT_EQ(nest.loops.front().instances[1].start(), 36U);
  const auto three = with([](auto& o) { o.min_repetitions = 3; });
  EXPECT_TRUE(find_anchor_nest(test.stream, three, CycleMode::kAuto).loops.empty());
}

TEST(AnchorMethod, SubCyclesOfCyclesLongerThanTwenty) {
  const std::string names = times("x" + times("stuvw", 4), 6);
  EXPECT_EQ(found_in(names), "21 x 6 from 0 {5 x 4}");
  EXPECT_EQ(found_in(names, with([](auto& o) { o.min_outer_for_sub = 21; })), "21 x 6 from 0");
}

TEST(AnchorMethod, SubCyclesHaveAtLeastFiveKernels) {
  EXPECT_EQ(found_in(times("x" + times("stuv", 5), 6)), "21 x 6 from 0");
  EXPECT_EQ(found_in(times("x" + times("stuv", 5), 6), with([](auto& o) { o.min_sub_length = 4; })),
            "21 x 6 from 0 {4 x 5}");
}

TEST(AnchorMethod, SubCyclesMatchByFourSignaturesOfFive) {
  EXPECT_EQ(found_in(times("xstuvwstuv!stuvwstuvw", 6)), "21 x 6 from 0 {5 x 4}");
  EXPECT_EQ(found_in(times("xstuvwstu!?stuvwstuvw", 6)), "21 x 6 from 0");
  EXPECT_EQ(found_in(times("xstuvwstu!?stuvwstuvw", 6), with([](auto& o) { o.sub_match = 0.6; })),
            "21 x 6 from 0 {5 x 4}");
}

TEST(AnchorMethod, SubCyclesMatchBySignatureWhereNamesDiffer) {
  const std::string names = times("xstuvwSTUVWstuvwSTUVW", 6);
  EXPECT_EQ(found_in(names), "21 x 6 from 0 {5 x 4}");
  const Nest nest = nest_of(names);
  EXPECT_FALSE(nest.loops[1].is_exact);
  EXPECT_EQ(nest.loops[1].exceptions, 10U);
  EXPECT_EQ(nest.loops[1].symbol, SymbolLevel::kSignature);
}

TEST(AnchorMethod, SubCyclesNeedThreePairsThatMatch) {
  const std::string names = times("xstuvwstuvwstuvwabcdef", 6);
  EXPECT_EQ(found_in(names), "22 x 6 from 0");
  const auto two_pairs = with([](auto& o) { o.min_sub_pairs = 2; });
  EXPECT_EQ(found_in(names, two_pairs), "22 x 6 from 0 {5 x 3}");
  EXPECT_EQ(found_in(names, with([](auto& o) {
                       o.min_sub_pairs = 2;
                       o.min_sub_count = 4;
                     })),
            "22 x 6 from 0");
}

TEST(AnchorMethod, DistancesOfSubCyclesVaryByTenPercent) {
  // Foreign kernels before the last of five layers of ten.
  const auto with_foreign = [](int count) {
    return times("xyz" + times("klmnopqrst", 4) + times("!", count) + "klmnopqrst", 6);
  };
  EXPECT_EQ(found_in(with_foreign(1)), "54 x 6 from 0 {10 x 5}");
  EXPECT_EQ(found_in(with_foreign(2)), "55 x 6 from 0");
  EXPECT_EQ(found_in(with_foreign(2), with([](auto& o) { o.sub_gap_tolerance = 0.2; })),
            "55 x 6 from 0 {10 x 5}");
}

TEST(AnchorMethod, SubCycleIsShorterThanHalfTheCycle) {
  const auto two = with([](auto& o) {
    o.min_sub_count = 2;
    o.min_sub_pairs = 1;
  });
  EXPECT_EQ(found_in(times("x" + times(letters(12), 2), 6), two), "25 x 6 from 0");
  EXPECT_EQ(found_in(times("xyz" + times(letters(12), 2), 6), two), "27 x 6 from 0 {12 x 2}");
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
  const Nest nest = find_anchor_nest(test.stream, {}, CycleMode::kAuto);
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
  const TestStream test = stream_of(times("xstuvwstuvwstuvwstuvw", 6));
  const auto patterns = find_anchor_patterns(test.stream, {});
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
  const auto patterns_in = [](const std::string& names) {
    return find_anchor_patterns(stream_of(names).stream, {});
  };
  const auto pattern_of = [](const std::vector<AnchorPattern>& patterns, char first) {
    return std::ranges::count_if(patterns, [&](const AnchorPattern& pattern) {
      return pattern.anchor == std::string("K:") + first;
    });
  };
  const auto later = patterns_in(times(small, 6) + times(large, 8));
  EXPECT_EQ(later.size(), 12U);
  EXPECT_EQ(pattern_of(later, 'A'), 1);
  EXPECT_EQ(pattern_of(later, 'a'), 0);
  const auto earlier = patterns_in(times(small, 8) + times(large, 6));
  EXPECT_EQ(earlier.size(), 12U);
  EXPECT_EQ(pattern_of(earlier, 'A'), 0);
  EXPECT_EQ(pattern_of(earlier, 'a'), 1);
}

TEST(AnchorMethod, PatternOfAMoreFrequentAnchorGivesWayToOneOfMoreRepetitions) {
  // "A" is tried first, as there are eight, but three of its windows do not match.
  const std::string good = "ABCDEFGHIJKL";
  const std::string names = times(letters(12), 6) + times(good, 5) + times("A!!!!!!!!!!!", 3);
  std::string found;
  for (const AnchorPattern& pattern : find_anchor_patterns(stream_of(names).stream, {})) {
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
  const auto patterns = find_anchor_patterns(stream_of(other).stream, {});
  ASSERT_EQ(patterns.size(), 25U);
  EXPECT_TRUE(std::ranges::is_sorted(patterns, {}, &AnchorPattern::centre_percent));
}

TEST(AnchorMethod, StreamsWithoutCyclesHaveNoneInAnyMode) {
  for (const CycleMode mode : {CycleMode::kAuto, CycleMode::kPrefill, CycleMode::kDecode}) {
    EXPECT_EQ(found_in("", {}, mode), "none");
    EXPECT_EQ(found_in("a", {}, mode), "none");
    EXPECT_EQ(found_in(times("a", 100), {}, mode), "none");
    EXPECT_EQ(found_in(letters(50), {}, mode), "none");
  }
}

TEST(AnchorMethod, LowestThresholdsDoNotBreakIt) {
  const auto least = with([](auto& o) {
    o = {.min_count = 0,
         .max_share = 1,
         .min_length = 0,
         .gap_tolerance = 10,
         .match = 0,
         .min_repetitions = 0,
         .min_outer_for_sub = 0,
         .min_sub_length = 0,
         .min_sub_count = 0,
         .sub_gap_tolerance = 10,
         .sub_match = 0,
         .min_sub_pairs = 0};
  });
  for (const std::string& names :
       {std::string(), letters(1), times("a", 9), times(letters(7), 3)}) {
    for (const CycleMode mode : {CycleMode::kAuto, CycleMode::kPrefill, CycleMode::kDecode}) {
      const Nest nest = nest_of(names, least, mode);
      for (const NestLoop& loop : nest.loops) EXPECT_LE(loop.run_end, names.size());
    }
  }
}

TEST(AnchorMethod, NumbersOfSymbolsDoNotMatter) {
  const TestStream test = stream_of(times("x" + times("stuvw", 4), 6) + times(letters(12), 7));
  const auto expected = find_anchor_patterns(test.stream, {});
  const Nest nest = find_anchor_nest(test.stream, {}, CycleMode::kDecode);
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
    const auto found = find_anchor_patterns(renumbered, {});
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_EQ(found[i].anchor, expected[i].anchor);
      EXPECT_EQ(found[i].length, expected[i].length);
      EXPECT_EQ(found[i].repetitions, expected[i].repetitions);
    }
    const Nest again = find_anchor_nest(renumbered, {}, CycleMode::kDecode);
    EXPECT_EQ(again.loops.front().instances.front().iterations,
              nest.loops.front().instances.front().iterations);
  }
}

TEST(AnchorMethod, EqualCountsAreTriedByName) {
  // Six whole cycles from every letter on. All but "a" occur once more, so the first by name of
  // the others is the anchor, wherever it stands.
  const std::string cycle = "lkjihgfedcba";
  EXPECT_EQ(found_in(times(cycle, 6) + cycle.substr(0, 11)), "12 x 6 from 10");
}

TEST(AnchorMethod, EqualNamesAreTriedAsTheyAppear) {
  // Two symbols that people cannot tell apart, the later one with the lower number.
  const std::string cycle = "lkjihgfedcba";
  TestStream test;
  test.symbol("b");
  test.symbol("c");
  test.add_letters(times(cycle, 6) + cycle.substr(0, 11));
  test.stream.symbols[0].text = test.stream.symbols[1].text = "K:A";
  const Nest nest = find_anchor_nest(test.stream, {}, CycleMode::kAuto);
  EXPECT_EQ(nest.loops.front().instances.front().start(), 9U);
}

}  // namespace
}  // namespace lockstep

// Each threshold of the anchor method just on and just off, and the order of the candidates.
#include "analysis/cycles/anchor/anchor_cycles.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "analysis/cycles/anchor/anchor_stream_for_test.h"

namespace lockstep::analysis::cycles {
namespace {

TEST(AnchorCycles, FiveOccurrencesAreEnough) {
  EXPECT_EQ(found_in(times(letters(12), 5)), "12 x 5 from 0");
  EXPECT_EQ(found_in(times(letters(12), 4)), "none");
  EXPECT_EQ(found_in(times(letters(12), 4), with([](auto& o) { o.min_count = 4; })),
            "12 x 4 from 0");
}

TEST(AnchorCycles, AnchorIsAtMostAFifthOfAllKernels) {
  const auto short_ones = with([](auto& o) { o.min_length = 1; });
  EXPECT_EQ(found_in(times(letters(5), 6), short_ones), "5 x 6 from 0");
  EXPECT_EQ(found_in(times(letters(4), 6), short_ones), "none");
  EXPECT_EQ(found_in(times(letters(4), 6), with([](auto& o) {
                       o.min_length = 1;
                       o.max_share = 0.25;
                     })),
            "4 x 6 from 0");
}

TEST(AnchorCycles, CyclesHaveAtLeastTenKernels) {
  EXPECT_EQ(found_in(times(letters(10), 6)), "10 x 6 from 0");
  EXPECT_EQ(found_in(times(letters(9), 6)), "none");
}

TEST(AnchorCycles, LengthIsTheFirstDistance) {
  // Twice a cycle: the distances are 4 and 8 in turn, and the first one is too short.
  std::string cycle = letters(12);
  cycle[4] = 'a';
  EXPECT_EQ(found_in(times(cycle, 6)), "12 x 5 from 1");
}

TEST(AnchorCycles, DistancesVaryByFivePercent) {
  // Before the last of six cycles of 40; the stride misses that one.
  const auto with_foreign = [](int count) {
    return times(letters(40), 5) + times("!", count) + letters(40);
  };
  EXPECT_EQ(found_in(with_foreign(2)), "40 x 5 from 0");
  EXPECT_EQ(found_in(with_foreign(3)), "none");
  EXPECT_EQ(found_in(with_foreign(3), with([](auto& o) { o.gap_tolerance = 0.08; })),
            "40 x 5 from 0");
}

TEST(AnchorCycles, DistancesOfShortCyclesVaryByOneKernel) {
  const auto with_foreign = [](int count) {
    return times(letters(12), 5) + times("!", count) + letters(12);
  };
  EXPECT_EQ(found_in(with_foreign(1)), "12 x 5 from 0");
  EXPECT_EQ(found_in(with_foreign(2)), "none");
}

TEST(AnchorCycles, NineteenNamesOfTwentyMatch) {
  const auto with_changed = [](std::size_t count) {
    std::string names = times(letters(20), 6);
    for (std::size_t i = 0; i < count; ++i) names[3 * 20 + 5 + i] = '!';
    return names;
  };
  EXPECT_EQ(found_in(with_changed(1)), "20 x 6 from 0");
  EXPECT_EQ(found_in(with_changed(2)), "20 x 5 from 0");
  EXPECT_EQ(found_in(with_changed(2), with([](auto& o) { o.match = 0.9; })), "20 x 6 from 0");
}

TEST(AnchorCycles, TwoWindowsThatMatchAreEnough) {
  // The anchor recurs, but only its fourth window is like the first.
  TestStream test;
  for (int window = 0; window < 5; ++window) {
    test.add_letters("a");
    for (int i = 0; i < 11; ++i) {
      const std::string part = window == 0 || window == 3 ? "x" : "w" + std::to_string(window);
      test.add(part + std::to_string(i), 10'000 * window + 10 * i, 4);
    }
  }
  const Nest nest = find_anchor_loops(test.stream, {}, CycleMode::kAuto).nest;
  ASSERT_EQ(nest.loops.size(), 1U);
  ASSERT_EQ(nest.loops.front().instances.size(), 2U);
  EXPECT_EQ(nest.loops.front().instances[1].start(), 36U);
  const auto three = with([](auto& o) { o.min_repetitions = 3; });
  EXPECT_TRUE(find_anchor_loops(test.stream, three, CycleMode::kAuto).nest.loops.empty());
}

TEST(AnchorCycles, SubCyclesOfCyclesLongerThanTwenty) {
  const std::string names = times("x" + times("stuvw", 4), 6);
  EXPECT_EQ(found_in(names), "21 x 6 from 0 {5 x 4}");
  EXPECT_EQ(found_in(names, with([](auto& o) { o.min_outer_for_sub = 21; })), "21 x 6 from 0");
}

TEST(AnchorCycles, SubCyclesHaveAtLeastFiveKernels) {
  EXPECT_EQ(found_in(times("x" + times("stuv", 5), 6)), "21 x 6 from 0");
  EXPECT_EQ(found_in(times("x" + times("stuv", 5), 6), with([](auto& o) { o.min_sub_length = 4; })),
            "21 x 6 from 0 {4 x 5}");
}

TEST(AnchorCycles, SubCyclesMatchByFourSignaturesOfFive) {
  EXPECT_EQ(found_in(times("xstuvwstuv!stuvwstuvw", 6)), "21 x 6 from 0 {5 x 4}");
  EXPECT_EQ(found_in(times("xstuvwstu!?stuvwstuvw", 6)), "21 x 6 from 0");
  EXPECT_EQ(found_in(times("xstuvwstu!?stuvwstuvw", 6), with([](auto& o) { o.sub_match = 0.6; })),
            "21 x 6 from 0 {5 x 4}");
}

TEST(AnchorCycles, SubCyclesMatchBySignatureWhereNamesDiffer) {
  const std::string names = times("xstuvwSTUVWstuvwSTUVW", 6);
  EXPECT_EQ(found_in(names), "21 x 6 from 0 {5 x 4}");
  const Nest nest = nest_of(names);
  EXPECT_FALSE(nest.loops[1].is_exact);
  EXPECT_EQ(nest.loops[1].exceptions, 10U);
  EXPECT_EQ(nest.loops[1].symbol, SymbolLevel::kSignature);
}

TEST(AnchorCycles, SubCyclesNeedThreePairsThatMatch) {
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

TEST(AnchorCycles, DistancesOfSubCyclesVaryByTenPercent) {
  // Foreign kernels before the last of five layers of ten.
  const auto with_foreign = [](int count) {
    return times("xyz" + times("klmnopqrst", 4) + times("!", count) + "klmnopqrst", 6);
  };
  EXPECT_EQ(found_in(with_foreign(1)), "54 x 6 from 0 {10 x 5}");
  EXPECT_EQ(found_in(with_foreign(2)), "55 x 6 from 0");
  EXPECT_EQ(found_in(with_foreign(2), with([](auto& o) { o.sub_gap_tolerance = 0.2; })),
            "55 x 6 from 0 {10 x 5}");
}

TEST(AnchorCycles, SubCycleIsShorterThanHalfTheCycle) {
  const auto two = with([](auto& o) {
    o.min_sub_count = 2;
    o.min_sub_pairs = 1;
  });
  EXPECT_EQ(found_in(times("x" + times(letters(12), 2), 6), two), "25 x 6 from 0");
  EXPECT_EQ(found_in(times("xyz" + times(letters(12), 2), 6), two), "27 x 6 from 0 {12 x 2}");
}

TEST(AnchorCycles, LowestThresholdsDoNotBreakIt) {
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

TEST(AnchorCycles, EqualCountsAreTriedByName) {
  // Six whole cycles from every letter on. All but "a" occur once more, so the first by name of
  // the others is the anchor, wherever it stands.
  const std::string cycle = "lkjihgfedcba";
  EXPECT_EQ(found_in(times(cycle, 6) + cycle.substr(0, 11)), "12 x 6 from 10");
}

TEST(AnchorCycles, EqualNamesAreTriedAsTheyAppear) {
  // Two symbols that people cannot tell apart, the later one with the lower number.
  const std::string cycle = "lkjihgfedcba";
  TestStream test;
  test.symbol("b");
  test.symbol("c");
  test.add_letters(times(cycle, 6) + cycle.substr(0, 11));
  test.stream.symbols[0].text = test.stream.symbols[1].text = "K:A";
  const Nest nest = find_anchor_loops(test.stream, {}, CycleMode::kAuto).nest;
  EXPECT_EQ(nest.loops.front().instances.front().start(), 9U);
}

// The search by its definition: all offsets of each signature, by first appearance.
AnchorSubCycle obvious_sub_cycle(const KernelStream& stream, const AnchorCycle& cycle,
                                 const AnchorOptions& options) {
  const std::uint32_t start = cycle.starts.front();
  const auto window = stream.sequence(SymbolLevel::kSignature, start, start + cycle.length);
  AnchorSubCycle best;
  for (std::size_t first = 0; first < window.size(); ++first) {
    AnchorSubCycle sub;
    bool is_first = true;
    for (std::uint32_t i = 0; i < window.size(); ++i) {
      if (window[i] != window[first]) continue;
      sub.offsets.push_back(i);
      is_first = is_first && i >= first;
    }
    if (!is_first || sub.offsets.size() < options.min_sub_count) continue;
    sub.length = sub.offsets[1] - sub.offsets[0];
    if (sub.length < options.min_sub_length || sub.length >= cycle.length / 2) continue;
    const std::uint32_t slack = std::max(1U, sub.length / 10);
    bool is_even = true;
    for (std::size_t i = 1; i < sub.offsets.size(); ++i) {
      const std::uint32_t gap = sub.offsets[i] - sub.offsets[i - 1];
      is_even = is_even && gap + slack >= sub.length && gap <= sub.length + slack;
    }
    std::uint32_t pairs = 0;
    for (std::size_t at = first; at + sub.length < window.size(); at += sub.length) {
      std::uint32_t equal = 0;
      for (std::size_t i = at; i < at + sub.length && i + sub.length < window.size(); ++i) {
        equal += window[i] == window[i + sub.length] ? 1 : 0;
      }
      pairs += 5 * equal >= 4 * sub.length ? 1 : 0;
    }
    const bool is_shorter = best.length == 0 || sub.length < best.length;
    if (is_even && pairs >= options.min_sub_pairs && is_shorter) best = sub;
  }
  return best;
}

RC_GTEST_PROP(AnchorCycles, SubCyclesAreThoseOfTheDefinition, ()) {
  // A layer of a few kernels, repeated with some noise, from any place on.
  std::string names = times(letters(*rc::gen::inRange<std::size_t>(4, 9)), 8);
  for (const std::size_t at :
       *rc::gen::container<std::vector<std::size_t>>(rc::gen::inRange<std::size_t>(0, 32))) {
    if (at % 4 == 0) names[at % names.size()] = 'z';
  }
  const TestStream test = stream_of(names + names);
  const AnchorOptions options;
  const SubCycleSearch search(test.stream, options);
  for (std::uint32_t start = 0; start < names.size(); ++start) {
    const AnchorCycle cycle{0, static_cast<std::uint32_t>(names.size()), {start}};
    const AnchorSubCycle found = search.find_in(cycle);
    const AnchorSubCycle wanted = obvious_sub_cycle(test.stream, cycle, options);
    RC_ASSERT(found.length == wanted.length);
    RC_ASSERT(found.offsets == wanted.offsets);
  }
}

}  // namespace
}  // namespace lockstep::analysis::cycles

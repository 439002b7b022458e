// Two traces compared: pairs, and rows that add up.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "algo/statistics/significance.h"
#include "analysis/compare/compare_for_test.h"

namespace lockstep::analysis::compare {
namespace {

TEST(Compare, TraceAgainstItselfHasNoDifference) {
  const TestSide side = loop_side(20'000, 1);
  const Comparison comparison = compare_sides(side, side);
  ASSERT_EQ(comparison.pairs.size(), 1U);
  expect_sums(comparison);
  EXPECT_EQ(comparison.total_delta_ns, 0);
  EXPECT_EQ(comparison.pairs[0].similarity, 1);
  EXPECT_EQ(comparison.rows_tested, 9U);  // eight kernels and idle
  EXPECT_EQ(comparison.rows_significant, 0U);
  EXPECT_FALSE(comparison.pairs[0].is_significant);
}

TEST(Compare, OneIterationHasNoP) {
  SideBuilder builder;
  builder.add({std::string(kGemmName), 1000}).add({std::string(kMulName), 500, 200});
  const TestSide once = builder.side();
  SideBuilder slower;
  slower.add({std::string(kGemmName), 5000}).add({std::string(kMulName), 500, 100});
  const Comparison comparison = compare_sides(once, slower.side());
  expect_sums(comparison);
  ASSERT_EQ(comparison.pairs.size(), 1U);
  EXPECT_EQ(comparison.pairs[0].kind, PairKind::kSegment);
  EXPECT_FALSE(comparison.pairs[0].p.has_value());
  for (const CompareRow& row : comparison.pairs[0].rows) {
    EXPECT_FALSE(row.p.has_value());
    EXPECT_FALSE(row.is_significant);
  }
  EXPECT_EQ(comparison.rows_tested, 0U);
  EXPECT_EQ(comparison.total_delta_ns, 3900);
  EXPECT_NEAR(comparison.total_percent().value(), 100 * 3900.0 / 1700, 1e-9);
}

TEST(Compare, OverlapIsANegativeRow) {
  const auto overlapping = [](std::int64_t overlap_ps) {
    SideBuilder builder;
    builder.add({std::string(kGemmName), 1000}).back_ps(overlap_ps);
    builder.add({std::string(kMulName), 1000});
    return builder.side();
  };
  const Comparison comparison = compare_sides(overlapping(200'000), overlapping(500'000));
  expect_sums(comparison);
  const CompareRow& row = comparison.pairs.at(0).rows.back();
  EXPECT_EQ(row.kind, RowKind::kOverlap);
  EXPECT_EQ(row.a.mean_ns, -200);
  EXPECT_EQ(row.b.mean_ns, -500);
  EXPECT_EQ(row.delta_ns, -300);
}

TEST(Compare, PrefillIsNeverPutAgainstDecode) {
  const auto one_phase = [](cycles::PhaseName phase) {
    SideBuilder builder;
    for (int i = 0; i < 16; ++i) builder.add({std::string(kGemmName)});
    builder.loop(cycles::loop_of(0, 8, {cycles::instance_of(0, 8, 2)}), cycles::LoopRole::kPass,
                 phase);
    return builder.side();
  };
  const Comparison apart =
      compare_sides(one_phase(cycles::PhaseName::kPrefill), one_phase(cycles::PhaseName::kDecode));
  ASSERT_EQ(apart.pairs.size(), 2U);
  EXPECT_TRUE(apart.pairs[0].a && !apart.pairs[0].b);
  EXPECT_TRUE(!apart.pairs[1].a && apart.pairs[1].b);
  EXPECT_EQ(apart.total_delta_ns, 0);
  EXPECT_EQ(apart.total_percent(), std::nullopt);
  expect_sums(apart);
  CompareOptions anything;
  anything.min_similarity = 0;
  EXPECT_EQ(compare_sides(one_phase(cycles::PhaseName::kPrefill),
                          one_phase(cycles::PhaseName::kDecode), anything)
                .pairs.size(),
            2U);
  EXPECT_EQ(
      compare_sides(one_phase(cycles::PhaseName::kDecode), one_phase(cycles::PhaseName::kDecode))
          .pairs.size(),
      1U);
}

TEST(Compare, PhasesDecideBetweenAlikeLoops) {
  const auto two_phases = [](cycles::PhaseName first, cycles::PhaseName second) {
    SideBuilder builder;
    for (int i = 0; i < 32; ++i) {
      if (i == 16) builder.add({std::string(kAllReduceName)});
      builder.add({std::string(kGemmName)});
    }
    builder.loop(cycles::loop_of(0, 8, {cycles::instance_of(0, 8, 2)}), cycles::LoopRole::kPass,
                 first);
    builder.loop(cycles::loop_of(1, 8, {cycles::instance_of(17, 8, 2)}), cycles::LoopRole::kPass,
                 second);
    return builder.side();
  };
  const Comparison comparison =
      compare_sides(two_phases(cycles::PhaseName::kPrefill, cycles::PhaseName::kDecode),
                    two_phases(cycles::PhaseName::kDecode, cycles::PhaseName::kPrefill));
  ASSERT_EQ(comparison.pairs.size(), 3U);
  for (const ComparePair& pair : comparison.pairs) {
    ASSERT_TRUE(pair.a && pair.b);
    EXPECT_EQ(pair.a->phase, pair.b->phase);
  }
}

TEST(Compare, PairsAreAsAlikeAsWasAskedFor) {
  // The same kernels in reverse: all in common, but of a segment's order hardly anything.
  SideBuilder forth;
  SideBuilder back;
  for (int i = 0; i < 100; ++i) {
    forth.add({"kernel_" + std::string(1, static_cast<char>('a' + i / 4))});
    back.add({"kernel_" + std::string(1, static_cast<char>('a' + (99 - i) / 4))});
  }
  const TestSide a = forth.side();
  const TestSide b = back.side();
  CompareOptions options;
  options.min_similarity = 0.01;
  const Comparison loose = compare_sides(a, b, options);
  ASSERT_EQ(loose.pairs.size(), 1U);
  options.min_similarity = loose.pairs[0].similarity + 0.01;
  ASSERT_LT(options.min_similarity, 0.9);
  const Comparison strict = compare_sides(a, b, options);
  ASSERT_EQ(strict.pairs.size(), 2U);
  EXPECT_TRUE(strict.pairs[0].a && !strict.pairs[0].b);
  EXPECT_TRUE(!strict.pairs[1].a && strict.pairs[1].b);
  EXPECT_EQ(strict.total_delta_ns, 0);
}

TEST(Compare, NamesakesAmongEqualStreamsGoTogether) {
  TestSide a;
  TestSide b;
  for (const std::string_view id : {"7", "8"}) {
    SideBuilder builder;
    builder.named(id).add({std::string(kGemmName), 1000});
    TestSide one = builder.side();
    a.trace.strings = std::move(one.trace.strings);
    a.cycles.streams.push_back(one.cycles.streams.front());
    b.cycles.streams.insert(b.cycles.streams.begin(), one.cycles.streams.front());
  }
  b.trace.strings.intern(kGemmName);
  const Comparison comparison = compare_sides(a, b);
  ASSERT_EQ(comparison.streams.size(), 2U);
  EXPECT_EQ(comparison.streams[0].b, 1U);
  EXPECT_EQ(comparison.streams[1].b, 0U);
}

TEST(Compare, TotalsThatDoNotFitStopAtTheEndOfTheRange) {
  TestSide side;
  for (int i = 0; i < 1'100; ++i) {
    SideBuilder builder;
    builder.named(std::to_string(i)).add_ps(kGemmName, kMaxDistanceFromOriginPs);
    TestSide one = builder.side();
    side.trace.strings = std::move(one.trace.strings);
    side.cycles.streams.push_back(one.cycles.streams.front());
  }
  EXPECT_EQ(compare_sides(side, side).total_ns_a, std::numeric_limits<std::int64_t>::max());
}

TEST(Compare, StreamWithoutPartnerIsListed) {
  SideBuilder gemm;
  gemm.add({std::string(kGemmName)});
  const TestSide a = gemm.side();
  const Comparison comparison = compare_sides(a, {});
  ASSERT_EQ(comparison.streams.size(), 1U);
  EXPECT_EQ(comparison.streams[0].a, 0U);
  EXPECT_EQ(comparison.streams[0].b, std::nullopt);
  ASSERT_EQ(comparison.pairs.size(), 1U);
  EXPECT_EQ(comparison.pairs[0].a->wall_ns, 1000);
  EXPECT_EQ(compare_sides({}, a).pairs.at(0).b->wall_ns, 1000);
  EXPECT_TRUE(compare_sides({}, {}).pairs.empty());
}

TEST(Compare, KernelsBeyondTheBodyAreRowsOfTheirOwn) {
  const auto with_extra = [](bool has_extra) {
    SideBuilder builder;
    cycles::LoopInstance instance;
    for (int i = 0; i < 4; ++i) {
      const std::uint32_t start = builder.size();
      for (int k = 0; k < 8; ++k) builder.add({std::string(kGemmName)});
      if (has_extra && i == 1) builder.add({std::string(kAllReduceName), 3000});
      instance.iterations.push_back({start, builder.size()});
    }
    builder.loop(cycles::loop_of(0, 8, {instance}));
    return builder.side();
  };
  const Comparison comparison = compare_sides(with_extra(true), with_extra(false));
  expect_sums(comparison);
  const CompareRow& row = comparison.pairs.at(0).rows.back();
  EXPECT_EQ(row.kind, RowKind::kOnlyA);
  EXPECT_TRUE(row.is_beyond_body);
  EXPECT_EQ(row.a.mean_ns, 1000);  // 3000 ns in one of the three whole iterations
}

// Passes of forty kernels; every `each`th has six more.
TestSide passes_with_extras(int passes, int each, std::uint64_t seed) {
  SideBuilder builder;
  Noise noise(seed);
  const std::vector<std::string_view> names = {kGemmName, kFlashName, kMulName, kAddName};
  const std::uint32_t period = each == 0 ? 40 : 40 * static_cast<std::uint32_t>(each) + 6;
  for (int i = 1; i <= passes; ++i) {
    for (std::size_t k = 0; k < 40; ++k) {
      builder.add({std::string(names[k % 4]), 10'000 + noise.next(50)});
    }
    for (int k = 0; each > 0 && i % each == 0 && k < 6; ++k) {
      builder.add({std::string(kAllReduceName), 1000});
    }
  }
  const std::uint32_t count = builder.size() / period;
  builder.loop(cycles::loop_of(0, period, {cycles::instance_of(0, period, count)}),
               cycles::LoopRole::kPass);
  return builder.side();
}

TEST(Compare, IterationThatDoesTheWorkOfSeveralIsComparedWithSeveral) {
  const TestSide one = passes_with_extras(24, 0, 1);
  const TestSide two = passes_with_extras(24, 2, 2);
  const Comparison comparison = compare_sides(one, two);
  ASSERT_EQ(comparison.pairs.size(), 1U);
  const ComparePair& pair = comparison.pairs[0];
  EXPECT_EQ(pair.a->folded, 2U);
  EXPECT_EQ(pair.b->folded, 1U);
  EXPECT_EQ(pair.a->kernels, 80U);
  EXPECT_EQ(pair.a->iterations, 12U);
  EXPECT_TRUE(pair.is_same_work);
  EXPECT_NEAR(pair.percent.value(), 0.75, 0.05);
  EXPECT_NEAR(static_cast<double>(*pair.delta_ns), 6000, 200);
  expect_sums(comparison);
  const Comparison back = compare_sides(two, one);
  EXPECT_EQ(back.pairs.at(0).b->folded, 2U);
  EXPECT_NEAR(back.pairs.at(0).percent.value(), -0.75, 0.05);
}

TEST(Compare, WallsOfUnlikeWorkAreNoRegression) {
  // Passes three and a half times as long: no number of the short ones makes a long one.
  const auto passes = [](std::uint32_t gemms, std::uint32_t others) {
    SideBuilder builder;
    for (int i = 0; i < 16; ++i) {
      for (std::uint32_t k = 0; k < gemms; ++k) builder.add({std::string(kGemmName), 10'000 + i});
      for (std::uint32_t k = 0; k < others; ++k)
        builder.add({std::string(kAllReduceName), 9000 + i});
    }
    const std::uint32_t period = gemms + others;
    builder.loop(cycles::loop_of(0, period, {cycles::instance_of(0, period, 16)}));
    return builder.side();
  };
  const Comparison comparison = compare_sides(passes(10, 0), passes(10, 25));
  ASSERT_EQ(comparison.pairs.size(), 1U);
  EXPECT_FALSE(comparison.pairs[0].is_same_work);
  EXPECT_LT(comparison.pairs[0].adjusted_p.value(), 0.05);
  EXPECT_FALSE(comparison.pairs[0].is_significant);
  EXPECT_EQ(comparison.total_delta_ns, 0);
  const Comparison near = compare_sides(passes(10, 0), passes(10, 4));
  EXPECT_TRUE(near.pairs.at(0).is_same_work);
  EXPECT_TRUE(near.pairs.at(0).is_significant);
}

TEST(Compare, PauseAfterTheLastIterationIsNotMissed) {
  const auto passes = [](std::uint32_t count) {
    SideBuilder builder;
    for (std::uint32_t i = 0; i < count; ++i) {
      for (int k = 0; k < 8; ++k)
        builder.add({std::string(kGemmName), 10'000, k == 0 ? 40'000 : 0});
    }
    builder.loop(cycles::loop_of(0, 8, {cycles::instance_of(0, 8, count)}));
    return builder.side();
  };
  for (const std::uint32_t count : {1, 2, 3, 12}) {
    SCOPED_TRACE(count);
    const Comparison comparison = compare_sides(passes(24), passes(count));
    ASSERT_EQ(comparison.pairs.size(), 1U);
    EXPECT_EQ(comparison.pairs[0].delta_ns, 0);
    EXPECT_EQ(comparison.pairs[0].a->iterations, 24U);
    EXPECT_EQ(comparison.pairs[0].a->wall_ns, count < 3 ? 80'000 : 120'000);
    expect_sums(comparison);
  }
}

// Twelve prefills, then as many decodes, of which only the latter have a GEMM that takes this long.
TestSide two_phases(std::int64_t gemm_ns, std::uint64_t seed) {
  SideBuilder builder;
  Noise noise(seed);
  for (int i = 0; i < 12; ++i) {
    for (const std::string_view name : {kFlashName, kMeanName, kPowName, kRsqrtName}) {
      builder.add({std::string(name), 3000 + noise.next(100)});
    }
  }
  for (int i = 0; i < 12; ++i) {
    builder.add({std::string(kGemmName), gemm_ns + noise.next(100)});
    for (int k = 0; k < 3; ++k) builder.add({std::string(kAddName), 1500 + noise.next(100)});
  }
  builder.loop(cycles::loop_of(0, 4, {cycles::instance_of(0, 4, 12)}), cycles::LoopRole::kPass,
               cycles::PhaseName::kPrefill);
  builder.loop(cycles::loop_of(1, 4, {cycles::instance_of(48, 4, 12)}), cycles::LoopRole::kPass,
               cycles::PhaseName::kDecode);
  return builder.side();
}

TEST(Compare, PairsThatAreNotWantedAreInNoSumAndInNoAdjustment) {
  const TestSide a = two_phases(5000, 1);
  const TestSide b = two_phases(6000, 2);
  CompareOptions options;
  options.keep = [](const ComparePair& pair) {
    return pair.a->phase == cycles::PhaseName::kDecode;
  };
  const Comparison all = compare_sides(a, b);
  const Comparison kept = compare_sides(a, b, options);
  ASSERT_EQ(all.pairs.size(), 2U);
  ASSERT_EQ(kept.pairs.size(), 1U);
  EXPECT_EQ(kept.total_ns_a, all.pairs[1].a->wall_ns * 12);
  EXPECT_EQ(kept.total_delta_ns, *all.pairs[1].delta_ns * 12);
  EXPECT_LT(kept.rows_tested, all.rows_tested);
  std::vector<double> p = {*kept.pairs[0].p};
  std::vector<double> adjusted = {*kept.pairs[0].adjusted_p};
  for (const CompareRow& row : kept.pairs[0].rows) {
    p.push_back(*row.p);
    adjusted.push_back(*row.adjusted_p);
  }
  EXPECT_EQ(adjusted, algo::adjust_for_many(p));
}

RC_GTEST_PROP(CompareProperties, RowsAlwaysAddUp, ()) {
  const std::vector<std::string_view> names = {kGemmName, kMulName, kFlashName, kFusedNormName,
                                               kMeanName};
  const auto any_side = [&] {
    SideBuilder builder;
    cycles::LoopInstance instance;
    const auto iterations = *rc::gen::inRange<int>(1, 5);
    for (int i = 0; i < iterations; ++i) {
      const std::uint32_t start = builder.size();
      const auto kernels = *rc::gen::inRange<int>(1, 10);
      for (int k = 0; k < kernels; ++k) {
        const auto duration = *rc::gen::inRange<std::int64_t>(0, 99'999);
        builder.add_ps(names[*rc::gen::inRange<std::size_t>(0, names.size())], duration);
        builder.back_ps(*rc::gen::inRange<std::int64_t>(-7777, duration + 1));
      }
      instance.iterations.push_back({start, builder.size()});
    }
    builder.loop(cycles::loop_of(0, instance.iterations.front().size(), {instance}));
    return builder.side();
  };
  const Comparison comparison = compare_sides(any_side(), any_side());
  for (const ComparePair& pair : comparison.pairs) {
    if (!pair.delta_ns) continue;
    std::int64_t of_a = 0;
    std::int64_t of_b = 0;
    for (const CompareRow& row : pair.rows) {
      of_a += row.a.mean_ns;
      of_b += row.b.mean_ns;
      RC_ASSERT(row.delta_ns == row.b.mean_ns - row.a.mean_ns);
    }
    RC_ASSERT(of_a == pair.a->wall_ns);
    RC_ASSERT(of_b == pair.b->wall_ns);
    RC_ASSERT(*pair.delta_ns == of_b - of_a);
  }
}

}  // namespace
}  // namespace lockstep::analysis::compare

// Claims on the text of `compare` and its Markdown, and on what counts as a regression.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/compare/compare_for_test.h"
#include "report/compare/compare_page.h"
#include "report/layout/text_width.h"

namespace lockstep::report::compare {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TEST(CompareText, BothInputsAndTheTotalStandFirst) {
  EXPECT_THAT(text_of(comparison_for_test(), 10, 200),
              HasSubstr("A  a.json  kineto, 10 B\n"
                        "B  b.json  kineto, 20 B\n"
                        "\n"
                        "Total: 249.000 us -> 298.600 us, +49.600 us (+19.9 %); 2 pairs, each "
                        "times its iterations in A; 1 of 7 rows beyond noise\n"));
}

TEST(CompareText, PairHasAHeadlineWithItsShape) {
  EXPECT_THAT(text_of(comparison_for_test()),
              HasSubstr("\ndecode pass: 62.000 us -> 74.400 us, +12.400 us (+20.0 %), beyond "
                        "noise\n  4 x 6 kernels -> 5 x 6 kernels, 83 % alike\n"));
}

TEST(CompareText, FoldedIterationsAndUnlikeWorkAreSaid) {
  analysis::compare::Comparison comparison = comparison_for_test();
  comparison.pairs[1].a->folded = 2;
  comparison.pairs[1].is_same_work = false;
  comparison.pairs[1].is_significant = false;
  EXPECT_THAT(text_of(comparison),
              HasSubstr("(+20.0 %), not the same work\n  4 x 6 kernels (2 iterations as one) -> "
                        "5 x 6 kernels, 83 % alike\n"));
}

TEST(CompareText, SegmentOfOneIterationClaimsNothing) {
  EXPECT_THAT(text_of(comparison_for_test()),
              HasSubstr("\nprefill segment: 1.000 us -> 1.000 us, the same, one iteration: noise "
                        "is not known\n"));
}

TEST(CompareText, WithinNoiseSaysWhyWhereChanceHardlyExplainsIt) {
  analysis::compare::Comparison comparison = comparison_for_test();
  analysis::compare::ComparePair& pair = comparison.pairs[1];
  pair.is_significant = false;
  const auto words_for = [&](algo::Doubt doubt) {
    pair.doubt = doubt;
    return text_of(comparison, 10, 200);
  };
  EXPECT_THAT(words_for(algo::Doubt::kFewValues),
              HasSubstr("within noise: 4 and 5 iterations are too few to say\n"));
  EXPECT_THAT(words_for(algo::Doubt::kDrift),
              HasSubstr("within noise: one of the runs drifts by as much\n"));
  EXPECT_THAT(
      words_for(algo::Doubt::kStrayValues),
      HasSubstr("within noise: a few iterations make the difference, most do not differ\n"));
  EXPECT_THAT(words_for(algo::Doubt::kTooSmall),
              HasSubstr("within noise: less than --min-change or --min-difference\n"));
  pair.adjusted_p = 0.2;
  EXPECT_THAT(words_for(algo::Doubt::kDrift), HasSubstr(", within noise\n"));
}

TEST(CompareText, DevicesOfBothAreNamed) {
  const analysis::compare::Comparison comparison = comparison_for_test();
  const analysis::cycles::Cycles cycles{{cycles::passes_for_test()}};
  const auto text = [&](std::vector<std::string> a, std::vector<std::string> b) {
    return compare_text(
        {comparison, {cycles, kInputA, std::move(a)}, {cycles, kInputB, std::move(b)}}, 10, {});
  };
  EXPECT_THAT(text({"H100"}, {"H100"}), HasSubstr("\nBoth ran on H100.\n"));
  EXPECT_THAT(text({"H100"}, {"MI300X", "MI250"}),
              HasSubstr("\nA ran on H100, B on MI300X and MI250.\n"));
  EXPECT_THAT(text({"H100"}, {}), HasSubstr("\nA ran on H100, B on an unknown device.\n"));
  EXPECT_THAT(text({}, {}), Not(HasSubstr("ran on")));
}

TEST(CompareText, LargestChangesStandFirstAndIdleLast) {
  const std::string text = text_of(comparison_for_test());
  EXPECT_THAT(text, HasSubstr("  *  +20.000 us  +100.0 %  20.000 us  40.000 us     1  similar  "
                              "attn_v1 -> attn_v2\n"));
  EXPECT_THAT(text, HasSubstr("3 kernels -> triton_fused\n"));
  EXPECT_THAT(text, HasSubstr("1  only_a   norm\n"));
  EXPECT_THAT(text, HasSubstr("1  only_b   copy\n"));
  EXPECT_LT(text.find("attn_v1"), text.find("triton_fused"));
  EXPECT_LT(text.find("triton_fused"), text.find("only_a   norm"));
  EXPECT_LT(text.find("gemm"), text.find("idle: no kernel of the stream runs"));
  EXPECT_LT(text.find("idle: no kernel of the stream runs"),
            text.find("overlap: kernels that run at once"));
}

TEST(CompareText, RowsOfEqualNamesAreAddedUp) {
  analysis::compare::Comparison comparison = comparison_for_test();
  std::vector<analysis::compare::CompareRow>& rows = comparison.pairs[1].rows;
  rows.insert(rows.begin(), rows[2]);
  EXPECT_THAT(text_of(comparison),
              HasSubstr("  *  +40.000 us  +100.0 %  40.000 us  80.000 us     2  similar  attn_v1 "
                        "-> attn_v2\n"));
  // What is beyond noise as well as what is not: a kernel has one line.
  rows.front().is_significant = false;
  EXPECT_THAT(text_of(comparison),
              HasSubstr("  *  +40.000 us  +100.0 %  40.000 us  80.000 us     2  similar  attn_v1 "
                        "-> attn_v2\n"));
}

// Kernels of two layers that a compiler numbered.
analysis::compare::Comparison numbered_for_test(analysis::compare::RowKind kind,
                                                std::vector<std::string> first_b,
                                                std::vector<std::string> second_b) {
  analysis::compare::Comparison comparison = comparison_for_test();
  const std::vector<std::string> a = {"mul", "add"};
  const std::vector<std::string> other = {"pow", "add"};
  comparison.pairs[1].rows = {row_for_test(kind, a, std::move(first_b), 9'000, 3'000),
                              row_for_test(kind, other, std::move(second_b), 8'000, 4'000)};
  return comparison;
}

TEST(CompareText, RowsOfNumberedKernelsAreAddedUp) {
  EXPECT_THAT(text_of(numbered_for_test(analysis::compare::RowKind::kFused, {"triton_norm_12"},
                                        {"triton_norm_13"})),
              HasSubstr("-10.000 us  -58.8 %  17.000 us  7.000 us     2  fused  2 kernels -> "
                        "triton_norm*\n"));
}

TEST(CompareText, RowsOfOneNameKeepItsNumber) {
  EXPECT_THAT(text_of(numbered_for_test(analysis::compare::RowKind::kFused, {"triton_norm_12"},
                                        {"triton_norm_12"})),
              HasSubstr("2  fused  2 kernels -> triton_norm_12\n"));
}

TEST(CompareText, TemplateArgumentsTellKernelsApart) {
  const std::string text = text_of(
      numbered_for_test(analysis::compare::RowKind::kFused, {"unary<Sqrt>"}, {"unary<Silu>"}));
  EXPECT_THAT(text, HasSubstr("1  fused  2 kernels -> unary Sqrt\n"));
  EXPECT_THAT(text, HasSubstr("1  fused  2 kernels -> unary Silu\n"));
}

TEST(CompareText, UnlikeNumbersOfKernelsAreNotAddedUp) {
  analysis::compare::Comparison comparison =
      numbered_for_test(analysis::compare::RowKind::kFused, {"triton_norm_12"}, {"triton_norm_13"});
  comparison.pairs[1].rows[1].a.kernels.push_back(
      {"relu", "relu", analysis::kernels::KernelRole::kGemm, 3, 1});
  EXPECT_THAT(text_of(comparison), HasSubstr("1  fused  3 kernels -> triton_norm_13\n"));
}

TEST(CompareText, RestOfTheRowsIsAddedUp) {
  const std::string text = text_of(comparison_for_test(), 2);
  EXPECT_THAT(text, HasSubstr("  and 3 rows, 0 beyond noise, together -1.600 us; --top 0 shows "
                              "all\n"));
  EXPECT_THAT(text, HasSubstr("idle: no kernel of the stream runs"));
  EXPECT_THAT(text_of(comparison_for_test(), 0), Not(HasSubstr("beyond noise, together")));
}

TEST(CompareText, WhatOneSideLacksIsListed) {
  EXPECT_THAT(text_of(comparison_for_test()), HasSubstr("\nOnly on one side\n"
                                                        "  in  what         kernels      wall\n"
                                                        "  B   decode pass  3 x 6    7.000 us\n"));
}

TEST(CompareText, OneRowAndOneKernelAreNotSeveral) {
  analysis::compare::Comparison comparison = comparison_for_test();
  comparison.rows_tested = 1;
  comparison.rows_significant = 0;
  comparison.pairs[0].a->iterations = 12;
  comparison.pairs[0].a->kernels = 1;
  const std::string text = text_of(comparison, 10, 200);
  EXPECT_THAT(text, HasSubstr("; 0 of 1 row beyond noise\n"));
  EXPECT_THAT(text, HasSubstr("  12 x 1 kernel -> "));
}

TEST(CompareText, NothingInCommonIsSaid) {
  analysis::compare::Comparison comparison = comparison_for_test();
  comparison.pairs.erase(comparison.pairs.begin(), comparison.pairs.begin() + 2);
  EXPECT_THAT(text_of(comparison), HasSubstr("\nNothing of A was found in B.\n"));
}

TEST(CompareText, ManyPairsAreCutShort) {
  analysis::compare::Comparison comparison = comparison_for_test();
  comparison.pairs.assign(12, slower_pass_for_test());
  EXPECT_THAT(text_of(comparison),
              HasSubstr("\nand 4 pairs that changed less, 4 beyond noise, together +198.400 us of "
                        "the total; --top 0 shows all\n"));
  EXPECT_THAT(text_of(comparison, 0), Not(HasSubstr("changed less")));
}

// `count` pairs of this long that did not change.
void add_unchanged(std::size_t count, std::int64_t wall_ns,
                   analysis::compare::Comparison& comparison) {
  analysis::compare::ComparePair pair = slower_pass_for_test();
  pair.a->wall_ns = wall_ns;
  pair.b->wall_ns = wall_ns;
  pair.delta_ns = 0;
  pair.percent = 0;
  pair.is_significant = false;
  comparison.pairs.insert(comparison.pairs.begin(), count, pair);
}

TEST(CompareText, PairThatChangedIsNotHiddenByLongerOnesThatDidNot) {
  analysis::compare::Comparison comparison = comparison_for_test();
  add_unchanged(20, 900'000'000, comparison);
  const std::string text = text_of(comparison);
  EXPECT_LT(text.find("62.000 us -> 74.400 us"), text.find("900.000 ms -> 900.000 ms, the same"));
  EXPECT_THAT(text, HasSubstr("together 0 ns of the total"));
}

TEST(CompareText, PairsStandByWhatTheirChangeMakesInAllAndNoiseLast) {
  analysis::compare::Comparison comparison = comparison_for_test();
  analysis::compare::ComparePair pair = slower_pass_for_test();
  pair.a->iterations = 1'000;
  pair.delta_ns = -100;  // together more than 4 x 12.4 us
  comparison.pairs.push_back(pair);
  pair.is_significant = false;
  pair.delta_ns = 5'000'000;
  comparison.pairs.push_back(pair);
  const std::string text = text_of(comparison);
  EXPECT_LT(text.find(", -100 ns"), text.find(", +12.400 us"));
  EXPECT_LT(text.find(", +12.400 us"), text.find(", +5.000 ms"));
  EXPECT_THAT(text, HasSubstr(", +5.000 ms"));
}

TEST(CompareText, WhatTakesTheMostTimeStandsFirstOfWhatOneSideLacks) {
  analysis::compare::Comparison comparison = comparison_for_test();
  analysis::compare::ComparePair only_a;
  only_a.a = side_for_test(0, 500, 6'000);  // shorter than that of B, but more often
  comparison.pairs.push_back(only_a);
  EXPECT_THAT(text_of(comparison), HasSubstr("  A   decode pass  500 x 6  6.000 us\n"
                                             "  B   decode pass  3 x 6    7.000 us\n"));
  only_a.a->iterations = 1;
  comparison.pairs.insert(comparison.pairs.end(), 20, only_a);
  EXPECT_THAT(text_of(comparison), HasSubstr("  B   decode pass  3 x 6    7.000 us\n"));
  EXPECT_THAT(text_of(comparison), HasSubstr("  and 14 that take less time (--json has all)\n"));
}

TEST(CompareText, SumOverSeveralStreamsIsSaid) {
  analysis::compare::Comparison comparison = comparison_for_test();
  EXPECT_THAT(text_of(comparison), Not(HasSubstr("summed over")));
  comparison.pairs[0].a->stream = 1;
  comparison.pairs[0].b->stream = 1;
  const analysis::cycles::Cycles cycles{{cycles::passes_for_test(), cycles::passes_for_test()}};
  EXPECT_THAT(compare_text({comparison, {cycles, kInputA}, {cycles, kInputB}}, 10, {}),
              HasSubstr("2 pairs, each times its iterations in A,\nsummed over 2 streams; 1 of 7"));
}

TEST(CompareText, TotalOfSingleIterationsClaimsNothing) {
  analysis::compare::Comparison comparison = comparison_for_test();
  comparison.rows_tested = 0;
  comparison.rows_significant = 0;
  EXPECT_THAT(text_of(comparison, 10, 200),
              HasSubstr("iterations in A; one iteration: noise is not known\n"));
}

TEST(CompareText, NamesInsteadOfPositionsAreSaid) {
  analysis::compare::Comparison comparison = comparison_for_test();
  comparison.pairs[1].by_name = true;
  comparison.pairs[1].rows[0].a.kernels[0].count = 3;
  comparison.pairs[1].rows[3].is_beyond_body = true;
  const std::string text = text_of(comparison, 10, 140);
  EXPECT_THAT(text, HasSubstr("; too long to align, rows are names\n"));
  EXPECT_THAT(text, HasSubstr("3 x gemm a b\n"));
  EXPECT_THAT(text, HasSubstr("norm (in some iterations)\n"));
}

TEST(CompareText, LinesFitInSixtyColumns) {
  analysis::compare::Comparison comparison = comparison_for_test();
  comparison.pairs[1].rows[0].a.kernels[0].name = std::string(300, 'x');
  const std::string text = text_of(comparison, 10, 60);
  std::size_t from = 0;
  while (from < text.size()) {
    const std::size_t to = text.find('\n', from);
    EXPECT_LE(layout::display_width(text.substr(from, to - from)), 60U)
        << text.substr(from, to - from);
    from = to + 1;
  }
}

TEST(CompareView, SlowerPairsAreRegressions) {
  EXPECT_THAT(regressions(comparison_for_test(), 19.95),
              ElementsAre("the decode pass got slower by 20.0 %: 62.000 us -> 74.400 us"));
  EXPECT_THAT(regressions(comparison_for_test(), 20), IsEmpty());
}

TEST(CompareView, SingleIterationsAreNoRegressionHoweverSlow) {
  analysis::compare::Comparison comparison = comparison_for_test();
  analysis::compare::ComparePair& segment = comparison.pairs[0];
  segment.b->wall_ns = 900'000;
  segment.delta_ns = 899'000;
  segment.percent = 89'900;
  comparison.pairs[1].percent = 2;  // slower beyond noise, but little
  comparison.pairs[1].delta_ns = 1'240;
  comparison.total_delta_ns = 899'000 + 4 * 1'240;
  EXPECT_THAT(regressions(comparison, 5), IsEmpty());
}

TEST(CompareView, NoiseAndSpeedupsAreNoRegressions) {
  analysis::compare::Comparison comparison = comparison_for_test();
  comparison.pairs[1].is_significant = false;
  EXPECT_THAT(regressions(comparison, 0), IsEmpty());
  comparison.pairs[1].is_significant = true;
  comparison.pairs[1].delta_ns = -12'400;
  comparison.pairs[1].percent = -20;
  EXPECT_THAT(regressions(comparison, 0), IsEmpty());
}

TEST(CompareMarkdown, IsToTheLetter) {
  const analysis::cycles::Cycles cycles{{cycles::passes_for_test()}};
  const analysis::compare::Comparison comparison = comparison_for_test();
  EXPECT_EQ(compare_markdown({comparison, {cycles, kInputA}, {cycles, kInputB}}, 2),
            R"(# What changed from A to B

* A: **a.json** (kineto, 10 B)
* B: **b.json** (kineto, 20 B)

## Total

249.000 us -> 298.600 us, +49.600 us (+19.9 %); 2 pairs, each times its iterations in A; 1 of 7 rows beyond noise

## decode pass

62.000 us -> 74.400 us, +12.400 us (+20.0 %), beyond noise

4 x 6 kernels -> 5 x 6 kernels, 83 % alike

|  | delta | change | A | B | rows | kind | kernel |
|---|---:|---:|---:|---:|---:|---|---|
| \* | +20.000 us | +100.0 % | 20.000 us | 40.000 us | 1 | similar | attn_v1 -> attn_v2 |
|  | -6.000 us | -66.7 % | 9.000 us | 3.000 us | 1 | fused | 3 kernels -> triton_fused |
|  | +200 ns | +0.9 % | 21.500 us | 21.700 us | 1 | idle | idle: no kernel of the stream runs |
|  | -200 ns |  | -500 ns | -700 ns | 1 | overlap | overlap: kernels that run at once, counted once |

and 3 rows, 0 beyond noise, together -1.600 us; --top 0 shows all

## prefill segment

1.000 us -> 1.000 us, the same, one iteration: noise is not known

1 x 6 kernels -> 1 x 6 kernels, 100 % alike

the same in every row; --top 0 shows all

## Only on one side

| in | what | kernels | wall |
|---|---|---|---:|
| B | decode pass | 3 x 6 | 7.000 us |
)");
}

TEST(CompareMarkdown, HasNamesWhole) {
  analysis::compare::Comparison comparison = comparison_for_test();
  const std::string long_name = "kernel_" + std::string(300, 'x');
  for (analysis::compare::ComparePair& pair : comparison.pairs) {
    for (analysis::compare::CompareRow& row : pair.rows) {
      for (analysis::compare::RowKernel& kernel : row.a.kernels) kernel.name = long_name;
    }
  }
  const analysis::cycles::Cycles cycles{{cycles::passes_for_test()}};
  const std::string page = compare_markdown({comparison, {cycles, kInputA}, {cycles, kInputB}}, 10);
  EXPECT_THAT(page, HasSubstr(long_name));
  EXPECT_THAT(page, Not(HasSubstr(layout::kEllipsis)));
}

}  // namespace
}  // namespace lockstep::report::compare

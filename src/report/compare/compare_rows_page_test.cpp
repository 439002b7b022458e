// Claims on the table of a pair: which lines it has, and what they are called in little room.
#include "report/compare/compare_rows_page.h"

#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/compare/compare_for_test.h"
#include "report/layout/text_width.h"

namespace lockstep::report::compare {
namespace {

using analysis::compare::RowKind;
using testing::Each;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Le;
using testing::Not;
using testing::ResultOf;
using testing::SizeIs;

// The lines of a pair of these rows that have the words in them.
std::vector<std::string> lines_with(std::vector<analysis::compare::CompareRow> rows,
                                    std::size_t width, std::string_view words) {
  analysis::compare::Comparison comparison;
  comparison.pairs = {slower_pass_for_test()};
  comparison.pairs[0].rows = std::move(rows);
  std::istringstream text(text_of(comparison, 10, width));
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) {
    if (line.find(words) != std::string::npos) lines.push_back(line);
  }
  return lines;
}

std::string tensile(const std::string& tile) {
  return "Cijk_Alik_Bljk_BBS_" + tile + "_MI16x16x1_GRB0_WS64_WG32_8_1";
}
const std::string kCublasName = "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128_cublas";

TEST(CompareRows, DifferentKernelsAreNotOneNameInATable) {
  const auto shown = lines_with(
      {row_for_test(RowKind::kSimilar, {kCublasName}, {tensile("MT256x128x64")}, 9000, 8000),
       row_for_test(RowKind::kSimilar, {kCublasName}, {tensile("MT128x224x64")}, 9000, 8000)},
      100, "Cijk");
  ASSERT_THAT(shown, SizeIs(2));
  EXPECT_NE(shown[0], shown[1]);
}

TEST(CompareRows, NamesAreCutOnceAndKeepTheirArrow) {
  for (const std::size_t width : {60U, 80U, 100U, 140U}) {
    const auto shown =
        lines_with({row_for_test(RowKind::kSimilar, {kCublasName}, {tensile("MT256x128x64")},
                                 9'123'456, 8'123'456),
                    row_for_test(RowKind::kSame, {kCublasName}, {kCublasName}, 123'456, 1'234)},
                   width, "sm90");
    ASSERT_THAT(shown, SizeIs(2));
    EXPECT_THAT(shown[0], HasSubstr(" -> Cijk")) << width;
    EXPECT_THAT(shown, Each(ResultOf(layout::display_width, Le(width))));
  }
}

TEST(CompareRows, OnlyOnOneSideIsSaidOnceInALine) {
  const std::vector<analysis::compare::CompareRow> rows = {
      row_for_test(RowKind::kOnlyA, {"norm"}, {}, 123'456, 0)};
  EXPECT_THAT(lines_with(rows, 100, "norm"), ElementsAre(EndsWith("1  only_a  norm")));
  EXPECT_THAT(lines_with(rows, 60, "norm"), ElementsAre(EndsWith("  norm (only in A)")));
}

TEST(CompareRows, WhatDidNotChangeHasNoLineUnlessAllAreAskedFor) {
  analysis::compare::Comparison comparison = comparison_for_test();
  EXPECT_THAT(text_of(comparison), HasSubstr("100 % alike\n  the same in every row; --top 0"));
  EXPECT_THAT(text_of(comparison), Not(HasSubstr("embed")));
  EXPECT_THAT(text_of(comparison, 0), HasSubstr("embed"));
  analysis::compare::CompareRow& gemm = comparison.pairs[1].rows[0];
  gemm.b.mean_ns = gemm.a.mean_ns;
  EXPECT_THAT(text_of(comparison), Not(HasSubstr("gemm")));
  EXPECT_THAT(text_of(comparison),
              HasSubstr("  and 1 row that did not change; --top 0 shows all\n"));
}

TEST(CompareRows, WhatReadsAsNoChangeIsCountedAsNone) {
  analysis::compare::Comparison comparison = comparison_for_test();
  analysis::compare::CompareRow& gemm = comparison.pairs[1].rows[0];
  gemm.is_significant = false;
  gemm.b.mean_ns = gemm.a.mean_ns - 1;
  ASSERT_GT(gemm.a.mean_ns, 2000);
  EXPECT_THAT(text_of(comparison), Not(HasSubstr("gemm")));
  EXPECT_THAT(text_of(comparison),
              HasSubstr("  and 1 row that did not change, together -1 ns; --top 0 shows all\n"));
}

}  // namespace
}  // namespace lockstep::report::compare

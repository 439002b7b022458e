// Claims on two names that share a line.
#include "report/compare/name_change.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/layout/text_width.h"

namespace lockstep::report::compare {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

// The only line of a table.
std::string name_change(const std::string& a, const std::string& b, std::size_t width) {
  return row_names(std::vector<RowName>{{a, b}}, width).front();
}

const std::string kLongX(60, 'x');
const std::string kLongY(60, 'y');

TEST(NameChange, ShortNamesStandWhole) { EXPECT_EQ(name_change("a", "b", 40), "a -> b"); }

TEST(NameChange, LongNameTakesTheRoomThatAShortOneLeaves) {
  EXPECT_THAT(name_change("2 kernels", kLongX, 40), StartsWith("2 kernels -> xxxx"));
  EXPECT_EQ(layout::display_width(name_change("2 kernels", kLongX, 40)), 40U);
  EXPECT_THAT(name_change(kLongX, "2 kernels", 40), EndsWith("xxx -> 2 kernels"));
  EXPECT_EQ(layout::display_width(name_change(kLongX, "2 kernels", 40)), 40U);
  EXPECT_THAT(name_change(kLongX, kLongY, 40), HasSubstr("xxx -> yyy"));
  EXPECT_EQ(layout::display_width(name_change(kLongX, kLongY, 40)), 40U);
}

TEST(NameChange, EqualNamesStandOnce) { EXPECT_EQ(name_change(kLongX, kLongX, 60), kLongX); }

TEST(NameChange, NamesThatDifferInTheirMiddleAreShortenedAroundIt) {
  const std::string before = "void split_embedding_kernel<float, float, float, ";
  const std::string after = "ul>(Accessor<float, 2ul>, Accessor<float, 1ul>, long)";
  const std::string change = name_change(before + "2" + after, before + "5" + after, 40);
  EXPECT_THAT(change, StartsWith("void split_"));
  EXPECT_THAT(change, EndsWith("float, {2 -> 5}…"));
  EXPECT_EQ(layout::display_width(change), 40U);
  // Of 41 columns one name gets more than the other, which does not tell them apart.
  EXPECT_THAT(name_change(before + "2" + after, before + "5" + after, 41), EndsWith("{2 -> 5}…"));
}

TEST(NameChange, LongDifferencesAreShortenedToo) {
  const std::string change =
      name_change(kLongX + kLongY + kLongX, kLongX + std::string(60, 'z') + kLongX, 40);
  EXPECT_THAT(change, HasSubstr("x{yyyy…yyy -> zzzz…zzz}…"));
  EXPECT_LE(layout::display_width(change), 40U);
}

TEST(NameChange, DifferenceMayBeThatOneHasMore) {
  const std::string change = name_change(kLongX + kLongX, kLongX + "<4>" + kLongX, 40);
  EXPECT_THAT(change, EndsWith("{ -> <4>}…"));
}

TEST(NameChange, CharactersStayWhole) {
  // The two differ in the last byte of a character.
  const std::string change =
      name_change(kLongX + "\u00E4" + kLongX, kLongX + "\u00E5" + kLongX, 40);
  EXPECT_THAT(change, EndsWith("{\u00E4 -> \u00E5}…"));
  // And here in the first one.
  const std::string other = name_change(kLongX + "\u00E9" + kLongX, kLongX + "\u0169" + kLongX, 40);
  EXPECT_THAT(other, EndsWith("{\u00E9 -> \u0169}…"));
}

TEST(NameChange, LinesAreNeverWider) {
  for (std::size_t width = 0; width < 80; ++width) {
    EXPECT_LE(
        layout::display_width(name_change(kLongX + "a" + kLongX, kLongX + "b" + kLongX, width)),
        std::max<std::size_t>(width, 12));
    EXPECT_LE(layout::display_width(name_change(kLongX, kLongY, width)),
              std::max<std::size_t>(width, 12));
  }
}

TEST(RowNames, WhatStandsBehindANameIsWhole) {
  const std::vector<RowName> rows = {{kLongX, {}, " (only in A)"}, {kLongX, kLongY, " (in some)"}};
  for (const std::string& line : row_names(rows, 40)) EXPECT_EQ(layout::display_width(line), 40U);
  EXPECT_THAT(row_names(rows, 40)[0], EndsWith("xxx (only in A)"));
  EXPECT_THAT(row_names(rows, 40)[1], EndsWith("yyy (in some)"));
}

TEST(RowNames, DifferentKernelsOfATableNeverLookAlike) {
  const auto tensile = [](const std::string& tile) {
    return "Cijk_Alik_Bljk_BBS_" + tile + "_MI16x16x1_GRB0_WS64_WG32_8_1";
  };
  const std::string cublas = "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128_cublas";
  const std::vector<std::string> lines = row_names(
      std::vector<RowName>{
          {cublas, tensile("MT256x128x64")}, {cublas, tensile("MT128x224x64")}, {cublas}},
      36);
  EXPECT_THAT(lines[0], HasSubstr("256x"));
  EXPECT_THAT(lines[1], HasSubstr("128x2"));
  EXPECT_NE(lines[0], lines[1]);
}

TEST(RowNames, ChangesAlikeOfDifferentKernelsAreToldApart) {
  // Both became <5>; what stands around that change is the same of both.
  const std::string before = "split_embedding_backward_codegen_rowwise_adagrad_unweighted_kernel_";
  const auto name = [&](const std::string& kind, int version) {
    return before + kind + "_per_row_1 <" + std::to_string(version) + ", float, float, long>";
  };
  const std::vector<std::string> lines = row_names(
      std::vector<RowName>{{name("cta", 2), name("cta", 5)}, {name("warp", 2), name("warp", 5)}},
      36);
  EXPECT_NE(lines[0], lines[1]);
  EXPECT_THAT(lines[0], HasSubstr(" -> "));
  EXPECT_THAT(lines[1], HasSubstr(" -> "));
}

}  // namespace
}  // namespace lockstep::report::compare

// Cells of a column that must stay different.
#include "report/layout/shorten_apart.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "report/layout/text_width.h"

namespace lockstep::report::layout {
namespace {

using testing::ElementsAre;

std::vector<std::string> apart(std::vector<std::string> texts, std::size_t width) {
  return shorten_apart(texts, width);
}

TEST(ShortenApart, WhatFitsStays) {
  EXPECT_THAT(apart({"gemm", "copy", "gemm"}, 8), ElementsAre("gemm", "copy", "gemm"));
}

TEST(ShortenApart, WhatStaysDifferentIsCutInItsMiddle) {
  EXPECT_THAT(apart({"aaaaaaaaaa1", "aaaaaaaaaa2"}, 7),
              ElementsAre("aaa\u2026aa1", "aaa\u2026aa2"));
}

TEST(ShortenApart, WhatDiffersInTheMiddleIsCutThere) {
  EXPECT_THAT(apart({"aaaaaaaaaaa1bbbbbbbbbbb", "aaaaaaaaaaa2bbbbbbbbbbb"}, 12),
              ElementsAre("aaaa\u20261bbbbb\u2026", "aaaa\u20262bbbbb\u2026"));
}

TEST(ShortenApart, WhatIsStillAlikeIsNumbered) {
  // Two by two they differ behind what there is room for.
  EXPECT_THAT(apart({"aaaaaaaaaaaaXbbbbbbbbbbbbb1ccccccc", "aaaaaaaaaaaaXbbbbbbbbbbbbb2ccccccc",
                     "aaaaaaaaaaaaYbbbbbbbbbbbbb2ccccccc"},
                    12),
              ElementsAre("aaaa\u2026Xbbbbb\u2026", "aaaa\u2026cccc #2", "aaaa\u2026Ybbbbb\u2026"));
}

TEST(ShortenApart, WhatDiffersAtTwoPlacesIsCutAroundBoth) {
  const std::vector<std::string> texts = {
      "split_kernel_cta_per_row <2ul>", "split_kernel_warp_per_row <2ul>",
      "split_kernel_cta_per_row <5ul>", "split_kernel_warp_per_row <5ul>"};
  EXPECT_THAT(apart(texts, 15),
              ElementsAre("split\u2026cta_per_\u2026", "split\u2026warp_per\u2026",
                          "spl\u2026cta_p\u2026<5ul>", "spl\u2026warp_\u2026<5ul>"));
}

TEST(ShortenApart, EveryTextMayHaveItsWidth) {
  const std::vector<std::string> texts = {"aaaaaaaaaa1", "aaaaaaaaaa2", "aaaaaaaaaa1"};
  const std::vector<std::size_t> widths = {7, 7, 20};
  EXPECT_THAT(shorten_apart(texts, widths),
              ElementsAre("aaa\u2026aa1", "aaa\u2026aa2", "aaaaaaaaaa1"));
}

RC_GTEST_PROP(ShortenApart, IsAsDifferentAsTheTextsAndFits, ()) {
  const auto piece = rc::gen::element<std::string>("a", "b", "\u00E4", "\u4E2D", "1", " #2");
  const auto text = rc::gen::map(rc::gen::container<std::vector<std::string>>(piece),
                                 [](const std::vector<std::string>& pieces) {
                                   std::string joined;
                                   for (const std::string& one : pieces) joined += one;
                                   return joined;
                                 });
  const auto texts = *rc::gen::container<std::vector<std::string>>(text);
  const auto width = *rc::gen::inRange<std::size_t>(16, 30);
  const std::vector<std::string> shown = shorten_apart(texts, width);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    RC_ASSERT(display_width(shown[i]) <= width);
    for (std::size_t j = 0; j < i; ++j) RC_ASSERT((texts[i] == texts[j]) == (shown[i] == shown[j]));
  }
}

}  // namespace
}  // namespace lockstep::report::layout

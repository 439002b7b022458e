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

TEST(NameChange, EqualNamesStandOnce) { EXPECT_EQ(name_change(kLongX, kLongX, 40), kLongX); }

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

TEST(NameChange, NoWidthIsTooSmall) {
  for (std::size_t width = 0; width < 30; ++width) {
    EXPECT_LE(
        layout::display_width(name_change(kLongX + "a" + kLongX, kLongX + "b" + kLongX, width)),
        30U);
  }
}

}  // namespace
}  // namespace lockstep::report::compare

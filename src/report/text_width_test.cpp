// Claims on widths, shortening and wrapping.
#include "report/text_width.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep {
namespace {

using testing::ElementsAre;

TEST(TextWidth, WideCharactersTakeTwoColumns) {
  EXPECT_EQ(display_width("abc"), 3U);
  EXPECT_EQ(display_width("\xE6\xA0\xB8"), 2U);  // a CJK character
  EXPECT_EQ(display_width("e\xCC\x81"), 1U);     // e and a combining accent
}

TEST(TextWidth, ControlCharactersBecomeReplacementCharacters) {
  EXPECT_EQ(one_line("a\nb\x1b[31m"),
            "a\xEF\xBF\xBD"
            "b\xEF\xBF\xBD[31m");
}

TEST(TextWidth, InvalidBytesBecomeReplacementCharacters) {
  EXPECT_EQ(one_line("a\xFF"), "a\xEF\xBF\xBD");
}

TEST(TextWidth, ShortTextStaysAsItIs) { EXPECT_EQ(shorten_middle("kernel", 6), "kernel"); }

TEST(TextWidth, LongTextKeepsBothEnds) {
  EXPECT_EQ(shorten_middle("abcdefghij", 7), "abc\xE2\x80\xA6hij");
  EXPECT_EQ(shorten_middle("abcdefghij", 6), "abc\xE2\x80\xA6ij");
}

TEST(TextWidth, ShortenedTextNeverExceedsItsWidth) {
  const std::string text = "a\xE6\xA0\xB8z\xE6\xA0\xB8\xE6\xA0\xB8q\xE6\xA0\xB8";
  for (std::size_t width = 0; width <= display_width(text); ++width) {
    EXPECT_LE(display_width(shorten_middle(text, width)), width);
  }
}

TEST(TextWidth, WordsAreWrappedAtSpaces) {
  EXPECT_THAT(wrap("one two three", 7), ElementsAre("one two", "three"));
}

TEST(TextWidth, WordLongerThanTheWidthGetsItsOwnLine) {
  EXPECT_THAT(wrap("a incomprehensible b", 5), ElementsAre("a", "incomprehensible", "b"));
}

TEST(TextWidth, NothingWrapsToOneEmptyLine) { EXPECT_THAT(wrap("", 10), ElementsAre("")); }

}  // namespace
}  // namespace lockstep

// Claims on widths, shortening and wrapping.
#include "report/layout/text_width.h"

#include <array>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <utf8proc.h>

namespace lockstep::report::layout {
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

TEST(TextWidth, WhatHasNoPictureIsReplacedAsUtf8procHasIt) {
  for (utf8proc_int32_t code = 0; code <= 0x10FFFF; ++code) {
    std::array<utf8proc_uint8_t, 4> bytes{};
    const utf8proc_ssize_t size = utf8proc_encode_char(code, bytes.data());
    const std::string text(bytes.begin(), bytes.begin() + size);
    const utf8proc_category_t category = utf8proc_category(code);
    const bool is_invisible = category == UTF8PROC_CATEGORY_CC ||
                              category == UTF8PROC_CATEGORY_CF ||
                              category == UTF8PROC_CATEGORY_ZL || category == UTF8PROC_CATEGORY_ZP;
    ASSERT_TRUE(!is_invisible || one_line(text) == "\uFFFD") << code;
  }
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
}  // namespace lockstep::report::layout

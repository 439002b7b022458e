// Claims on characters: every code point there and back, and what is none.
#include "base/utf8.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace lockstep {
namespace {

// By the table of the standard, so that it does not share a mistake with what is tested.
std::string encoded(std::uint32_t code) {
  const auto byte = [](std::uint32_t value) { return static_cast<char>(value); };
  if (code < 0x80) return {byte(code)};
  if (code < 0x800) return {byte(0xC0 + code / 64), byte(0x80 + code % 64)};
  if (code < 0x10000) {
    return {byte(0xE0 + code / 4096), byte(0x80 + code / 64 % 64), byte(0x80 + code % 64)};
  }
  return {byte(0xF0 + code / 262144), byte(0x80 + code / 4096 % 64), byte(0x80 + code / 64 % 64),
          byte(0x80 + code % 64)};
}

TEST(Utf8, EveryCodePointIsOneCharacter) {
  for (std::uint32_t code = 0; code < 0x110000; ++code) {
    const std::string text = encoded(code);
    const bool is_surrogate = code >= 0xD800 && code < 0xE000;
    ASSERT_EQ(utf8_length(text), is_surrogate ? 0 : text.size()) << code;
    const Utf8Character one = first_character(text + "x");
    ASSERT_EQ(one.bytes, is_surrogate ? 1 : text.size()) << code;
    ASSERT_EQ(one.code, is_surrogate ? kReplacementCode : code);
  }
}

TEST(Utf8, WhatIsCutOverlongOrBeyondTheLastCodePointIsNone) {
  for (const char* text : {"\x80", "\xC3", "\xC0\x80", "\xE2\x82", "\xE0\x80\x80", "\xF0\x9F\x98",
                           "\xF0\x80\x80\x80", "\xF4\x90\x80\x80", "\xFF"}) {
    EXPECT_EQ(utf8_length(text), 0U) << text;
  }
}

TEST(Utf8, TextIsCutBetweenCharacters) {
  const std::string text = encoded('a') + encoded(0xE9) + encoded(0x20AC) + encoded(0x1F600) + "b";
  const std::vector<std::size_t> kept = {0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 11, 11};
  for (std::size_t most = 0; most < kept.size(); ++most) {
    EXPECT_EQ(cut_between_characters(text, most), text.substr(0, kept[most])) << most;
  }
  EXPECT_EQ(cut_between_characters("", 0), "");
}

TEST(Utf8, EachCharacterIsMetOnceWithItsBytes) {
  std::vector<std::uint32_t> codes;
  std::string bytes;
  for_each_character("a\xC3\xA9\xFFz", [&](Utf8Character one, std::string_view text) {
    codes.push_back(one.code);
    bytes.append(text).append("|");
  });
  EXPECT_EQ(codes, (std::vector<std::uint32_t>{'a', 0xE9, kReplacementCode, 'z'}));
  EXPECT_EQ(bytes, "a|\xC3\xA9|\xFF|z|");
}

TEST(Utf8, EndIsCutByColumns) {
  const auto width = [](Utf8Character one) { return one.bytes; };
  EXPECT_EQ(columns_of("a\xC3\xA9z", width), 4U);
  EXPECT_EQ(end_within("a\xC3\xA9z", 4, width), "a\xC3\xA9z");
  EXPECT_EQ(end_within("a\xC3\xA9z", 2, width), "z");
  EXPECT_EQ(end_within("a\xC3\xA9z", 0, width), "");
}

}  // namespace
}  // namespace lockstep

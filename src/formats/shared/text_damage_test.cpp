#include "formats/shared/text_damage.h"

#include <string>

#include <gtest/gtest.h>

namespace lockstep::formats::shared {
namespace {

using namespace std::string_view_literals;

TEST(TextDamage, PlainTextIsNone) {
  for (const std::string_view text : {""sv, "a,b\t\r\n"sv,
                                      "gr\xC3\xB6\xC3\x9F"
                                      "e"sv,
                                      "\x7F"sv}) {
    EXPECT_FALSE(is_damaged_text(text)) << text;
  }
}

TEST(TextDamage, ControlCharactersAndBytesThatAreNotUtf8AreDamage) {
  for (const std::string_view text : {"\0"sv, "a\0b"sv, "a\x01"sv, "\x1F"sv, "\x0B"sv, "\xFF"sv,
                                      "gr\xF6\xDF"
                                      "e"sv,
                                      "\xC3"sv}) {
    EXPECT_TRUE(is_damaged_text(text)) << text;
  }
}

TEST(TextDamage, PlainTextIsAsciiWithoutControlCharacters) {
  EXPECT_TRUE(is_plain_text("a,b\t\r\n\x7F"));
  EXPECT_FALSE(is_plain_text("gr\xC3\xB6\xC3\x9F"));
  EXPECT_FALSE(is_plain_text("a\0b"sv));
}

TEST(TextDamage, OneByteIsFoundAnywhereInLongText) {
  for (std::size_t at = 0; at < 200; ++at) {
    std::string text(200, 'x');
    text[at] = '\0';
    EXPECT_TRUE(is_damaged_text(text)) << at;
  }
}

}  // namespace
}  // namespace lockstep::formats::shared

// Claims on text that is made harmless.
#include "base/one_line.h"

#include <array>
#include <cstdint>

#include <gtest/gtest.h>

namespace lockstep {
namespace {

constexpr const char* kReplaced = "\xEF\xBF\xBD";

std::string utf8_of(std::uint32_t code) {
  const auto tail = [&](int shift) { return static_cast<char>(0x80 | (code >> shift & 0x3F)); };
  if (code < 0x80) return {static_cast<char>(code)};
  if (code < 0x800) return {static_cast<char>(0xC0 | code >> 6), tail(0)};
  if (code < 0x10000) return {static_cast<char>(0xE0 | code >> 12), tail(6), tail(0)};
  return {static_cast<char>(0xF0 | code >> 18), tail(12), tail(6), tail(0)};
}

// Char of XML 1.0, less the three control characters that it allows.
bool is_xml(std::uint32_t code) {
  return (code >= 0x20 && code <= 0xD7FF) || (code >= 0xE000 && code <= 0xFFFD) ||
         (code >= 0x10000 && code <= 0x10FFFF);
}

TEST(OneLine, NamesStayAsTheyAre) {
  for (const std::string name :
       {"gemm<float, 4>", "\xE6\xA0\xB8", "caf\xC3\xA9", "\xF0\x9F\x9A\x80"}) {
    EXPECT_EQ(one_line(name), name);
  }
}

TEST(OneLine, EscapeCodesAreBroken) {
  EXPECT_EQ(one_line("a\x1b]0;title\x07"
                     "b"),
            std::string("a") + kReplaced + "]0;title" + kReplaced + "b");
  EXPECT_EQ(one_line("\xC2\x9B"
                     "31m"),
            std::string(kReplaced) + "31m");  // CSI in one character
}

TEST(OneLine, LinesAndDirectionsDoNotEnd) {
  for (const std::uint32_t code : {0x0AU, 0x0DU, 0x09U, 0x0BU, 0x7FU, 0x85U, 0x2028U, 0x2029U,
                                   0x202EU, 0x2066U, 0x200BU, 0xFEFFU, 0xE0041U}) {
    EXPECT_EQ(one_line("a" + utf8_of(code) + "b"), std::string("a") + kReplaced + "b") << code;
  }
}

TEST(OneLine, BytesThatAreNoTextAreReplacedOneByOne) {
  EXPECT_EQ(one_line("a\xFF"
                     "b"),
            std::string("a") + kReplaced + "b");
  EXPECT_EQ(one_line("\xED\xA0\x80"), std::string(kReplaced) + kReplaced + kReplaced);
  EXPECT_EQ(one_line("\xE6\xA0"), std::string(kReplaced) + kReplaced);
}

TEST(OneLine, NothingIsLeftThatXmlForbids) {
  for (std::uint32_t code = 0; code <= 0x10FFFF; ++code) {
    const std::string shown = one_line(utf8_of(code));
    if (is_xml(code) && shown == utf8_of(code)) continue;
    const bool is_surrogate = code >= 0xD800 && code <= 0xDFFF;
    ASSERT_EQ(shown.substr(0, 3), kReplaced) << code;
    ASSERT_EQ(shown.size(), is_surrogate ? 9U : 3U) << code;
  }
}

}  // namespace
}  // namespace lockstep

// Bytes outside of the strings of whole and cut JSON.
#include "formats/shared/outside_strings.h"

#include <string>

#include <gtest/gtest.h>

namespace lockstep::formats::shared {
namespace {

std::string outside_of(std::string_view text) {
  std::string out;
  const bool is_ended = for_each_outside_strings(
      text, [&](char c, std::size_t at) { out += c + std::to_string(at) + ' '; });
  return out + (is_ended ? "ended" : "in a string");
}

TEST(OutsideStrings, BytesInStringsAreNotSeen) {
  EXPECT_EQ(outside_of(R"({"a]":["}"]})"), "{0 :5 [6 ]10 }11 ended");
  EXPECT_EQ(outside_of(R"({"\"}":"\\"})"), "{0 :6 }11 ended");
}

TEST(OutsideStrings, TextMayEndAnywhere) {
  EXPECT_EQ(outside_of(R"({"a)"), "{0 in a string");
  EXPECT_EQ(outside_of(R"({"a\)"), "{0 in a string");
  EXPECT_EQ(outside_of("]}"), "]0 }1 ended");
  EXPECT_EQ(outside_of(""), "ended");
}

}  // namespace
}  // namespace lockstep::formats::shared

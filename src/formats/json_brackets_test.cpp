// Brackets of whole and cut JSON.
#include "formats/json_brackets.h"

#include <string>

#include <gtest/gtest.h>

namespace lockstep {
namespace {

std::string brackets_of(std::string_view text) {
  std::string out;
  const bool is_ended =
      for_each_bracket(text, [&](char c, std::size_t at) { out += c + std::to_string(at) + ' '; });
  return out + (is_ended ? "ended" : "in a string");
}

TEST(JsonBrackets, InStringsDoNotCount) {
  EXPECT_EQ(brackets_of(R"({"a]":["}"]})"), "{0 [6 ]10 }11 ended");
  EXPECT_EQ(brackets_of(R"({"\"}":"\\"})"), "{0 }11 ended");
}

TEST(JsonBrackets, TextMayEndAnywhere) {
  EXPECT_EQ(brackets_of(R"({"a)"), "{0 in a string");
  EXPECT_EQ(brackets_of(R"({"a\)"), "{0 in a string");
  EXPECT_EQ(brackets_of("]}"), "]0 }1 ended");
  EXPECT_EQ(brackets_of(""), "ended");
}

}  // namespace
}  // namespace lockstep

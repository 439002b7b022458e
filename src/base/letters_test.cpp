// Letters of ASCII and nothing else.
#include "base/letters.h"

#include <gtest/gtest.h>

namespace lockstep {
namespace {

TEST(Letters, OnlyThoseOfAsciiBecomeSmall) {
  EXPECT_EQ(in_small_letters("AZ az 09 @[`{ \xC3\x84"), "az az 09 @[`{ \xC3\x84");
  EXPECT_EQ(in_small_letters(""), "");
}

TEST(Letters, OnlyThoseOfAsciiBecomeCapitals) {
  EXPECT_EQ(capital_letter('a'), 'A');
  EXPECT_EQ(capital_letter('z'), 'Z');
  for (const char c : {'A', '`', '{', '9', '\xE4'}) EXPECT_EQ(capital_letter(c), c);
}

TEST(Letters, NeighboursOfLettersAreNone) {
  for (const char c : {'@', '[', '`', '{', '0', '\xC4'}) EXPECT_FALSE(is_letter(c)) << c;
  for (const char c : {'A', 'Z', 'a', 'z'}) EXPECT_TRUE(is_letter(c)) << c;
  EXPECT_TRUE(is_digit('0') && is_digit('9'));
  EXPECT_FALSE(is_digit('/') || is_digit(':'));
}

}  // namespace
}  // namespace lockstep

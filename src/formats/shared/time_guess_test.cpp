// What bare times tell.
#include "formats/shared/time_guess.h"

#include <gtest/gtest.h>

namespace lockstep::formats::shared {
namespace {

TEST(TimeGuess, TimesBetween2001And2100AreSince1970) {
  constexpr WideTime kSecond = 1'000'000'000;
  EXPECT_FALSE(is_since_1970(0));
  EXPECT_FALSE(is_since_1970(999'999'999 * kSecond));
  EXPECT_TRUE(is_since_1970(1'000'000'000 * kSecond));
  EXPECT_TRUE(is_since_1970(1'700'000'000 * kSecond));
  EXPECT_TRUE(is_since_1970(4'102'444'800 * kSecond));
  EXPECT_FALSE(is_since_1970(4'102'444'801 * kSecond));
  EXPECT_FALSE(is_since_1970(-1'700'000'000 * kSecond));
}

TEST(TimeGuess, AZeroIsLostWhenTheOriginIsMoreThanAnHourAway) {
  constexpr WideTime kHour = WideTime{3'600} * 1'000'000'000'000;
  EXPECT_FALSE(is_lost_zero(0, kHour));
  EXPECT_TRUE(is_lost_zero(0, kHour + 1));
  EXPECT_TRUE(is_lost_zero(0, -kHour - 1));
  EXPECT_FALSE(is_lost_zero(1, kHour + 1));
}

}  // namespace
}  // namespace lockstep::formats::shared

// Claims on objects of one line and on the digits of their numbers.
#include "report/sinks/json_row.h"

#include <limits>

#include <gtest/gtest.h>

namespace lockstep::report::sinks {
namespace {

TEST(JsonRow, MembersStandOnOneLine) {
  EXPECT_EQ(JsonRow().finish(), "{}");
  EXPECT_EQ(JsonRow().member("a", "x\ny").raw("b", "1.500").member("c", nullptr).finish(),
            R"({"a": "x\ny", "b": 1.500, "c": null})");
}

TEST(JsonRow, BytesThatAreNotUtf8AreReplaced) {
  EXPECT_EQ(JsonRow().member("a", "\xFF").finish(), "{\"a\": \"\xEF\xBF\xBD\"}");
}

TEST(JsonRow, ListsAreJoined) {
  EXPECT_EQ(json_list({}), "[]");
  const std::vector<std::string> two = {"1", "{}"};
  EXPECT_EQ(json_list(two), "[1, {}]");
}

TEST(ExactNumbers, MillisecondsHaveSixDecimalsAndMicrosecondsThree) {
  EXPECT_EQ(exact_ms(Time{155'985'800'000}), "155.985800");
  EXPECT_EQ(exact_ms(Time{0}), "0.000000");
  EXPECT_EQ(exact_us(Time{17'902'502'000}), "17902.502");
  EXPECT_EQ(exact_us(Time{1'000'000}), "1.000");
}

TEST(ExactNumbers, PicosecondsAreRoundedDown) {
  EXPECT_EQ(exact_ms(Time{1'999}), "0.000001");
  EXPECT_EQ(exact_us(Time{1'999}), "0.001");
  EXPECT_EQ(exact_us(Time{-1}), "-0.001");
}

TEST(ExactNumbers, TimesBeyondDoublesKeepTheirDigits) {
  EXPECT_EQ(exact_us(WideTime{1'700'000'000'123'456'789} * 1000), "1700000000123456.789");
}

TEST(ExactNumbers, RatiosHaveSixDecimals) {
  EXPECT_EQ(exact_ratio(0.2894423), "0.289442");
  EXPECT_EQ(exact_ratio(std::numeric_limits<double>::quiet_NaN()), "0.000000");
}

}  // namespace
}  // namespace lockstep::report::sinks

// Claims on numbers, dates and names as people read them.
#include "base/text.h"

#include <array>
#include <limits>
#include <optional>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace lockstep {
namespace {

TEST(HumanBytes, UnitsArePowersOfTen) {
  EXPECT_EQ(human_bytes(0), "0 B");
  EXPECT_EQ(human_bytes(999), "999 B");
  EXPECT_EQ(human_bytes(1'000), "1.0 kB");
  EXPECT_EQ(human_bytes(36'700'000), "36.7 MB");
  EXPECT_EQ(human_bytes(1'000'000'000), "1.0 GB");
  EXPECT_EQ(human_bytes(2'500'000'000'000), "2.5 TB");
  EXPECT_EQ(human_bytes(std::numeric_limits<std::uint64_t>::max()), "18446.7 PB");
}

TEST(HumanBytes, RoundingNeverShowsAThousandOfAUnit) {
  EXPECT_EQ(human_bytes(999'949), "999.9 kB");
  EXPECT_EQ(human_bytes(999'950), "1.0 MB");
  EXPECT_EQ(human_bytes(999'999'999), "1.0 GB");
}

TEST(HumanTime, UnitFollowsMagnitude) {
  EXPECT_EQ(human_time(Time{0}), "0 ns");
  EXPECT_EQ(human_time(Time{999'000}), "999 ns");
  EXPECT_EQ(human_time(Time{1'000'000}), "1.000 us");
  EXPECT_EQ(human_time(Time{39'837'000'000}), "39.837 ms");
  EXPECT_EQ(human_time(Time{2'500'000'000'000}), "2.500 s");
  EXPECT_EQ(human_time(Time{-1'500'000}), "-1.500 us");
  EXPECT_EQ(human_time(Time{7'200'000'000'000'000}), "7200.000 s");
}

TEST(HumanTime, RoundingNeverShowsAThousandOfAUnit) {
  EXPECT_EQ(human_time(Time{999'400}), "999 ns");
  EXPECT_EQ(human_time(Time{999'600}), "1.000 us");
  EXPECT_EQ(human_time(Time{999'999'400}), "999.999 us");
  EXPECT_EQ(human_time(Time{999'999'600}), "1.000 ms");
  EXPECT_EQ(human_time(Time{-999'999'999'999}), "-1.000 s");
}

TEST(HumanTime, LessThanHalfANanosecondHasNoSign) {
  EXPECT_EQ(human_time(Time{400}), "0 ns");
  EXPECT_EQ(human_time(Time{-400}), "0 ns");
}

TEST(Counted, OneIsSingular) {
  EXPECT_EQ(counted(1, "kernel"), "1 kernel");
  EXPECT_EQ(counted(0, "kernel"), "0 kernels");
  EXPECT_EQ(counted(17'344, "kernel"), "17,344 kernels");
}

TEST(Grouped, CommasStandBetweenThousands) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1'000), "1,000");
  EXPECT_EQ(grouped(17'344), "17,344");
  EXPECT_EQ(grouped(123'456), "123,456");
  EXPECT_EQ(grouped(std::numeric_limits<std::uint64_t>::max()), "18,446,744,073,709,551,615");
}

RC_GTEST_PROP(GroupedProperties, WithoutCommasItIsTheNumber, (std::uint64_t number)) {
  std::string text = grouped(number);
  for (std::size_t i = text.size(); i > 3; i -= 4) RC_ASSERT(i < 4 || text[i - 4] == ',');
  std::erase(text, ',');
  RC_ASSERT(text == std::to_string(number));
}

TEST(UtcDate, IsTheDateOfTheSecond) {
  EXPECT_EQ(utc_date(0), "1970-01-01 00:00:00 UTC");
  EXPECT_EQ(utc_date(1'794'717'492'999'999'999), "2026-11-15 04:38:12 UTC");
  EXPECT_EQ(utc_date(std::numeric_limits<std::int64_t>::max()), "2262-04-11 23:47:16 UTC");
}

TEST(UtcDate, TimesBeforeTheEpochRoundDownToo) {
  EXPECT_EQ(utc_date(-1), "1969-12-31 23:59:59 UTC");
}

TEST(NearestWord, FindsSlipsOfTheFinger) {
  constexpr std::array<std::string_view, 4> kWords = {"info", "convert", "cycles", "compare"};
  EXPECT_EQ(nearest_word("inof", kWords), "info");
  EXPECT_EQ(nearest_word("covert", kWords), "convert");
  EXPECT_EQ(nearest_word("cycle", kWords), "cycles");
  EXPECT_EQ(nearest_word("comparre", kWords), "compare");
  EXPECT_EQ(nearest_word("info", kWords), "info");
}

TEST(NearestWord, FarWordsAreNotMeant) {
  constexpr std::array<std::string_view, 2> kWords = {"info", "convert"};
  EXPECT_EQ(nearest_word("xyz", kWords), "");
  EXPECT_EQ(nearest_word("report", kWords), "");
  EXPECT_EQ(nearest_word("info", {}), "");
}

TEST(NearestWord, FirstOfEquallyNearWordsIsTaken) {
  constexpr std::array<std::string_view, 2> kWords = {"cast", "cost"};
  EXPECT_EQ(nearest_word("cust", kWords), "cast");
}

// The code points of `text` by the table of the Unicode standard (3-7); nothing when it is not
// well-formed UTF-8.
std::optional<std::vector<char32_t>> decoded(std::string_view text) {
  std::vector<char32_t> points;
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const std::size_t size = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    if ((lead >= 0x80 && lead < 0xC0) || lead >= 0xF8 || i + size > text.size()) return {};
    char32_t point = size == 1 ? lead : lead & (0x7FU >> size);
    for (std::size_t k = 1; k < size; ++k) {
      const auto next = static_cast<unsigned char>(text[i + k]);
      if (next < 0x80 || next > 0xBF) return {};
      point = point << 6 | (next & 0x3FU);
    }
    constexpr std::array<char32_t, 5> kSmallest = {0, 0, 0x80, 0x800, 0x10000};
    const bool is_surrogate = point >= 0xD800 && point < 0xE000;
    if (point < kSmallest[size] || point > 0x10FFFF || is_surrogate) return {};
    points.push_back(point);
    i += size;
  }
  return points;
}

TEST(ValidUtf8, WellFormedTextStays) {
  for (const char* text :
       {"", "plain", "\x7F", "\xC2\x80", "\xDF\xBF", "\xE0\xA0\x80", "\xED\x9F\xBF", "\xEE\x80\x80",
        "\xEF\xBF\xBF", "\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF", "na\xC3\xAFve \xE6\xBC\xA2"}) {
    EXPECT_EQ(valid_utf8(text), text);
  }
  EXPECT_EQ(valid_utf8(std::string_view("a\0b", 3)), std::string_view("a\0b", 3));
}

TEST(ValidUtf8, EveryBadByteBecomesOneReplacement) {
  struct Case {
    const char* text;
    std::size_t replacements;
  };
  for (const Case c : {Case{"\x80", 1},
                       {"\xFF", 1},
                       {"\xC0\x80", 2},          // overlong NUL
                       {"\xC1\xBF", 2},          // overlong DEL
                       {"\xE0\x9F\xBF", 3},      // overlong
                       {"\xF0\x8F\xBF\xBF", 4},  // overlong
                       {"\xED\xA0\x80", 3},      // surrogate
                       {"\xED\xBF\xBF", 3},      // surrogate
                       {"\xF4\x90\x80\x80", 4},  // beyond U+10FFFF
                       {"\xF5\x80\x80\x80", 4},
                       {"\xC3", 1},  // cut off
                       {"\xE6\xBC", 2},
                       {"\xF0\x9F\x98", 3}}) {
    std::string expected = "a";
    for (std::size_t i = 0; i < c.replacements; ++i) expected += "\xEF\xBF\xBD";
    EXPECT_EQ(valid_utf8("a" + std::string(c.text) + "z"), expected + "z");
    EXPECT_EQ(valid_utf8("a" + std::string(c.text)), expected);
  }
}

// Bytes that are often nearly UTF-8.
std::string any_bytes() {
  const std::string alphabet =
      "az\x7F\x80\x8F\x90\x9F\xA0\xBF\xC0\xC1\xC2\xDF\xE0\xE1\xED\xEE\xEF\xF0\xF1\xF4\xF5\xFF";
  return *rc::gen::container<std::string>(rc::gen::elementOf(alphabet));
}

RC_GTEST_PROP(ValidUtf8Properties, OutputIsAlwaysWellFormed, ()) {
  RC_ASSERT(decoded(valid_utf8(any_bytes())).has_value());
}

RC_GTEST_PROP(ValidUtf8Properties, OnlyIllFormedTextIsChanged, ()) {
  const std::string text = any_bytes();
  RC_ASSERT(decoded(text).has_value() == (valid_utf8(text) == text));
}

TEST(BeginningOf, EndsBetweenCharactersAndSaysThatMoreFollows) {
  EXPECT_EQ(beginning_of("kernel", 6), "kernel");
  EXPECT_EQ(beginning_of("kernels", 6), "kernel...");
  EXPECT_EQ(beginning_of("kerne\u00E4", 6), "kerne...");
  EXPECT_EQ(beginning_of("kern\xFF!!", 6), "kern...");
  EXPECT_EQ(beginning_of("kern\xFF!!", 7), "kern\xFF!!");
}

}  // namespace
}  // namespace lockstep

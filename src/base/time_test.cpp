// Claims on exact time; parsing is compared with arithmetic on strings of digits.
#include "base/time.h"

#include <array>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace lockstep {
namespace {

constexpr std::size_t kLongestResult = 30;  // digits; anything longer is absurdly large

// A JSON number in pieces, so that the oracle need not scan one.
struct Number {
  bool negative = false;
  std::string integer = "0";
  std::string fraction;
  int exponent = 0;

  [[nodiscard]] std::string text() const {
    std::string out = (negative ? "-" : "") + integer;
    if (!fraction.empty()) out += "." + fraction;
    if (exponent != 0) out += "e" + std::to_string(exponent);
    return out;
  }
};

std::string without_leading_zeros(std::string digits) {
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size()));
  return digits;
}

std::string plus_one(std::string digits) {
  for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit) {
    if (*digit != '9') {
      ++*digit;
      return digits;
    }
    *digit = '0';
  }
  return "1" + digits;
}

bool rounds_up(const std::string& kept, const std::string& rest) {
  const std::string half = "5" + std::string(rest.size() - 1, '0');
  const bool is_odd = !kept.empty() && (kept.back() - '0') % 2 == 1;
  return rest > half || (rest == half && is_odd);
}

// The digits of `number` * 10^shift rounded half to even, with its sign; empty when too large.
std::string slow_product(const Number& number, int shift) {
  std::string kept = number.integer + number.fraction;
  const int scale = number.exponent + shift - static_cast<int>(number.fraction.size());
  std::string rest = "0";
  if (scale >= 0) {
    kept.append(static_cast<std::size_t>(scale), '0');
  } else {
    const auto places = static_cast<std::size_t>(-scale);
    if (kept.size() < places) kept.insert(0, places - kept.size(), '0');
    rest = kept.substr(kept.size() - places);
    kept.resize(kept.size() - places);
  }
  kept = without_leading_zeros(kept);
  if (kept.size() > kLongestResult) return "";
  if (rounds_up(kept, rest)) kept = plus_one(kept);
  if (kept.empty()) return "0";
  return (number.negative ? "-" : "") + kept;
}

std::string digits_of(std::optional<WideTime> value) {
  if (!value) return "";
  if (*value == 0) return "0";
  std::string out;
  const bool negative = *value < 0;
  for (WideTime rest = negative ? -*value : *value; rest != 0; rest /= 10) {
    out.insert(out.begin(), static_cast<char>('0' + static_cast<int>(rest % 10)));
  }
  return (negative ? "-" : "") + out;
}

std::string any_digits(std::size_t at_least, std::size_t at_most) {
  const auto count = *rc::gen::inRange(at_least, at_most + 1);
  // Zeros and fives are frequent: they make ties and carries.
  const std::string alphabet = "0123456789000055559999";
  return *rc::gen::container<std::string>(count, rc::gen::elementOf(alphabet));
}

Number any_number(std::size_t longest_part) {
  return {*rc::gen::arbitrary<bool>(), any_digits(1, longest_part), any_digits(0, longest_part),
          *rc::gen::inRange(-45, 45)};
}

RC_GTEST_PROP(ParseDecimalProperties, AgreesWithArithmeticOnDigits, ()) {
  for (int i = 0; i < 20; ++i) {
    const Number number = any_number(20);
    const int shift = *rc::gen::element(-6, 0, 3, 6, 9);
    RC_ASSERT(digits_of(parse_decimal(number.text(), shift)) == slow_product(number, shift));
  }
}

RC_GTEST_PROP(ParseDecimalProperties, AgreesOnNumbersLongerThanTheResult, ()) {
  for (int i = 0; i < 20; ++i) {
    const Number number = any_number(60);
    RC_ASSERT(digits_of(parse_decimal(number.text(), 6)) == slow_product(number, 6));
  }
}

RC_GTEST_PROP(ParseDecimalProperties, AgreesOnPlainTimestamps, ()) {
  Number number{false, any_digits(1, 19), any_digits(0, 12), 0};
  const int shift = *rc::gen::element(0, 3, 6, 9);
  RC_ASSERT(digits_of(parse_decimal(number.text(), shift)) == slow_product(number, shift));
}

RC_GTEST_PROP(ParseDecimalProperties, TiesGoToTheEvenNeighbourAtEveryPlace, ()) {
  Number number{*rc::gen::arbitrary<bool>(), any_digits(1, 24), any_digits(6, 6) + "5", 0};
  number.fraction.append(*rc::gen::inRange<std::size_t>(0, 40), '0');
  const auto value = parse_decimal(number.text(), 6);
  RC_ASSERT(value.has_value());
  RC_ASSERT(*value % 2 == 0);
  RC_ASSERT(digits_of(value) == slow_product(number, 6));
}

RC_GTEST_PROP(ParseDecimalProperties, OneDigitFarBelowATieBreaksIt, ()) {
  Number number{false, any_digits(1, 24), any_digits(6, 6) + "5", 0};
  const Number below{false, number.integer, number.fraction.substr(0, 6), 0};
  number.fraction += std::string(*rc::gen::inRange<std::size_t>(0, 60), '0') + "1";
  RC_ASSERT(parse_decimal(number.text(), 6) == *parse_decimal(below.text(), 6) + 1);
}

RC_GTEST_PROP(ParseDecimalProperties, ExponentMovesThePoint, ()) {
  const std::string digits = any_digits(1, 12);
  const int places = *rc::gen::inRange(0, 700);
  const auto zeros = static_cast<std::size_t>(places);
  const auto plain = parse_decimal(digits, 0);
  RC_ASSERT(plain ==
            parse_decimal(digits + std::string(zeros, '0') + "E-" + std::to_string(places), 0));
  RC_ASSERT(plain == parse_decimal("0." + std::string(zeros, '0') + digits + "e+" +
                                       std::to_string(zeros + digits.size()),
                                   0));
}

TEST(ParseDecimal, ReadsWhatKinetoWrites) {
  EXPECT_EQ(parse_decimal("1731646692123456.789", kMicrosecondsToPicoseconds),
            WideTime{1'731'646'692'123'456'789} * 1000);
  EXPECT_EQ(parse_decimal("-12.5", kMicrosecondsToPicoseconds), -12'500'000);
  EXPECT_EQ(parse_decimal("1.7e3", kNanosecondsToPicoseconds), 1'700'000);
  EXPECT_EQ(parse_decimal("-0", 6), 0);
  EXPECT_EQ(parse_decimal("0.0000005", 6), 0);
  EXPECT_EQ(parse_decimal("0.0000015", 6), 2);
  EXPECT_EQ(parse_decimal("-0.0000015", 6), -2);
}

TEST(ParseDecimal, RefusesWhatIsNoJsonNumber) {
  for (const char* text :
       {"",      "-",     "+",   "+1",  ".5",       "-.5",  "1.",   "1.e3", "1e",
        "1e+",   "1e-",   "NaN", "nan", "Infinity", "0x1",  "1 ",   " 1",   "1,5",
        "1.2.3", "1e2.5", "--1", "1-",  "e5",       "1e5x", "1_000"}) {
    EXPECT_EQ(parse_decimal(text, 6), std::nullopt) << text;
  }
  EXPECT_EQ(parse_decimal(std::string_view("1\0", 2), 6), std::nullopt);
}

TEST(ParseDecimal, RefusesEveryForeignByteAtEveryPlace) {
  for (std::size_t at = 0; at < 16; ++at) {
    for (int byte = 0; byte < 256; ++byte) {
      const char c = static_cast<char>(byte);
      const bool may_stand = (c >= '0' && c <= '9') || c == '.' || c == '-' || c == 'e' || c == 'E';
      std::string text = "1763193600123485";
      text[at] = c;
      if (may_stand) continue;
      EXPECT_EQ(parse_decimal(text, 6), std::nullopt) << at << ": " << byte;
    }
  }
}

TEST(ParseDecimal, RefusesWhatIsAbsurdlyLarge) {
  EXPECT_TRUE(parse_decimal("1e29", 0).has_value());
  EXPECT_TRUE(parse_decimal("1.0000000000000000000000000000000000e29", 0).has_value());
  for (const char* text :
       {"1e30", "1e400", "-1e99999999999999999999", "0.01e32", "1000000000000000000000000000000",
        "-9999999999999999999999999999999999999999"}) {
    EXPECT_EQ(parse_decimal(text, 0), std::nullopt) << text;
  }
}

TEST(ParseDecimal, VanishingNumbersAndZerosAreZero) {
  EXPECT_EQ(parse_decimal("1e-400", 6), 0);
  EXPECT_EQ(parse_decimal("-9e-99999999999999999999", 6), 0);
  EXPECT_EQ(parse_decimal("0e99999999999999999999", 6), 0);
}

RC_GTEST_PROP(FormatDecimalProperties, ParsingGivesTheValueBack, (std::int64_t high, int low)) {
  const WideTime value = WideTime{high} * 10'000'000 + low;
  const int shift = *rc::gen::element(0, 3, 6, 9, 12);
  const int min_decimals = *rc::gen::inRange(0, shift + 3);
  const std::string text = format_decimal(value, shift, min_decimals);
  RC_ASSERT(parse_decimal(text, shift) == value);
}

RC_GTEST_PROP(FormatDecimalProperties, NoZeroStandsBeyondTheMinimum, (std::int64_t value)) {
  const int min_decimals = *rc::gen::inRange(0, 7);
  const std::string text = format_decimal(value, 6, min_decimals);
  const std::size_t point = text.find('.');
  const std::size_t decimals = point == std::string::npos ? 0 : text.size() - point - 1;
  RC_ASSERT(decimals >= static_cast<std::size_t>(min_decimals));
  RC_ASSERT(decimals == static_cast<std::size_t>(min_decimals) || text.back() != '0');
  RC_ASSERT(text.back() != '.');
}

TEST(FormatDecimal, PrintsExactly) {
  EXPECT_EQ(format_decimal(1'234'500'000, 6, 3), "1234.500");
  EXPECT_EQ(format_decimal(1'234'567'891, 6, 3), "1234.567891");
  EXPECT_EQ(format_decimal(-1, 6, 3), "-0.000001");
  EXPECT_EQ(format_decimal(0, 6, 3), "0.000");
  EXPECT_EQ(format_decimal(0, 6, 0), "0");
  EXPECT_EQ(format_decimal(-70'000'000, 6, 0), "-70");
  EXPECT_EQ(format_decimal(120, 0, 0), "120");
  EXPECT_EQ(format_decimal(1, 3, 5), "0.00100");
}

TEST(FloorNs, RoundsTowardsMinusInfinity) {
  struct Case {
    std::int64_t ps;
    std::int64_t ns;
  };
  for (const Case c : {Case{0, 0},
                       {999, 0},
                       {1000, 1},
                       {-1, -1},
                       {-999, -1},
                       {-1000, -1},
                       {-1001, -2},
                       {INT64_MIN, -9'223'372'036'854'776}}) {
    EXPECT_EQ(floor_ns(Time{c.ps}), c.ns) << c.ps;
    EXPECT_EQ(floor_to_ns(WideTime{c.ps}), WideTime{c.ns} * 1000) << c.ps;
  }
}

TEST(TimeArithmetic, WhatDoesNotFitStopsAtTheEndsOfTheRange) {
  constexpr Time kEarliest{INT64_MIN};
  constexpr Time kLatest{INT64_MAX};
  constexpr Time kFar{kMaxDistanceFromOriginPs};
  constexpr Time kFarBack{-kMaxDistanceFromOriginPs};
  EXPECT_EQ(kFar - kFarBack, kLatest);
  EXPECT_EQ(kFarBack - kFar, kEarliest);
  EXPECT_EQ(kFar + kFar, kLatest);
  EXPECT_EQ(kFarBack + kFarBack, kEarliest);
  Time sum = kFar;
  sum += kFar;
  EXPECT_EQ(sum, kLatest);
  EXPECT_EQ(kFar + kFarBack, Time{0});
  EXPECT_EQ(kLatest - kLatest, Time{0});
}

TEST(Narrow, HundredDaysAreTheLimitOnBothSides) {
  constexpr std::int64_t kLimit = 8'640'000'000'000'000'000;
  const WideTime origin = WideTime{1'731'646'692'123'456'789} * 1000;
  EXPECT_EQ(narrow(origin, origin), Time{0});
  EXPECT_EQ(narrow(origin + kLimit, origin), Time{kLimit});
  EXPECT_EQ(narrow(origin - kLimit, origin), Time{-kLimit});
  EXPECT_EQ(narrow(origin + kLimit + 1, origin), std::nullopt);
  EXPECT_EQ(narrow(origin - kLimit - 1, origin), std::nullopt);
}

TEST(Clock, NamesAreStable) {
  const std::array names = {name_of(Clock::kEpoch), name_of(Clock::kBoot), name_of(Clock::kSession),
                            name_of(Clock::kUnknown)};
  EXPECT_THAT(names, testing::ElementsAre("epoch", "boot", "session", "unknown"));
}

}  // namespace
}  // namespace lockstep

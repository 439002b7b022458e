// Claims on rounding that keeps the sum.
#include "algo/statistics/largest_remainder.h"

#include <numeric>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace lockstep::algo {
namespace {

using Column = std::vector<WideTime>;
using Rounded = std::vector<std::int64_t>;

TEST(LargestRemainder, NothingStaysNothing) { EXPECT_EQ(round_to_sum({}, 7), Rounded{}); }

TEST(LargestRemainder, WholeNumbersStay) {
  EXPECT_EQ(round_to_sum(Column{20, -30, 0}, 10), (Rounded{2, -3, 0}));
}

TEST(LargestRemainder, LargestRemaindersAreRoundedUp) {
  // 0.5 + 0.9 + 0.7 = 2.1
  EXPECT_EQ(round_to_sum(Column{5, 9, 7}, 10), (Rounded{0, 1, 1}));
}

TEST(LargestRemainder, FirstOfEqualRemaindersIsRoundedUp) {
  EXPECT_EQ(round_to_sum(Column{5, 5, 5}, 10), (Rounded{1, 0, 0}));
}

TEST(LargestRemainder, NegativeNumbersAreRoundedDownFirst) {
  // -0.3 + 1.4 = 1.1: -1 and 1 are one short, and .7 is a larger remainder than .4.
  EXPECT_EQ(round_to_sum(Column{-3, 14}, 10), (Rounded{0, 1}));
}

TEST(LargestRemainder, SumsBeyond64BitsAreExact) {
  const WideTime large = WideTime{9'000'000'000'000'000'000} * 1000;
  EXPECT_EQ(round_to_sum(Column{large + 600, -large + 600}, 1000),
            (Rounded{9'000'000'000'000'000'001, -9'000'000'000'000'000'000}));
}

RC_GTEST_PROP(LargestRemainderProperties, SumIsKeptAndNoNumberMovesByOne, ()) {
  const auto small = *rc::gen::container<std::vector<std::int32_t>>(rc::gen::arbitrary<int>());
  const WideTime denominator = *rc::gen::inRange<std::int32_t>(1, 1000);
  const Column column(small.begin(), small.end());
  const Rounded rounded = round_to_sum(column, denominator);
  WideTime sum = 0;
  WideTime rounded_sum = 0;
  for (std::size_t i = 0; i < column.size(); ++i) {
    sum += column[i];
    rounded_sum += rounded[i];
    const WideTime moved = WideTime{rounded[i]} * denominator - column[i];
    RC_ASSERT(moved > -denominator);
    RC_ASSERT(moved < denominator);
  }
  RC_ASSERT(rounded_sum == floor_divide(sum, denominator));
}

}  // namespace
}  // namespace lockstep::algo

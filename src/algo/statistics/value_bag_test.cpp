// A bag of values against a plain vector of them.
#include "algo/statistics/value_bag.h"

#include <algorithm>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace lockstep::algo {
namespace {

OrderStatistics slow(std::vector<std::int64_t> values) {
  std::ranges::sort(values);
  const auto at = [&](unsigned percent) {
    const std::size_t hundredths = (values.size() - 1) * percent;
    const WideTime low = values[hundredths / 100];
    const WideTime high = values[(hundredths + 99) / 100];
    return static_cast<std::int64_t>(low +
                                     (high - low) * static_cast<WideTime>(hundredths % 100) / 100);
  };
  return {values.front(), at(50), at(95), values.back()};
}

ValueBag bag_of(const std::vector<std::int64_t>& values) {
  ValueBag bag;
  for (const std::int64_t value : values) bag.add(value);
  return bag;
}

// Enough for counters to be used: `narrow` of 32 bits and the others beside them.
std::vector<std::int64_t> many_values(std::size_t narrow, std::size_t negative, std::size_t large) {
  std::mt19937_64 random(narrow + negative + large);
  std::vector<std::int64_t> values;
  for (std::size_t i = 0; i < narrow; ++i)
    values.push_back(static_cast<std::int64_t>(random() & (i % 2 == 0 ? 0xFFFFFU : 0xFFFFFFFFU)));
  for (std::size_t i = 0; i < negative; ++i)
    values.push_back(-1 - static_cast<std::int64_t>(random() >> 2U));
  for (std::size_t i = 0; i < large; ++i)
    values.push_back((std::int64_t{1} << 32U) + static_cast<std::int64_t>(random() >> 2U));
  return values;
}

TEST(ValueBag, ManySmallValuesAreCountedExactly) {
  const auto values = many_values(200'000, 0, 0);
  EXPECT_EQ(bag_of(values).size(), values.size());
  EXPECT_EQ(bag_of(values).order_statistics(), slow(values));
}

TEST(ValueBag, AnEvenNumberIsSplitBetweenTheMiddleTwo) {
  std::vector<std::int64_t> values(100'000, 1'000);
  std::fill(values.begin() + 50'000, values.end(), 2'001);
  EXPECT_EQ(bag_of(values).order_statistics(), (OrderStatistics{1'000, 1'500, 2'001, 2'001}));
  // The upper of the two needs more than four bytes.
  std::fill(values.begin() + 50'000, values.end(), (std::int64_t{1} << 40U) + 1'000);
  EXPECT_EQ(bag_of(values).order_statistics().p50, (std::int64_t{1} << 39U) + 1'000);
}

TEST(ValueBag, RanksThatFallOnWideValuesAreFoundThere) {
  for (const auto& values :
       {many_values(70'000, 0, 90'000), many_values(70'000, 90'000, 0),
        many_values(100'000, 3'000, 8'000), many_values(70'000, 150'000, 20'000)}) {
    EXPECT_EQ(bag_of(values).order_statistics(), slow(values));
  }
}

TEST(ValueBag, OnlyWideValuesNeedNoCounters) {
  const auto values = many_values(0, 40'000, 40'000);
  EXPECT_EQ(bag_of(values).order_statistics(), slow(values));
}

TEST(ValueBag, LimitsOfTheTypeAndOfFourBytesAreKept) {
  const std::vector<std::int64_t> values = {std::numeric_limits<std::int64_t>::min(), 0,
                                            0xFFFF'FFFF, 0x1'0000'0000,
                                            std::numeric_limits<std::int64_t>::max()};
  EXPECT_EQ(bag_of(values).order_statistics(), slow(values));
}

TEST(ValueBag, AbsorbedBagIsEmptyAndItsValuesAreAdded) {
  const auto first = many_values(90'000, 10, 10);
  const auto second = many_values(50'000, 20, 30);
  ValueBag bag = bag_of(first);
  ValueBag other = bag_of(second);
  bag.absorb(std::move(other));
  bag.add(5);
  std::vector<std::int64_t> all = first;
  all.insert(all.end(), second.begin(), second.end());
  all.push_back(5);
  EXPECT_EQ(bag.size(), all.size());
  EXPECT_EQ(bag.order_statistics(), slow(all));
}

RC_GTEST_PROP(ValueBag, AgreesWithSorting, ()) {
  const auto values = *rc::gen::nonEmpty(rc::gen::arbitrary<std::vector<std::int64_t>>());
  RC_ASSERT(bag_of(values).order_statistics() == slow(values));
}

}  // namespace
}  // namespace lockstep::algo

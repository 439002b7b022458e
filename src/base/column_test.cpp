// Claims on the growable column; every history is compared with std::vector.
#include "base/column.h"

#include <cstdint>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace lockstep {
namespace {

using testing::ElementsAre;

Column<std::int64_t> column_of(std::initializer_list<std::int64_t> values) {
  Column<std::int64_t> column;
  for (const std::int64_t value : values) column.push_back(value);
  return column;
}

TEST(Column, NewColumnIsEmptyAndOwnsNothing) {
  const Column<int> column;
  EXPECT_TRUE(column.empty());
  EXPECT_EQ(column.capacity(), 0U);
  EXPECT_EQ(column.begin(), column.end());
}

TEST(Column, ValuesSurviveGrowth) {
  Column<std::int64_t> column;
  for (std::int64_t i = 0; i < 100'000; ++i) column.push_back(3 * i);
  ASSERT_EQ(column.size(), 100'000U);
  for (std::int64_t i = 0; i < 100'000; ++i) {
    ASSERT_EQ(column[static_cast<std::size_t>(i)], 3 * i);
  }
  EXPECT_EQ(column.back(), 299'997);
}

TEST(Column, ItsOwnValueCanBeAppendedWhileItGrows) {
  Column<std::int64_t> column = column_of({7});
  while (column.size() < column.capacity()) column.push_back(0);
  column.push_back(column[0]);
  EXPECT_EQ(column.back(), 7);
}

TEST(Column, ReservingKeepsValuesAndNeverShrinks) {
  Column<std::int64_t> column = column_of({1, 2, 3});
  column.reserve(5'000);
  EXPECT_EQ(column.capacity(), 5'000U);
  column.reserve(10);
  EXPECT_EQ(column.capacity(), 5'000U);
  const std::int64_t* before = column.data();
  for (std::int64_t i = 3; i < 5'000; ++i) column.append_within_capacity(i);
  EXPECT_EQ(column.data(), before);
  EXPECT_EQ(column.size(), 5'000U);
  EXPECT_EQ(column[1], 2);
}

TEST(Column, CopyIsIndependent) {
  Column<std::int64_t> column = column_of({1, 2, 3});
  Column<std::int64_t> copy = column;
  copy[0] = 9;
  copy.push_back(4);
  EXPECT_THAT(column, ElementsAre(1, 2, 3));
  EXPECT_THAT(copy, ElementsAre(9, 2, 3, 4));
  column = copy;
  EXPECT_THAT(column, ElementsAre(9, 2, 3, 4));
}

TEST(Column, CopyOfAnEmptyColumnCanBeFilled) {
  const Column<std::int64_t> empty;
  Column<std::int64_t> copy = empty;
  copy.push_back(1);
  EXPECT_THAT(copy, ElementsAre(1));
}

TEST(Column, AssigningAColumnToItselfKeepsIt) {
  Column<std::int64_t> column = column_of({1, 2});
  const Column<std::int64_t>& alias = column;
  column = alias;
  EXPECT_THAT(column, ElementsAre(1, 2));
}

TEST(Column, MovingHandsOverTheStorage) {
  Column<std::int64_t> column = column_of({1, 2});
  const std::int64_t* data = column.data();
  const Column<std::int64_t> moved = std::move(column);
  EXPECT_EQ(moved.data(), data);
  EXPECT_THAT(moved, ElementsAre(1, 2));
}

TEST(Column, TruncatedColumnGoesOnFromThere) {
  Column<std::int64_t> column = column_of({1, 2, 3, 4});
  column.truncate(2);
  EXPECT_THAT(column, ElementsAre(1, 2));
  column.push_back(9);
  EXPECT_THAT(column, ElementsAre(1, 2, 9));
  column.truncate(0);
  EXPECT_TRUE(column.empty());
}

RC_GTEST_PROP(ColumnProperties, HoldsWhatAVectorHolds, (const std::vector<std::int16_t>& steps)) {
  Column<std::int16_t> column;
  std::vector<std::int16_t> expected;
  for (const std::int16_t step : steps) {
    if (step % 7 == 0) {
      expected.resize(expected.size() / 2);
      column.truncate(column.size() / 2);
    }
    for (int i = 0; i < 30; ++i) {
      expected.push_back(step);
      column.push_back(step);
    }
  }
  RC_ASSERT(std::vector<std::int16_t>(column.begin(), column.end()) == expected);
}

}  // namespace
}  // namespace lockstep

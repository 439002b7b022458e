// Ids that count up and ids that do not, in one table.
#include "formats/shared/id_table.h"

#include <gtest/gtest.h>

#include "formats/shared/id_index.h"

namespace lockstep::formats::shared {
namespace {

TEST(IdTable, FindsDenseAndSparseIds) {
  IdTable<int> table(-1);
  table.set(1, 10);
  table.set(2, 20);
  table.set(std::int64_t{1} << 60, 30);
  table.set(-5, 40);
  EXPECT_EQ(table.find(1), 10);
  EXPECT_EQ(table.find(2), 20);
  EXPECT_EQ(table.find(std::int64_t{1} << 60), 30);
  EXPECT_EQ(table.find(-5), 40);
  EXPECT_EQ(table.find(3), -1);
  EXPECT_EQ(table.find(-1), -1);
}

TEST(IdTable, TheLastRowOfAnIdCounts) {
  IdTable<int> table(-1);
  table.set(5000, 1);  // beyond what few rows make dense
  for (int i = 0; i < 2000; ++i) table.set(i, i);
  table.set(5000, 2);
  EXPECT_EQ(table.find(5000), 2);
}

TEST(IdTable, TheFirstRowOfAnIdCountsWhereItIsAdded) {
  IdTable<int> table(-1);
  EXPECT_TRUE(table.add(7, 1));
  EXPECT_FALSE(table.add(7, 2));
  EXPECT_TRUE(table.add(-7, 3));
  EXPECT_FALSE(table.add(-7, 4));
  EXPECT_EQ(table.find(7), 1);
  EXPECT_EQ(table.find(-7), 3);
}

TEST(IdTable, AnIdIsKeptWhenTheVectorReachesIt) {
  IdIndex index;
  EXPECT_TRUE(index.add(6000, 1));  // beyond what few rows make dense
  for (std::uint32_t i = 0; i < 5900; ++i) EXPECT_TRUE(index.add(i, i + 2));
  EXPECT_EQ(index.find(6000), 1U);
  EXPECT_FALSE(index.add(6000, 9));
  EXPECT_EQ(index.find(5999), IdIndex::kNone);
  EXPECT_EQ(index.find(5899), 5901U);
}

}  // namespace
}  // namespace lockstep::formats::shared

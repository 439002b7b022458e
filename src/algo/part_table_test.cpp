// Tables over a part of many ids.
#include "algo/part_table.h"

#include <gtest/gtest.h>

namespace lockstep::algo {
namespace {

TEST(PartTable, WhatWasNeverSetIsNone) {
  PartTable<int> few(1'000'000, 3, -1);
  PartTable<int> many(100, 100, -1);
  EXPECT_EQ(few[999'999], -1);
  EXPECT_EQ(many[99], -1);
}

TEST(PartTable, WhatWasSetStays) {
  for (const std::size_t used : {1, 100'000}) {
    PartTable<int> table(100'000, used, 0);
    for (std::size_t id = 0; id < 100; ++id) table[id * 997] = static_cast<int>(id);
    for (std::size_t id = 0; id < 100; ++id) EXPECT_EQ(table[id * 997], static_cast<int>(id));
  }
}

TEST(PartTable, ReferencesStayValid) {
  PartTable<int> table(1'000'000, 1, 0);
  int& first = table[7];
  for (std::size_t id = 1000; id < 2000; ++id) table[id] = 1;
  first = 5;
  EXPECT_EQ(table[7], 5);
}

TEST(PartTable, OneForAFewOfManyIdsIsSmall) {
  PartTable<int> table(1'000'000, 10, 0);
  for (std::size_t id = 0; id < 10; ++id) table[id * 1000] = 1;
  EXPECT_EQ(table.slots(), 10U);
}

TEST(PartTable, AllTablesOfAPartitionAreInProportionToTheIds) {
  constexpr std::size_t kAll = 10'000;
  for (const std::size_t parts : {1, 10, 100, 10'000}) {
    std::size_t slots = 0;
    for (std::size_t part = 0; part < parts; ++part) {
      PartTable<char> table(kAll, kAll / parts, 0);
      for (std::size_t id = part; id < kAll; id += parts) table[id] = 1;
      slots += table.slots();
    }
    EXPECT_LE(slots, 65 * kAll) << parts;
  }
}

TEST(PartTable, NoIdsAreNoTable) { EXPECT_EQ(PartTable<int>(0, 0, 1).slots(), 0U); }

}  // namespace
}  // namespace lockstep::algo

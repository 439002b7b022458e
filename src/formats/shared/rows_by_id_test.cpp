// Values by ids that count up and ids that do not.
#include "formats/shared/rows_by_id.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep::formats::shared {
namespace {

using testing::ElementsAre;

TEST(RowsById, ValuesStandInTheOrderInWhichTheyCame) {
  RowsById<std::string> rows;
  rows.set(std::int64_t{1} << 60, "far");
  rows.set(-1, "below");
  rows.set(2, "near");
  EXPECT_THAT(rows.values(), ElementsAre("far", "below", "near"));
  EXPECT_EQ(*rows.find(std::int64_t{1} << 60), "far");
  EXPECT_EQ(*rows.find(-1), "below");
  EXPECT_EQ(*rows.find(2), "near");
  EXPECT_EQ(rows.find(1), nullptr);
}

TEST(RowsById, ALaterValueTakesThePlaceOfAnEarlierOne) {
  RowsById<std::string> rows;
  rows.set(7, "first");
  rows.set(8, "other");
  rows.set(7, "second");
  EXPECT_THAT(rows.values(), ElementsAre("second", "other"));
}

TEST(RowsById, ASparseIdIsFoundWhenTheDenseOnesReachIt) {
  RowsById<int> rows;
  rows.set(6000, -1);  // beyond what few rows make dense
  for (int i = 0; i < 7000; ++i) {
    if (i != 6000) rows.set(i, i);
  }
  EXPECT_EQ(*rows.find(6000), -1);
  EXPECT_EQ(*rows.find(6001), 6001);
  EXPECT_EQ(rows.values().size(), 7000);
}

}  // namespace
}  // namespace lockstep::formats::shared

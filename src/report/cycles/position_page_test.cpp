// Positions of one kernel are one row.
#include "report/cycles/position_page.h"

#include <gtest/gtest.h>

#include "report/cycles/cycles_for_test.h"

namespace lockstep::report::cycles {
namespace {

TEST(GroupedPositions, PositionsOfOneNameAreAddedUp) {
  const std::vector<PositionGroup> groups =
      grouped_positions({position_for_test("norm", 7, 0.2), position_for_test("gemm", 6, 0.3),
                         position_for_test("gemm", 10, 0.5)});
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups[0].first, 1U);
  EXPECT_EQ(groups[0].positions, 2U);
  EXPECT_EQ(groups[0].count, 8U);
  EXPECT_EQ(groups[0].sum, WideTime{64} * kPicosecondsPerMicrosecond);
  EXPECT_DOUBLE_EQ(groups[0].mean_ps(), 8e6);
  EXPECT_EQ(groups[0].min, test_us(5));
  EXPECT_EQ(groups[0].max, test_us(11));
  EXPECT_DOUBLE_EQ(groups[0].share, 0.8);
  EXPECT_DOUBLE_EQ(groups[0].stddev_ps, 2.5e6);  // 1.5 inside each, 2 between them
  EXPECT_EQ(groups[1].first, 0U);
  EXPECT_DOUBLE_EQ(groups[1].stddev_ps, 1.5e6);
}

TEST(GroupedPositions, OfNoneThereIsNone) { EXPECT_TRUE(grouped_positions({}).empty()); }

}  // namespace
}  // namespace lockstep::report::cycles

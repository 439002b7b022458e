// Claims on rows of bars.
#include "report/layout/sparkline.h"

#include <vector>

#include <gtest/gtest.h>

namespace lockstep::report::layout {
namespace {

TEST(Sparkline, BarsGrowFromZeroToTheLongest) {
  const std::vector<Time> times = {Time{0}, Time{1}, Time{2}, Time{4}, Time{8}};
  EXPECT_EQ(sparkline(times, 24), "▁▁▂▄█");
}

TEST(Sparkline, EqualTimesAreFullBars) {
  const std::vector<Time> times(3, Time{7});
  EXPECT_EQ(sparkline(times, 24), "███");
}

TEST(Sparkline, SharedBarsShowTheLongestOfTheirTimes) {
  std::vector<Time> times(100, Time{1});
  times[37] = Time{8};
  EXPECT_EQ(sparkline(times, 4), "▁█▁▁");
}

TEST(Sparkline, NothingAndZerosAreNoTrouble) {
  EXPECT_EQ(sparkline({}, 24), "");
  const std::vector<Time> zeros(2, Time{0});
  EXPECT_EQ(sparkline(zeros, 24), "▁▁");
  EXPECT_EQ(sparkline(zeros, 0), "");
}

}  // namespace
}  // namespace lockstep::report::layout

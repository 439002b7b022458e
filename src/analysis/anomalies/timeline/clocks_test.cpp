// Claims on the four clocks and on what it means that they disagree.
#include "analysis/anomalies/timeline/clocks.h"

#include <gtest/gtest.h>

#include "analysis/anomalies/timeline/timeline_for_test.h"

namespace lockstep::analysis::anomalies {
namespace {

Clocks clocks_of(const TestDevice& device) {
  const DeviceTimeline timeline = device.timeline();
  const std::vector<KernelGaps> gaps = kernel_gaps(timeline);
  ClockSum sum;
  for (std::size_t i = 0; i < gaps.size(); ++i) sum.add(timeline.kernels[i], gaps[i]);
  return sum.clocks();
}

TEST(Clocks, NothingTakesNoTime) {
  EXPECT_TRUE(ClockSum().empty());
  EXPECT_EQ(ClockSum().clocks().wall, us(0));
}

TEST(Clocks, GapIsInWallAndInTotalCost) {
  TestDevice device;
  device.add("a", 100, 10);
  device.add("b", 140, 10);
  const Clocks clocks = clocks_of(device);
  EXPECT_EQ(clocks.wall, us(50));
  EXPECT_EQ(clocks.busy, us(20));
  EXPECT_EQ(clocks.kernel_sum, us(20).ps);
  EXPECT_EQ(clocks.total_cost, us(50).ps);
}

TEST(Clocks, OverlapCountsOnceInBusyAndTwiceInTheSum) {
  TestDevice device;
  device.add("a", 0, 30);
  device.add_to(device.other, "b", 10, 10);
  device.add_to(device.other, "c", 25, 10);
  const Clocks clocks = clocks_of(device);
  EXPECT_EQ(clocks.wall, us(35));
  EXPECT_EQ(clocks.busy, us(35));
  EXPECT_EQ(clocks.kernel_sum, us(50).ps);
}

Clocks clocks(std::int64_t wall, std::int64_t busy, std::int64_t sum, std::int64_t cost) {
  return {us(wall), us(busy), us(sum).ps, us(cost).ps};
}

TEST(ClockReadings, BeginAtTheFactor) {
  using enum ClockReading;
  EXPECT_EQ(readings_of(clocks(100, 100, 119, 119)), ClockReadings{});
  EXPECT_EQ(readings_of(clocks(100, 100, 120, 120)), ClockReadings{kOverlap});
  EXPECT_EQ(readings_of(clocks(119, 100, 100, 100)), ClockReadings{});
  EXPECT_EQ(readings_of(clocks(120, 100, 100, 100)), ClockReadings{kBubbles});
  EXPECT_EQ(readings_of(clocks(100, 100, 100, 119)), ClockReadings{});
  EXPECT_EQ(readings_of(clocks(100, 100, 100, 120)), ClockReadings{kWaitHeavy});
}

TEST(ClockReadings, DisagreeFromTheThresholdOn) {
  Thresholds thresholds;
  thresholds.clocks_disagree = 1.5;
  EXPECT_EQ(readings_of(clocks(149, 100, 100, 100), thresholds), ClockReadings{});
  EXPECT_EQ(readings_of(clocks(150, 100, 100, 100), thresholds),
            ClockReadings{ClockReading::kBubbles});
}

TEST(ClockReadings, NothingDisagreesWithNothing) { EXPECT_TRUE(readings_of(Clocks{}).empty()); }

TEST(ClockReadings, HaveTheNamesOfTheSpec) {
  EXPECT_EQ(name_of(ClockReading::kOverlap), "overlap");
  EXPECT_EQ(name_of(ClockReading::kBubbles), "bubbles");
  EXPECT_EQ(name_of(ClockReading::kWaitHeavy), "wait_heavy");
}

}  // namespace
}  // namespace lockstep::analysis::anomalies

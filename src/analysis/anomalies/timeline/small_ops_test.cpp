// Claims on when small kernels matter, and for what.
#include "analysis/anomalies/timeline/small_ops.h"

#include <gtest/gtest.h>

#include "analysis/anomalies/timeline/timeline_for_test.h"

namespace lockstep::analysis::anomalies {
namespace {

SmallOps judged(const TestDevice& device, std::vector<algo::Interval> apart = {}) {
  const DeviceTimeline timeline = device.timeline();
  return judge_small_ops(timeline, kernel_gaps(timeline), std::move(apart), Thresholds{});
}

TEST(SmallOps, KernelAtTheLimitIsNotSmall) {
  TestDevice device;
  device.add("a", 0, 10);
  device.add("b", 10, 9);
  const SmallOps small = judged(device);
  EXPECT_EQ(small.count, 1U);
  EXPECT_EQ(small.all, 2U);
  EXPECT_EQ(small.duration, us(9).ps);
}

TEST(SmallOps, MatterFromATenthOfTheSpanOn) {
  TestDevice device;
  device.add("large", 0, 900);
  device.add("small", 991, 9);
  EXPECT_TRUE(judged(device).matters);

  TestDevice calm;
  calm.add("large", 0, 901);
  calm.add("small", 991, 9);
  EXPECT_FALSE(judged(calm).matters);
}

TEST(SmallOps, LongGapsAreNoLaunchGaps) {
  TestDevice device;
  device.add("large", 0, 50);
  device.add("small", 60, 5);
  device.add("small", 1065, 5);
  const SmallOps small = judged(device, {{us(165).ps, us(1065).ps}, {us(65).ps, us(265).ps}});
  EXPECT_EQ(small.gaps, us(10).ps);
  EXPECT_EQ(small.apart, us(1000).ps);
  EXPECT_EQ(small.span, us(1070));
  EXPECT_EQ(small.limit_us, 10);
  EXPECT_FALSE(small.matters);
}

TEST(SmallOps, CollectivesAreNotCounted) {
  TestDevice device;
  device.add("hcom", 0, 5, trace::Kind::kCommunication);
  device.add("a", 5, 50);
  const SmallOps small = judged(device);
  EXPECT_EQ(small.count, 0U);
  EXPECT_EQ(small.all, 1U);
  EXPECT_FALSE(small.matters);

  TestDevice nothing;
  nothing.add("hcom", 0, 0, trace::Kind::kCommunication);
  EXPECT_FALSE(judged(nothing).matters);
}

}  // namespace
}  // namespace lockstep::analysis::anomalies

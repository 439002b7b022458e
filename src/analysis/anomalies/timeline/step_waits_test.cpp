// Claims on which steps have wait anchors, polluted waits and exposed AI CPU kernels.
#include "analysis/anomalies/timeline/step_waits.h"

#include <gtest/gtest.h>

#include "analysis/anomalies/timeline/timeline_for_test.h"

namespace lockstep::analysis::anomalies {
namespace {

StepWaits waits_of(const TestDevice& device, const std::vector<std::uint32_t>& kernels) {
  const DeviceTimeline timeline = device.timeline();
  return step_waits(timeline, kernel_gaps(timeline), device.table(), kernels, Thresholds{});
}

TEST(StepWaits, OnlyTheStepWithTheKernelHasTheAnchor) {
  TestDevice device;
  device.add("large", 0, 100);
  device.add("fill", 1100, 2);
  EXPECT_FALSE(waits_of(device, {0}).has_wait_anchor);
  EXPECT_TRUE(waits_of(device, {1}).has_wait_anchor);
}

TEST(StepWaits, OnlyTheStepWithTheKernelHasThePollution) {
  TestDevice device;
  device.add("large", 0, 100);
  device.add_to(device.other, "hcom", 50, 950, trace::Kind::kCommunication);
  device.add("next", 1000, 100);
  EXPECT_FALSE(waits_of(device, {0, 1}).has_wait_pollution);
  EXPECT_TRUE(waits_of(device, {2}).has_wait_pollution);
}

TEST(StepWaits, OnlyExposedAiCpuKernelsCount) {
  TestDevice device;
  device.add("large", 0, 100);
  device.add_to(device.other, "Masked", 10, 50, trace::Kind::kAiCpu);
  device.add("Exposed", 100, 30, trace::Kind::kAiCpu);
  const StepWaits waits = waits_of(device, {0, 1, 2});
  EXPECT_EQ(waits.aicpu.exposed, us(30));
  EXPECT_EQ(waits.aicpu.exposed_count, 1U);
  EXPECT_FALSE(waits.aicpu.touches_bubble);
  EXPECT_EQ(waits_of(device, {0, 1}).aicpu.exposed_count, 0U);
}

// An exposed AI CPU kernel with a gap of so many microseconds before or after it.
bool touches(std::int64_t before, std::int64_t after) {
  TestDevice device;
  device.add("large", 0, 100);
  device.add("Exposed", 100 + before, 30, trace::Kind::kAiCpu);
  device.add("next", 130 + before + after, 100);
  return waits_of(device, {0, 1, 2}).aicpu.touches_bubble;
}

TEST(StepWaits, AiCpuKernelTouchesTheGapOnEitherSide) {
  EXPECT_TRUE(touches(10, 0));
  EXPECT_FALSE(touches(9, 0));
  EXPECT_TRUE(touches(0, 10));
  EXPECT_FALSE(touches(0, 9));
}

TEST(StepWaits, GapAfterAnotherKernelIsNotTouched) {
  TestDevice device;
  device.add("large", 0, 100);
  device.add("Exposed", 100, 30, trace::Kind::kAiCpu);
  device.add_to(device.other, "hcom", 120, 20, trace::Kind::kCommunication);
  device.add("next", 200, 100);
  EXPECT_FALSE(waits_of(device, {0, 1, 2, 3}).aicpu.touches_bubble);
}

}  // namespace
}  // namespace lockstep::analysis::anomalies

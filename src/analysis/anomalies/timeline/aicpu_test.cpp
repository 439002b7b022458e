// Claims on what hides an AI CPU kernel.
#include "analysis/anomalies/timeline/aicpu.h"

#include <gtest/gtest.h>

#include "analysis/anomalies/timeline/timeline_for_test.h"

namespace lockstep::analysis::anomalies {
namespace {

AicpuRow row_of(const TestDevice& device) {
  return aicpu_rows(device.timeline(), Thresholds{}).at(0);
}

// 100 us on the AI CPU of which `hidden` run beside a kernel.
AicpuRow hidden_for(std::int64_t hidden) {
  TestDevice device;
  device.add_to(device.other, "Cast", 0, 100, trace::Kind::kAiCpu);
  if (hidden > 0) device.add("MatMul", 100 - hidden, 500);
  return row_of(device);
}

TEST(Aicpu, ClassesBeginAtTheirLimits) {
  EXPECT_EQ(hidden_for(90).aicpu, AicpuClass::kMasked);
  EXPECT_EQ(hidden_for(89).aicpu, AicpuClass::kPartlyExposed);
  EXPECT_EQ(hidden_for(20).aicpu, AicpuClass::kPartlyExposed);
  EXPECT_EQ(hidden_for(19).aicpu, AicpuClass::kExposed);
  EXPECT_EQ(hidden_for(0).aicpu, AicpuClass::kExposed);
}

TEST(Aicpu, MaskedIsTheOverlap) {
  const AicpuRow row = hidden_for(30);
  EXPECT_EQ(row.masked, us(30));
  EXPECT_EQ(row.duration, us(100));
}

TEST(Aicpu, KernelsThatOverlapEachOtherHideOnce) {
  TestDevice device;
  device.add_to(device.other, "Cast", 0, 100, trace::Kind::kAiCpu);
  device.add("a", 0, 50);
  device.add("b", 25, 50);
  EXPECT_EQ(row_of(device).masked, us(75));
}

TEST(Aicpu, NeitherCollectivesNorTheAiCpuHide) {
  TestDevice device;
  device.add_to(device.other, "Cast", 0, 100, trace::Kind::kAiCpu);
  device.add("hcom", 0, 100, trace::Kind::kCommunication);
  device.add("Cast", 1, 99, trace::Kind::kAiCpu);
  EXPECT_EQ(row_of(device).masked, us(0));
}

TEST(Aicpu, DeviceWithoutAiCpuHasNoRows) {
  TestDevice device;
  device.add("a", 0, 50);
  EXPECT_TRUE(aicpu_rows(device.timeline(), Thresholds{}).empty());
}

}  // namespace
}  // namespace lockstep::analysis::anomalies

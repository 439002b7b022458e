// Claims on what is of the block and what of the side.
#include "analysis/anomalies/structure/block_side.h"

#include <gtest/gtest.h>

#include "analysis/anomalies/structure/structure_for_test.h"

namespace lockstep::analysis::anomalies {
namespace {

TEST(BlockOrSide, BlockIsWhatComputesOnTheMainStreamForLong) {
  const trace::TrackId main{1};
  const DeviceWork large{us(0), us(10),     trace::kNoEvent,     trace::kNoEvent,
                         main,  StringId{}, trace::Kind::kKernel};
  EXPECT_TRUE(is_of_block(large, main, us(10)));
  DeviceWork other = large;
  other.track = trace::TrackId{2};
  EXPECT_FALSE(is_of_block(other, main, us(10)));
  other = large;
  other.kind = trace::Kind::kCommunication;
  EXPECT_FALSE(is_of_block(other, main, us(10)));
  other.kind = trace::Kind::kAiCpu;
  EXPECT_FALSE(is_of_block(other, main, us(10)));
  EXPECT_FALSE(is_of_block(large, main, us(11)));
}

TEST(BlockOrSide, SizeDecidesUnlessSmallKernelsAreTheWork) {
  TestStep step;
  step.device.add("large", 0, 15);
  step.device.add("small", 15, 8);
  step.device.add("small", 23, 7);
  step.settle();
  EXPECT_EQ(block_limit(step.input(), step.device.main, {}), us(10));
  step.device.add("small", 30, 1);
  step.settle();
  EXPECT_EQ(block_limit(step.input(), step.device.main, {}), us(0));
}

TEST(BlockOrSide, OnlyComputingOfTheMainStreamDecidesOnSize) {
  TestStep step;
  step.device.add("large", 0, 15);
  step.device.add_to(step.device.other, "small", 0, 9);
  step.device.add_to(step.device.other, "small", 9, 9);
  step.device.add("hcom", 15, 9, trace::Kind::kCommunication);
  step.device.add("hcom", 24, 9, trace::Kind::kCommunication);
  step.settle();
  EXPECT_EQ(block_limit(step.input(), step.device.main, {}), us(10));
}

TEST(BlockOrSide, OperatorsAreRankedByCostAndByDuration) {
  TestStep step;
  step.device.add("work", 0, 50);
  step.device.add("waiter", 100, 10);
  step.device.add("waiter", 150, 10);
  step.settle();
  const BlockOrSide part = sum_up(step.input(), step.kernels);
  EXPECT_EQ(part.kernels, 3U);
  EXPECT_EQ(part.clocks.wall, us(160));
  ASSERT_EQ(part.ops.size(), 2U);
  EXPECT_EQ(step.ops.rows[part.ops[0].row].text, "waiter");
  EXPECT_EQ(part.ops[0].count, 2U);
  EXPECT_EQ(part.ops[0].clocks.wall, us(60));
  EXPECT_EQ(part.ops[0].clocks.busy, us(20));
  EXPECT_EQ(part.ops[0].clocks.kernel_sum, us(20).ps);
  EXPECT_EQ(part.ops[0].clocks.total_cost, us(110).ps);
  EXPECT_EQ(part.by_duration, (std::vector<std::uint32_t>{1, 0}));
  EXPECT_TRUE(part.readings.has(ClockReading::kBubbles));
}

}  // namespace
}  // namespace lockstep::analysis::anomalies

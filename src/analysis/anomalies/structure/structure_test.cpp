// Claims on steps taken apart, and on sums that must agree whatever the step.
#include "analysis/anomalies/structure/structure.h"

#include <algorithm>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "analysis/anomalies/structure/structure_for_test.h"

namespace lockstep::analysis::anomalies {
namespace {

TEST(Structure, StepWithoutKernelsHasNone) {
  TestStep step;
  step.add_kernels(1);
  step.settle();
  step.kernels.clear();
  const StructureBreakdown breakdown = break_down(step.input(), {});
  EXPECT_TRUE(breakdown.structures.empty());
  EXPECT_EQ(breakdown.evidence, StructureEvidence::kNone);
}

// Two layers of two kernels of 20 us with 5 us between kernels, and a tail.
TestStep two_layers() {
  TestStep step;
  step.add_kernels(5);
  step.settle();
  step.add_loop(cycles::LoopRole::kLayer, cycles::PhaseName::kDecode, 0, 2, 2);
  step.end = us(500);
  return step;
}

TEST(Structure, BubblesAreInsideStructuresOrBetweenThem) {
  const TestStep step = two_layers();
  const StructureBreakdown breakdown = break_down(step.input(), {});
  ASSERT_EQ(breakdown.structures.size(), 3U);
  const Structure& second = breakdown.structures[1];
  EXPECT_EQ(second.name.number, 2U);
  EXPECT_EQ(second.start, us(50));
  EXPECT_EQ(second.end, us(95));
  EXPECT_EQ(second.first_kernel, 2U);
  EXPECT_EQ(second.last_kernel, 3U);
  EXPECT_EQ(second.gap_before, us(5));
  EXPECT_EQ(second.bubbles_inside, us(5));
  EXPECT_EQ(second.largest_bubble, us(5));
  EXPECT_EQ(second.largest_before, 2U);
  EXPECT_EQ(second.largest_after, 3U);
  EXPECT_DOUBLE_EQ(second.share_of_step, 0.09);
  EXPECT_EQ(breakdown.structures[0].gap_before, us(0));
  EXPECT_EQ(breakdown.bubbles_inside, us(10).ps);
  EXPECT_EQ(breakdown.bubbles_between, us(10).ps);
  EXPECT_EQ(breakdown.clocks.wall, us(120));
  EXPECT_EQ(breakdown.clocks.busy, us(100));
  EXPECT_TRUE(breakdown.readings.has(ClockReading::kBubbles));
}

TEST(Structure, LargestBubbleIsKnownByTheKernelsAroundIt) {
  TestStep step;
  step.device.add("a", 0, 10);
  step.device.add("b", 15, 10);
  step.device.add("c", 34, 10);
  step.device.add("d", 50, 10);
  step.settle();
  const Structure whole = break_down(step.input(), {}).structures.at(0);
  EXPECT_EQ(whole.bubbles_inside, us(20));
  EXPECT_EQ(whole.largest_bubble, us(9));
  EXPECT_EQ(whole.largest_before, 1U);
  EXPECT_EQ(whole.largest_after, 2U);
}

TEST(Structure, TypesSumUpTheirStructures) {
  const TestStep step = two_layers();
  const StructureBreakdown breakdown = break_down(step.input(), {});
  ASSERT_EQ(breakdown.types.size(), 2U);
  const StructureType& layers = breakdown.types[0];
  EXPECT_EQ(layers.kind, StructureKind(LoopBody{.role = cycles::LoopRole::kLayer,
                                                .phase = cycles::PhaseName::kDecode,
                                                .kernels = 2}));
  EXPECT_EQ(layers.count, 2U);
  EXPECT_EQ(layers.clocks.wall, us(90));
  EXPECT_EQ(layers.clocks.busy, us(80));
  EXPECT_EQ(layers.clocks.kernel_sum, us(80).ps);
  EXPECT_EQ(layers.clocks.total_cost, us(95).ps);
  EXPECT_EQ(layers.bubbles_inside, us(10).ps);
  EXPECT_EQ(layers.gaps_before, us(5).ps);
  EXPECT_EQ(breakdown.types[1].kind, StructureKind(RestOfStep::kTail));
}

TEST(Structure, WorkOfAStructureBeforeIsNoBubble) {
  TestStep step;
  step.add_kernels(4);
  step.device.add_to(step.device.other, "hcom", 45, 100, trace::Kind::kCommunication);
  step.settle();
  step.add_loop(cycles::LoopRole::kLayer, cycles::PhaseName::kUnknown, 0, 2, 2);
  const StructureBreakdown breakdown = break_down(step.input(), {});
  ASSERT_EQ(breakdown.structures.size(), 2U);
  EXPECT_EQ(breakdown.structures[1].bubbles_inside, us(0));
  EXPECT_EQ(breakdown.structures[1].clocks.wall, us(45));
  EXPECT_EQ(breakdown.structures[1].clocks.busy, us(40));
}

TEST(Structure, SharesAreByKind) {
  TestStep step;
  step.device.add("a", 0, 50);
  step.device.add("Cast", 50, 20, trace::Kind::kAiCpu);
  step.device.add("hcom", 70, 30, trace::Kind::kCommunication);
  step.settle();
  const Structure whole = break_down(step.input(), {}).structures.at(0);
  EXPECT_DOUBLE_EQ(whole.computing_share, 0.5);
  EXPECT_DOUBLE_EQ(whole.aicpu_share, 0.2);
  EXPECT_DOUBLE_EQ(whole.communication_share, 0.3);
  EXPECT_EQ(whole.block.kernels, 1U);
  EXPECT_EQ(whole.side.kernels, 2U);
}

// Kernels of any length, overlap and kind on two streams; the step has some of them.
TestStep any_step() {
  TestStep step;
  const auto count = *rc::gen::inRange<std::uint32_t>(1, 40);
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto start = *rc::gen::inRange<std::int64_t>(0, 2000);
    const auto duration = *rc::gen::inRange<std::int64_t>(0, 60);
    const bool is_main = *rc::gen::arbitrary<bool>();
    const trace::Kind kind =
        *rc::gen::element(trace::Kind::kKernel, trace::Kind::kCommunication, trace::Kind::kAiCpu);
    step.device.add_to(is_main ? step.device.main : step.device.other,
                       *rc::gen::element<std::string>("a", "b", "c"), start, duration, kind);
  }
  step.settle();
  std::erase_if(step.kernels, [](std::uint32_t) { return *rc::gen::inRange(0, 5) == 0; });
  const auto of_stream = static_cast<std::uint32_t>(step.cycles.streams.front().stream.size());
  const auto period = *rc::gen::inRange<std::uint32_t>(1, 5);
  const auto first = *rc::gen::inRange<std::uint32_t>(0, 3);
  if (first + 2 * period <= of_stream) {
    step.add_loop(cycles::LoopRole::kLayer, cycles::PhaseName::kUnknown, first, period,
                  (of_stream - first) / period);
  }
  return step;
}

std::int64_t slow_gaps(const TestStep& step) {
  std::vector<algo::Interval> own;
  for (const std::uint32_t kernel : step.kernels) {
    const DeviceWork& work = step.timeline.kernels[kernel];
    own.push_back({work.start.ps, work.end.ps});
  }
  if (own.empty()) return 0;
  const auto last = std::ranges::max_element(own, {}, &algo::Interval::end)->end;
  return last - own.front().begin - static_cast<std::int64_t>(algo::union_length(own));
}

void check_parts(const TestStep& step, const Structure& structure) {
  RC_ASSERT(structure.block.kernels + structure.side.kernels == structure.kernels);
  RC_ASSERT(structure.block.clocks.kernel_sum + structure.side.clocks.kernel_sum ==
            structure.clocks.kernel_sum);
  RC_ASSERT(structure.block.clocks.total_cost + structure.side.clocks.total_cost ==
            structure.clocks.total_cost);
  for (const BlockOrSide* part : {&structure.block, &structure.side}) {
    std::uint32_t kernels = 0;
    WideTime sum = 0;
    for (const OpShare& op : part->ops) {
      kernels += op.count;
      sum += op.clocks.kernel_sum;
      RC_ASSERT(op.clocks.busy <= op.clocks.wall);
      RC_ASSERT(op.clocks.kernel_sum >= op.clocks.busy.ps);
      RC_ASSERT(op.row < step.ops.rows.size());
    }
    RC_ASSERT(kernels == part->kernels);
    RC_ASSERT(sum == part->clocks.kernel_sum);
  }
}

RC_GTEST_PROP(Structure, SumsAgreeAtEveryLevel, ()) {
  const TestStep step = any_step();
  const StructureBreakdown breakdown = break_down(step.input(), {});
  std::uint32_t kernels = 0;
  WideTime sum = 0;
  WideTime cost = 0;
  for (const Structure& structure : breakdown.structures) {
    RC_ASSERT(structure.first_kernel == step.kernels[kernels]);
    kernels += structure.kernels;
    RC_ASSERT(structure.kernels > 0U);
    RC_ASSERT(structure.last_kernel == step.kernels[kernels - 1]);
    sum += structure.clocks.kernel_sum;
    cost += structure.clocks.total_cost;
    check_parts(step, structure);
  }
  RC_ASSERT(kernels == step.kernels.size());
  RC_ASSERT(sum == breakdown.clocks.kernel_sum);
  RC_ASSERT(cost == breakdown.clocks.total_cost);
}

RC_GTEST_PROP(Structure, BubblesInsideAndBetweenAreAllGapsOfTheStep, ()) {
  const TestStep step = any_step();
  const StructureBreakdown breakdown = break_down(step.input(), {});
  RC_ASSERT(breakdown.bubbles_inside + breakdown.bubbles_between == slow_gaps(step));
}

}  // namespace
}  // namespace lockstep::analysis::anomalies

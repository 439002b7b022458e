// Claims on structures from loops.
#include "analysis/anomalies/structure/loop_cuts.h"

#include <gtest/gtest.h>

#include "analysis/anomalies/structure/structure_for_test.h"

namespace lockstep::analysis::anomalies {
namespace {

std::string cuts_of(const TestStep& step) {
  return text_of(loop_cuts(step.input(), step.device.main));
}

LoopBody body_of(const StructureCut& cut) { return std::get<LoopBody>(cut.name.kind); }

struct PlannedLoop {
  cycles::LoopRole role = cycles::LoopRole::kLayer;
  cycles::PhaseName phase = cycles::PhaseName::kUnknown;
  std::uint32_t first = 0;  // kernel of the step
  std::uint32_t period = 0;
  std::uint32_t count = 0;
};

void add_loops(TestStep& step, std::initializer_list<PlannedLoop> loops) {
  for (const PlannedLoop& loop : loops)
    step.add_loop(loop.role, loop.phase, loop.first, loop.period, loop.count);
}

TestStep looping_step(std::uint32_t kernels, std::initializer_list<PlannedLoop> loops) {
  TestStep step;
  step.add_kernels(kernels);
  step.settle();
  add_loops(step, loops);
  return step;
}

TEST(LoopCuts, LayersOfTwoLoopsWithWhatLiesAround) {
  const TestStep step = looping_step(
      14, {{.phase = cycles::PhaseName::kForward, .first = 1, .period = 2, .count = 2},
           {.phase = cycles::PhaseName::kBackward, .first = 6, .period = 3, .count = 2}});
  const auto cuts = loop_cuts(step.input(), step.device.main);
  EXPECT_EQ(text_of(cuts),
            "head@0 forward/layer#1@1 forward/layer#2@3 between@5 backward/layer#1@6 "
            "backward/layer#2@9 tail@12");
  EXPECT_EQ(body_of(cuts[1]).kernels, 2U);
  EXPECT_EQ(body_of(cuts[4]).kernels, 3U);
  EXPECT_TRUE(cuts[1].is_layer);
  EXPECT_FALSE(cuts[0].is_layer);
}

TEST(LoopCuts, LayersThatFillTheStepLeaveNoRest) {
  TestStep step = looping_step(4, {{.period = 2, .count = 2}});
  EXPECT_EQ(cuts_of(step), "unknown/layer#1@0 unknown/layer#2@2");
}

TEST(LoopCuts, BodiesThatAreCalledTheSameAreTwoKinds) {
  TestStep step =
      looping_step(8, {{.period = 2, .count = 2}, {.first = 4, .period = 2, .count = 2}});
  const auto cuts = loop_cuts(step.input(), step.device.main);
  EXPECT_EQ(text_of(cuts),
            "unknown/layer#1@0 unknown/layer#2@2 unknown/layer#1@4 unknown/layer#2@6");
  EXPECT_EQ(body_of(cuts[0]).alike, 1U);
  EXPECT_EQ(body_of(cuts[2]).alike, 2U);
}

TEST(LoopCuts, OnlyIterationsInsideTheStepCount) {
  TestStep step = looping_step(8, {{.period = 2, .count = 4}});
  step.kernels = {1, 2, 3, 4, 5, 6};
  EXPECT_EQ(cuts_of(step), "head@0 unknown/layer#1@1 unknown/layer#2@3 tail@5");
}

TEST(LoopCuts, StepInTheMiddleHasTheInstanceThatLiesInIt) {
  TestStep step = looping_step(15, {{.period = 2, .count = 2}});
  std::vector<cycles::LoopInstance>& instances =
      step.cycles.streams.front().nest.loops[0].instances;
  instances.push_back({.iterations = {{5, 7}, {7, 9}}});
  instances.push_back({.iterations = {{10, 12}, {12, 14}}});
  step.kernels = {5, 6, 7, 8};
  EXPECT_EQ(cuts_of(step), "unknown/layer#1@0 unknown/layer#2@2");
  step.kernels = {8, 9, 10, 11, 12, 13, 14};
  EXPECT_EQ(cuts_of(step), "head@0 unknown/layer#1@2 unknown/layer#2@4 tail@6");
}

TEST(LoopCuts, IterationWithAKernelOfAnotherStepIsNotInside) {
  TestStep step = looping_step(8, {{.period = 2, .count = 4}});
  step.kernels = {0, 1, 2, 4, 5, 6, 7};
  EXPECT_EQ(cuts_of(step), "unknown/layer#1@0 between@2 unknown/layer#2@3 unknown/layer#3@5");
}

TEST(LoopCuts, OneIterationDividesNothing) {
  TestStep step = looping_step(8, {{.period = 4, .count = 2}});
  step.kernels = {0, 1, 2, 3};
  EXPECT_EQ(cuts_of(step), "");
}

TEST(LoopCuts, KernelsOfOtherStreamsBelongToTheLayerInWhoseTimeTheyStart) {
  TestStep step;
  step.device.add_to(step.device.other, "early", -5, 1);
  step.add_kernels(4);
  step.device.add_to(step.device.other, "late", 30, 100);
  step.settle();
  add_loops(step, {{.period = 2, .count = 2}});
  EXPECT_EQ(cuts_of(step), "unknown/layer#1@0 unknown/layer#2@4");
}

TEST(LoopCuts, KernelsThatStartTogetherKeepTheirPlaces) {
  TestStep step;
  for (const std::string name : {"a", "b", "c", "d"}) step.device.add(name, 10, 20);
  step.settle();
  add_loops(step, {{.period = 2, .count = 2}});
  EXPECT_EQ(cuts_of(step), "unknown/layer#1@0 unknown/layer#2@2");
}

TEST(LoopCuts, WithoutLayersTheOutermostLoopsOfTheStepServe) {
  TestStep step = looping_step(21, {{.role = cycles::LoopRole::kStep, .period = 20, .count = 1},
                                    {.role = cycles::LoopRole::kUnknown, .period = 10, .count = 2},
                                    {.role = cycles::LoopRole::kInner, .period = 5, .count = 4}});
  EXPECT_EQ(cuts_of(step), "unknown/unknown#1@0 unknown/unknown#2@10 tail@20");
  EXPECT_FALSE(loop_cuts(step.input(), step.device.main)[0].is_layer);
}

TEST(LoopCuts, OtherLoopsMustBeHalfOfTheStepAndHaveSomeKernels) {
  TestStep step = looping_step(21, {{.role = cycles::LoopRole::kPass, .period = 5, .count = 2}});
  EXPECT_EQ(cuts_of(step), "");
  step.kernels.pop_back();
  EXPECT_EQ(cuts_of(step), "unknown/pass#1@0 unknown/pass#2@5 tail@10");

  EXPECT_EQ(
      cuts_of(looping_step(8, {{.role = cycles::LoopRole::kUnknown, .period = 4, .count = 2}})),
      "");
}

TEST(LoopCuts, StreamWithoutLoopsHasNone) {
  TestStep step = looping_step(4, {});
  EXPECT_EQ(cuts_of(step), "");
  step.cycles.streams.clear();
  EXPECT_EQ(cuts_of(step), "");
}

}  // namespace
}  // namespace lockstep::analysis::anomalies

// Which way training work goes, and what of it is a step.
#include <gtest/gtest.h>

#include "analysis/cycles/phases/phases.h"
#include "analysis/cycles/stream/work_stream_for_test.h"

namespace lockstep::analysis::cycles {
namespace {

TEST(TrainingPhases, RecomputedForwardLayersBelongToTheBackwardPass) {
  WorkStream test;
  test.kernels({kTestGemm, kTestAttention}, 4);
  test.kernels({kTestGemm, kTestAttention, kTestBackward, kTestGemm}, 4);
  test.loop(kNoLoop, {0}, 2, 4, 0);
  test.loop(kNoLoop, {8}, 4, 4, 1);
  classify(test.made.trace, test.cycles);
  EXPECT_EQ(test.cycles.loops[0].phase, PhaseName::kForward);
  EXPECT_EQ(test.cycles.loops[1].phase, PhaseName::kBackward);
  EXPECT_EQ(test.cycles.phases[0].layers, 4U) << "forward layers only";
}

TEST(TrainingPhases, LayersOfTwoMicroBatchesAtOnceGoNeitherWay) {
  WorkStream test;
  test.kernels({kTestGemm, kTestAttention, kTestBackward, kTestGemm}, 4);
  test.loop(kNoLoop, {0}, 4, 4);
  classify(test.made.trace, test.cycles);
  EXPECT_EQ(test.cycles.loops[0].phase, PhaseName::kTraining);
  EXPECT_EQ(test.cycles.phases[0].phase, PhaseName::kTraining);
  EXPECT_TRUE(test.cycles.phases[0].parts.empty()) << "it is no step that anybody knows of";
}

TEST(TrainingPhases, IterationsThatTheOptimizerEndsInTheMiddleAreNoSteps) {
  const auto role_of = [](std::uint32_t update) {
    WorkStream test;
    for (int step = 0; step < 3; ++step) {
      test.kernels({kTestGemm, kTestAttention}, 3);
      test.kernels({kTestGemm, kTestBackward, kTestGemm}, 3);
      test.kernel(kTestAdam);
    }
    test.loop(kNoLoop, {0}, 16, 3);
    for (std::uint32_t step = 0; step < 3; ++step)
      test.annotate("Optimizer.step#Adam.step", 16 * step + update, 16 * step + update + 1);
    classify(test.made.trace, test.cycles);
    EXPECT_EQ(test.cycles.phases[0].phase, PhaseName::kTraining);
    EXPECT_EQ(test.cycles.phases[0].passes, update == 15 ? 3U : 0U);
    return test.cycles.loops[0].role;
  };
  EXPECT_EQ(role_of(15), LoopRole::kStep);
  EXPECT_EQ(role_of(6), LoopRole::kUnknown);
}

TEST(TrainingPhases, OptimizersThatAnnotationsNameInSomeStepsOnlyEndThemAll) {
  WorkStream test;
  for (int step = 0; step < 6; ++step) {
    test.kernels({kTestGemm, kTestAttention}, 3);
    test.kernels({kTestGemm, kTestBackward, kTestGemm}, 3);
    test.kernel(kTestAdam);
  }
  test.loop(kNoLoop, {0}, 16, 6);
  for (const std::uint32_t step : {0U, 2U, 3U})
    test.annotate("Optimizer.step#Adam.step", 16 * step + 15, 16 * step + 16);
  classify(test.made.trace, test.cycles);
  EXPECT_EQ(test.cycles.phases[0].passes, 6U);
}

}  // namespace
}  // namespace lockstep::analysis::cycles

// Tests of rounds: several training steps, or what a model says before it learns from it.
#include <gtest/gtest.h>

#include "analysis/cycles/phases/loop_roles_for_test.h"

namespace lockstep::analysis::cycles {
namespace {

TEST(LoopRounds, StepsWithAnEvaluationBetweenThemAreInARound) {
  WorkStream test;
  for (int round = 0; round < 2; ++round) {
    for (int step = 0; step < 3; ++step) {
      test.kernels({kTestGemm, kTestAttention}, 3);
      test.kernels({kTestGemm, kTestBackward, kTestGemm}, 3);
      test.kernel(kTestAdam);
    }
    test.kernels({kTestGemm, kTestAttention}, 3);
  }
  const std::int32_t round = test.loop(kNoLoop, {0}, 54, 2);
  test.loop(round, {0, 54}, 16, 3, 1);
  EXPECT_EQ(roles(test), (std::vector{LoopRole::kRound, LoopRole::kStep}));
}

TEST(LoopRounds, AModelThatLearnsFromWhatItSaysRunsRounds) {
  WorkStream test;
  for (int round = 0; round < 2; ++round) {
    for (int pass = 0; pass < 4; ++pass) {
      test.kernels({kTestGemm, kTestAttention, kTestAdd}, 3);
      test.kernel(kTestSampling);
    }
    test.kernels({kTestGemm, kTestAttention}, 3);
    test.kernels({kTestGemm, kTestBackward, kTestGemm}, 3);
    test.kernel(kTestAdam);
  }
  const std::int32_t round = test.loop(kNoLoop, {0}, 56, 2);
  const std::int32_t pass = test.loop(round, {0, 56}, 10, 4, 1);
  test.loop(pass, {0, 10, 20, 30, 56, 66, 76, 86}, 3, 3, 2);
  EXPECT_EQ(roles(test), (std::vector{LoopRole::kRound, LoopRole::kPass, LoopRole::kLayer}));
}

TEST(LoopRounds, AndSoWhereItLearnsInSeveralMicroSteps) {
  WorkStream test;
  for (int round = 0; round < 2; ++round) {
    for (int pass = 0; pass < 8; ++pass) {
      test.kernels({kTestGemm, kTestAttention, kTestAdd}, 3);
      test.kernel(kTestSampling);
    }
    for (int micro = 0; micro < 3; ++micro) {
      test.kernels({kTestGemm, kTestAttention}, 3);
      test.kernels({kTestGemm, kTestBackward, kTestGemm}, 3);
    }
    test.kernel(kTestAdam);
  }
  const std::int32_t round = test.loop(kNoLoop, {0}, 126, 2);
  const std::int32_t pass = test.loop(round, {0, 126}, 10, 8, 1);
  std::vector<std::uint32_t> starts;
  for (std::uint32_t i = 0; i < 16; ++i) starts.push_back(i * 10 + (i < 8 ? 0 : 46));
  test.loop(pass, starts, 3, 3, 2);
  EXPECT_EQ(roles(test).front(), LoopRole::kRound);
}

}  // namespace
}  // namespace lockstep::analysis::cycles

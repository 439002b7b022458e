// Tests of roles: which loop is a step, a pass, a layer.
#include "analysis/cycles/phases/loop_roles.h"

#include <gtest/gtest.h>

#include "analysis/cycles/phases/loop_roles_for_test.h"
#include "analysis/cycles/spans/phase_spans.h"
#include "analysis/cycles/stream/work_stream_for_test.h"

namespace lockstep::analysis::cycles {
namespace {

constexpr std::string_view kSoftmaxForward =
    "void (anonymous namespace)::softmax_warp_forward<float, float, float, 10, false, false>(x)";

const std::vector<std::string_view> kLayerKernels = {kTestGemm, kTestAttention, kTestGemm,
                                                     kTestAdd};

std::uint32_t layers(const WorkStream& test, std::size_t loop) {
  return layers_per_iteration(test.cycles, WorkCounter(test.cycles.stream),
                              AnnotationPhases(test.made.trace), loop);
}

TEST(LoopRoles, ALoopWithAttentionIsALayerAndWhatHoldsItAPass) {
  WorkStream test;
  for (int pass = 0; pass < 3; ++pass) {
    test.kernel(kTestAdd);
    test.kernels(kLayerKernels, 4);
  }
  const std::int32_t pass = test.loop(kNoLoop, {0}, 17, 3);
  test.loop(pass, {1, 18, 35}, 4, 4, 1);
  EXPECT_EQ(roles(test), (std::vector{LoopRole::kPass, LoopRole::kLayer}));
  EXPECT_EQ(layers(test, 0), 4U);
}

TEST(LoopRoles, ALayerLoopOfASinglePassIsALayer) {
  WorkStream test;
  test.kernel(kTestAdd);
  test.kernels(kLayerKernels, 4);
  test.loop(kNoLoop, {1}, 4, 4);
  EXPECT_EQ(roles(test), std::vector{LoopRole::kLayer});
}

TEST(LoopRoles, LoopsInsideALayerAreInner) {
  WorkStream test;
  test.kernels({kTestGemm, kTestAttention, kTestGemm, kTestAdd, kTestGemm, kTestAdd}, 3);
  const std::int32_t layer = test.loop(kNoLoop, {0}, 6, 3);
  test.loop(layer, {2, 8, 14}, 2, 2, 1);
  EXPECT_EQ(roles(test), (std::vector{LoopRole::kLayer, LoopRole::kInner}));
}

TEST(LoopRoles, AttentionThatRunsTwiceInALayerIsNoLayerItself) {
  WorkStream test;
  test.kernels({kTestGemm, kTestAttention, kTestAttention, kTestGemm}, 3);
  const std::int32_t layer = test.loop(kNoLoop, {0}, 4, 3);
  test.loop(layer, {1, 5, 9}, 1, 2, 1);
  EXPECT_EQ(roles(test), (std::vector{LoopRole::kLayer, LoopRole::kInner}));
}

TEST(LoopRoles, LoopsWithoutMatrixWorkAreInnerInsideOthersAndUnknownOutside) {
  WorkStream test;
  test.kernels({kTestAdd, kTestSampling}, 5);
  test.kernels(kLayerKernels, 2);
  const auto outer = test.loop(kNoLoop, {0}, 4, 2);
  test.loop(outer, {0}, 2, 2);
  EXPECT_EQ(roles(test), (std::vector{LoopRole::kUnknown, LoopRole::kInner}));
}

TEST(LoopRoles, MatrixWorkWithoutAttentionIsUnknownWhereOthersHaveAttention) {
  WorkStream test;
  test.kernels({kTestGemm, kTestAdd}, 5);
  test.kernels(kLayerKernels, 2);
  test.loop(kNoLoop, {0}, 2, 5);
  EXPECT_EQ(roles(test), std::vector{LoopRole::kUnknown});
}

TEST(LoopRoles, SoftmaxCountsLayersWhereAttentionIsWrittenOut) {
  WorkStream test;
  test.kernels({kTestGemm, kTestGemm, kSoftmaxForward, kTestGemm, kTestGemm}, 3);
  test.loop(kNoLoop, {0}, 5, 3);
  EXPECT_EQ(roles(test), std::vector{LoopRole::kLayer});
  WorkStream output;  // one product: of a classifier, not of a layer
  output.kernels({kTestGemm, kSoftmaxForward, kTestAdd}, 3);
  output.loop(kNoLoop, {0}, 3, 3);
  EXPECT_EQ(roles(output), std::vector{LoopRole::kUnknown});
}

TEST(LoopRoles, SoftmaxOfSamplingIsNoLayerBesideRealAttention) {
  WorkStream test;
  test.kernels({kTestGemm, kSoftmaxForward, kTestGemm}, 3);
  test.kernels(kLayerKernels, 2);
  test.loop(kNoLoop, {0}, 3, 3);
  EXPECT_EQ(roles(test), std::vector{LoopRole::kUnknown});
}

// A step of `count` forward and backward layers and an optimizer: 7 * count + 1 kernels.
void training_step(WorkStream& test, std::uint32_t count) {
  test.kernels(kLayerKernels, count);
  test.kernels({kTestGemm, kTestBackward, kTestGemm}, count);
  test.kernel(kTestAdam);
}

TEST(LoopRoles, ForwardAndBackwardMakeAStep) {
  WorkStream test;
  for (int i = 0; i < 2; ++i) training_step(test, 3);
  const std::int32_t step = test.loop(kNoLoop, {0}, 22, 2);
  test.loop(step, {0, 22}, 4, 3, 1);
  test.loop(step, {12, 34}, 3, 3, 2);
  EXPECT_EQ(roles(test), (std::vector{LoopRole::kStep, LoopRole::kLayer, LoopRole::kLayer}));
  EXPECT_EQ(layers(test, 0), 3U) << "forward layers only";
}

TEST(LoopRoles, LayersThatAreInNoLoopCount) {
  WorkStream training;
  for (int i = 0; i < 2; ++i) {
    training.kernels({kTestGemm, kTestAttention, kTestGemm});
    training_step(training, 3);
    training.kernels({kTestBackward, kTestGemm});
  }
  const std::int32_t step = training.loop(kNoLoop, {0}, 27, 2);
  training.loop(step, {3, 30}, 4, 3, 1);
  training.loop(step, {15, 42}, 3, 3, 2);
  roles(training);
  EXPECT_EQ(layers(training, 0), 4U);

  WorkStream inference;
  for (int i = 0; i < 2; ++i) {
    inference.kernels({kTestGemm, kTestAttention, kTestAdd});
    inference.kernels(kLayerKernels, 3);
  }
  const std::int32_t pass = inference.loop(kNoLoop, {0}, 15, 2);
  inference.loop(pass, {3, 18}, 4, 3, 1);
  roles(inference);
  EXPECT_EQ(layers(inference, 0), 4U);
}

TEST(LoopRoles, MarkedIterationsAreSteps) {
  WorkStream test;
  for (int pass = 0; pass < 3; ++pass) {
    test.kernel(kTestAdd);
    test.kernels(kLayerKernels, 4);
  }
  const std::int32_t pass = test.loop(kNoLoop, {0}, 17, 3);
  test.loop(pass, {1, 18, 35}, 4, 4, 1);
  for (std::uint32_t i = 0; i < 3; ++i) {
    test.step("ProfilerStep#" + std::to_string(i), 17 * i, 17 * i + 17);
  }
  EXPECT_EQ(roles(test), (std::vector{LoopRole::kStep, LoopRole::kLayer}));
}

TEST(LoopRoles, OneMarkAroundAllIterationsMakesNoStep) {
  WorkStream test;
  for (int pass = 0; pass < 3; ++pass) {
    test.kernel(kTestAdd);
    test.kernels(kLayerKernels, 4);
  }
  const std::int32_t pass = test.loop(kNoLoop, {0}, 17, 3);
  test.loop(pass, {1, 18, 35}, 4, 4, 1);
  test.step("ProfilerStep#1", 0, 51);
  test.step("ProfilerStep#2", 51, 60);
  EXPECT_EQ(roles(test), (std::vector{LoopRole::kPass, LoopRole::kLayer}));
}

TEST(LoopRoles, PassesWhoseLayersAreNoLoopAreStillPasses) {
  WorkStream many;
  for (int pass = 0; pass < 3; ++pass) many.kernels(kLayerKernels, 9);
  many.loop(kNoLoop, {0}, 36, 3);
  EXPECT_EQ(roles(many), std::vector{LoopRole::kPass});
  EXPECT_EQ(layers(many, 0), 9U);

  WorkStream sampling;
  for (int pass = 0; pass < 3; ++pass) {
    sampling.kernels(kLayerKernels, 2);
    sampling.kernel(kTestSampling);
  }
  sampling.loop(kNoLoop, {0}, 9, 3);
  EXPECT_EQ(roles(sampling), std::vector{LoopRole::kPass});
}

TEST(LoopRoles, ABodyOfTwoAlternatingLayersIsALayerLoop) {
  WorkStream test;
  test.kernels({kTestGemm, kTestAttention, kTestGemm, kTestAttention, kTestAdd}, 4);
  test.loop(kNoLoop, {0}, 5, 4);
  EXPECT_EQ(roles(test), std::vector{LoopRole::kLayer});
}

TEST(LoopRoles, InsideAPassLayersThatAlternateVariantsAreOneLoopOfLayers) {
  WorkStream test;
  for (int pass = 0; pass < 3; ++pass) {
    test.kernels({kTestGemm, kTestAttention, kTestAdd}, 12);
    test.kernels({kTestGemm, kTestSampling});
  }
  const std::int32_t pass = test.loop(kNoLoop, {0}, 38, 3);
  const std::int32_t pairs = test.loop(pass, {0, 38, 76}, 6, 6, 1);
  std::vector<std::uint32_t> starts;
  for (std::uint32_t i = 0; i < 18; ++i) starts.push_back(i / 6 * 38 + i % 6 * 6);
  test.loop(pairs, starts, 3, 2, 2);
  EXPECT_EQ(roles(test), (std::vector{LoopRole::kPass, LoopRole::kLayer, LoopRole::kInner}));
  EXPECT_EQ(layers(test, 0), 12U);
}

TEST(LoopRoles, InsideAPassLayersWithASingleOneOfAnotherKindAreOneLoopOfLayers) {
  WorkStream test;
  for (int pass = 0; pass < 2; ++pass) {
    for (int group = 0; group < 3; ++group) {
      test.kernels({kTestGemm, kTestAttention}, 3);
      test.kernels({kTestGemm, kTestAttention, kTestAdd});
    }
    test.kernel(kTestSampling);
  }
  const std::int32_t pass = test.loop(kNoLoop, {0}, 28, 2);
  const std::int32_t group = test.loop(pass, {0, 28}, 9, 3, 1);
  test.loop(group, {0, 9, 18, 28, 37, 46}, 2, 3, 2);
  EXPECT_EQ(roles(test), (std::vector{LoopRole::kPass, LoopRole::kLayer, LoopRole::kInner}));
  EXPECT_EQ(layers(test, 0), 12U);
}

TEST(LoopRoles, GroupsOfLayersBetweenALookupAndTheNextWordAreNoPasses) {
  // Nine layers of one kind and one of another, three times, in a prefill that runs once.
  constexpr std::string_view kLookup = "indexSelectSmallIndex";
  const auto roles_with = [&](std::string_view first, std::string_view last) {
    WorkStream test;
    test.kernels({first, kTestGemm});
    for (int group = 0; group < 3; ++group) {
      test.kernels({kTestGemm, kTestAttention}, 9);
      test.kernels({kTestGemm, kTestAttention, kTestAdd});
    }
    test.kernels({kTestGemm, last});
    const std::int32_t group = test.loop(kNoLoop, {2}, 21, 3);
    test.loop(group, {2, 23, 44}, 2, 9, 1);
    return roles(test);
  };
  EXPECT_EQ(roles_with(kLookup, kTestSampling), (std::vector{LoopRole::kLayer, LoopRole::kInner}));
  const std::vector passes = {LoopRole::kPass, LoopRole::kLayer};
  EXPECT_EQ(roles_with(kTestAdd, kTestSampling), passes) << "no words are looked up before";
  EXPECT_EQ(roles_with(kLookup, kTestAdd), passes) << "none is chosen behind";
}

TEST(LoopRoles, InsideARequestShortPassesHaveAHeadOrAreLaunchedAsOne) {
  const auto request_of = [](std::string_view head, BorderEvidence border) {
    WorkStream test;
    for (int request = 0; request < 2; ++request) {
      for (int pass = 0; pass < 4; ++pass) {
        test.kernels({kTestGemm, kTestDecode}, 3);
        test.kernel(head);
      }
      test.kernel(kTestAdd);
    }
    const std::int32_t request = test.loop(kNoLoop, {0}, 29, 2);
    const std::int32_t pass = test.loop(request, {0, 29}, 7, 4, 1);
    test.cycles.nest.loops[1].border = border;
    test.loop(pass, {0, 7, 14, 21, 29, 36, 43, 50}, 2, 3, 2);
    return roles(test)[1];
  };
  EXPECT_EQ(request_of(kTestGemm, BorderEvidence::kGap), LoopRole::kPass);
  EXPECT_EQ(request_of(kTestSampling, BorderEvidence::kGap), LoopRole::kPass);
  EXPECT_EQ(request_of(kTestAdd, BorderEvidence::kGraphLaunch), LoopRole::kPass);
  EXPECT_EQ(request_of(kTestAdd, BorderEvidence::kGap), LoopRole::kLayer);
}

TEST(LoopRoles, PairsOfLayersAndNothingElseAreALayerLoop) {
  WorkStream test;
  test.kernel(kTestAdd);
  test.kernels({kTestGemm, kTestAttention, kTestAdd}, 12);
  const std::int32_t pairs = test.loop(kNoLoop, {1}, 6, 6);
  test.loop(pairs, {1, 7, 13, 19, 25, 31}, 3, 2, 1);
  EXPECT_EQ(roles(test), (std::vector{LoopRole::kLayer, LoopRole::kInner}));
}

TEST(LoopRoles, ABodyOfOneLayerThatSamplesIsAPass) {
  WorkStream test;
  test.kernels({kTestGemm, kTestAttention, kTestGemm, kTestSampling}, 5);
  test.loop(kNoLoop, {0}, 4, 5);
  EXPECT_EQ(roles(test), std::vector{LoopRole::kPass});
  EXPECT_EQ(layers(test, 0), 1U);

  WorkStream experts;  // the router looks like sampling
  experts.kernels({kTestGemm, kTestAttention, kTestSampling, "fused_moe_kernel"}, 5);
  experts.loop(kNoLoop, {0}, 4, 5);
  EXPECT_EQ(roles(experts), std::vector{LoopRole::kLayer});
}

TEST(LoopRoles, ALayerThatChoosesExpertsIsNoPass) {
  WorkStream test;  // a router, then experts one by one
  for (int layer = 0; layer < 5; ++layer) {
    test.kernels({kTestGemm, kTestAttention, kTestGemm, kTestSampling});
    test.kernels({kTestGemm, kTestAdd, kTestGemm}, 3);
  }
  test.loop(kNoLoop, {0}, 13, 5);
  EXPECT_EQ(roles(test), std::vector{LoopRole::kLayer});
}

// A tower whose attention is written out beside layers where it is named: a softmax is counted in
// one of them alone, but not in both together.
TEST(LoopRoles, APassOfTwoKindsOfAttentionIsAPass) {
  WorkStream test;
  for (int pass = 0; pass < 4; ++pass) {
    test.kernels({kTestGemm, kTestGemm, kSoftmaxForward, kTestGemm, kTestGemm}, 4);
    test.kernels(kLayerKernels, 3);
    test.kernels({kTestGemm, kTestAdd});
  }
  const std::int32_t pass = test.loop(kNoLoop, {0}, 34, 4);
  test.loop(pass, {0, 34, 68, 102}, 5, 4, 1);
  test.loop(pass, {20, 54, 88, 122}, 4, 3, 2);
  EXPECT_EQ(roles(test).front(), LoopRole::kPass);
}

TEST(LoopRoles, ASoftmaxAfterManyConvolutionsIsNoAttention) {
  WorkStream test;
  for (int step = 0; step < 4; ++step) {
    test.kernels({"implicit_convolve_sgemm", kTestAdd}, 20);
    test.kernels({kSoftmaxForward, kTestAdam});
  }
  test.loop(kNoLoop, {0}, 42, 4);
  EXPECT_EQ(roles(test), std::vector{LoopRole::kStep});
  EXPECT_EQ(layers(test, 0), 0U);
}

TEST(LoopRoles, ARouterInEachLayerIsNoSampling) {
  WorkStream test;
  test.kernels({kTestGemm, kTestAttention, kTestSampling, kTestGemm, kTestAttention, kTestSampling},
               4);
  test.loop(kNoLoop, {0}, 6, 4);
  EXPECT_EQ(roles(test), std::vector{LoopRole::kLayer});
}

TEST(LoopRoles, WithoutAttentionTheOutermostLoopOfLoopsIsThePass) {
  WorkStream test;
  for (int pass = 0; pass < 2; ++pass) {
    test.kernels({kTestGemm, kTestAdd}, 3);
    test.kernel(kTestAdd);
  }
  const std::int32_t pass = test.loop(kNoLoop, {0}, 7, 2);
  test.loop(pass, {0, 7}, 2, 3, 1);
  EXPECT_EQ(roles(test), (std::vector{LoopRole::kPass, LoopRole::kUnknown}));
}

TEST(LoopRoles, WithoutAttentionASmallLoopIsABlock) {
  WorkStream test;
  for (int block = 0; block < 2; ++block) {
    test.kernels({kTestGemm, kTestAdd}, 3);
    test.kernel(kTestAdd);
  }
  test.kernels({kTestAdd, kTestSampling}, 8);
  const std::int32_t block = test.loop(kNoLoop, {0}, 7, 2);
  test.loop(block, {0, 7}, 2, 3, 1);
  EXPECT_EQ(roles(test).front(), LoopRole::kUnknown);
}

TEST(LoopRoles, WithoutAttentionMarksAndOptimizersMakeSteps) {
  WorkStream marked;
  marked.kernels({kTestGemm, kTestAdd}, 3);
  marked.loop(kNoLoop, {0}, 2, 3);
  for (std::uint32_t i = 0; i < 3; ++i) marked.step("train#" + std::to_string(i), 2 * i, 2 * i + 2);
  EXPECT_EQ(roles(marked), std::vector{LoopRole::kStep});

  WorkStream optimized;
  optimized.kernels({kTestGemm, kTestAdd, kTestAdam}, 3);
  optimized.loop(kNoLoop, {0}, 3, 3);
  EXPECT_EQ(roles(optimized), std::vector{LoopRole::kStep});
}

TEST(LoopRoles, MicroBatchesInAStepAreMicroSteps) {
  WorkStream test;
  for (int step = 0; step < 2; ++step) {
    for (int batch = 0; batch < 2; ++batch) {
      test.kernels(kLayerKernels, 3);
      test.kernels({kTestGemm, kTestBackward, kTestGemm}, 3);
    }
    test.kernel(kTestAdam);
  }
  const std::int32_t step = test.loop(kNoLoop, {0}, 43, 2);
  const std::int32_t batch = test.loop(step, {0, 43}, 21, 2, 1);
  test.loop(batch, {0, 21, 43, 64}, 4, 3, 2);
  EXPECT_EQ(roles(test), (std::vector{LoopRole::kStep, LoopRole::kMicroStep, LoopRole::kLayer}));
}

TEST(LoopRoles, HaveNames) {
  EXPECT_EQ(name_of(LoopRole::kRequest), "request");
  EXPECT_EQ(name_of(LoopRole::kStep), "step");
  EXPECT_EQ(name_of(LoopRole::kUnknown), "unknown");
}

}  // namespace
}  // namespace lockstep::analysis::cycles

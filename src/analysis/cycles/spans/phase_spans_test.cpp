// Tests of spans: where passes that are no loop begin and end, and how many layers they have.
#include "analysis/cycles/spans/phase_spans.h"

#include <gtest/gtest.h>

#include "analysis/cycles/phases/phases.h"
#include "analysis/cycles/stream/work_stream_for_test.h"

namespace lockstep::analysis::cycles {
namespace {

TEST(PhaseSpans, LoopsThatAreNoLayersMakeNoPass) {
  WorkStream test;
  test.kernels({kTestAdd, kTestSampling}, 3);
  test.kernel(kTestGemm);
  test.loop(kNoLoop, {0}, 2, 3);
  classify(test.made.trace, test.cycles);
  ASSERT_EQ(test.cycles.phases.size(), 1U);
  EXPECT_EQ(test.cycles.phases[0].passes, 0U);
}

TEST(PhaseSpans, SegmentsAreCutWhereASecondPassBegins) {
  WorkStream test;
  test.kernels({kTestGemm, kTestPrefill, kTestGemm}, 3);
  test.kernels({kTestAdd, kTestSampling, kTestAdd});
  test.kernels({kTestGemm, kTestDecode}, 3);
  test.loop(kNoLoop, {0}, 3, 3, 0);
  test.loop(kNoLoop, {12}, 2, 3, 1);
  classify(test.made.trace, test.cycles);
  ASSERT_EQ(test.cycles.phases.size(), 2U);
  EXPECT_EQ(test.cycles.phases[0].phase, PhaseName::kPrefill);
  EXPECT_EQ(test.cycles.phases[0].end, 11U) << "the sampled token ends the pass";
  EXPECT_EQ(test.cycles.phases[1].phase, PhaseName::kDecode);
  EXPECT_EQ(test.cycles.phases[1].start, 11U);
}

TEST(PhaseSpans, SegmentsAreCutWhereAnotherAnnotationBegins) {
  const auto spans = [](bool is_second_annotated) {
    WorkStream test;
    test.kernels({kTestGemm, kTestAttention, kTestGemm}, 3);
    test.kernels({kTestAdd, kTestAdd, kTestAdd});
    test.kernels({kTestGemm, kTestAttention}, 3);
    test.loop(kNoLoop, {0}, 3, 3, 0);
    test.loop(kNoLoop, {12}, 2, 3, 1);
    test.annotate("prefill", 0, 10);
    if (is_second_annotated) test.annotate("decode", 10, 18);
    classify(test.made.trace, test.cycles);
    return test.cycles.phases;
  };
  ASSERT_EQ(spans(true).size(), 2U);
  EXPECT_EQ(spans(true)[0].phase, PhaseName::kPrefill);
  EXPECT_EQ(spans(true)[1].phase, PhaseName::kDecode);
  EXPECT_EQ(spans(true)[1].start, 10U);
  EXPECT_EQ(spans(false).size(), 1U);
}

TEST(PhaseSpans, TheSameLayersAgainAreASecondPass) {
  WorkStream test;
  test.kernels({kTestGemm, kTestAttention}, 2);
  test.kernel(kTestAdd, 20);
  test.kernels({kTestAdd, kTestAdd});
  test.kernels({kTestGemm, kTestAttention}, 3);
  test.loop(kNoLoop, {0}, 2, 2, 0);
  test.loop(kNoLoop, {7}, 2, 3, 0);
  classify(test.made.trace, test.cycles);
  ASSERT_EQ(test.cycles.phases.size(), 2U);
  EXPECT_EQ(test.cycles.phases[0].layers, 2U);
  EXPECT_EQ(test.cycles.phases[1].layers, 3U);
  EXPECT_EQ(test.cycles.phases[1].start, 5U) << "behind the longest gap";
}

TEST(PhaseSpans, LayersOfTwoKindsInOnePassAddUp) {
  WorkStream test;
  test.kernels({kTestGemm, kTestAttention}, 2);
  test.kernels({kTestGemm, kTestAttention, kTestAdd}, 5);
  test.kernels({kTestGemm, kTestAttention, kTestGemm});
  test.loop(kNoLoop, {0}, 2, 2, 0);
  test.loop(kNoLoop, {4}, 3, 5, 1);
  classify(test.made.trace, test.cycles);
  ASSERT_EQ(test.cycles.phases.size(), 1U);
  EXPECT_EQ(test.cycles.phases[0].passes, 1U);
  EXPECT_EQ(test.cycles.phases[0].layers, 8U) << "two, five, and one that is no loop";
}

TEST(PhaseSpans, SpansCoverTheStream) {
  WorkStream test;
  test.kernels({kTestAdd, kTestAdd, kTestGemm});
  classify(test.made.trace, test.cycles);
  ASSERT_EQ(test.cycles.phases.size(), 1U);
  EXPECT_EQ(test.cycles.phases[0].start, 0U);
  EXPECT_EQ(test.cycles.phases[0].end, 3U);
  EXPECT_EQ(test.cycles.phases[0].passes, 0U);
  EXPECT_EQ(test.cycles.phases[0].phase, PhaseName::kUnknown);
  WorkStream empty;
  classify(empty.made.trace, empty.cycles);
  EXPECT_TRUE(empty.cycles.phases.empty());
}

TEST(PhaseSpans, LayersOfAStepAreThoseOfOneMicroBatch) {
  WorkStream test;
  for (int step = 0; step < 2; ++step) {
    for (int batch = 0; batch < 4; ++batch) {
      test.kernels({kTestGemm, kTestAttention}, 3);
      test.kernels({kTestGemm, kTestBackward, kTestGemm}, 3);
    }
    test.kernel(kTestAdam);
  }
  const std::int32_t step = test.loop(kNoLoop, {0}, 61, 2);
  const std::int32_t batch = test.loop(step, {0, 61}, 15, 4, 1);
  std::vector<std::uint32_t> starts;
  for (std::uint32_t i = 0; i < 8; ++i) starts.push_back(i / 4 * 61 + i % 4 * 15);
  test.loop(batch, starts, 2, 3, 2);
  classify(test.made.trace, test.cycles);
  EXPECT_EQ(test.cycles.phases[0].layers, 3U);
}

TEST(PhaseSpans, OfADraftAndATargetModelTheLayersAreTheTargets) {
  WorkStream test;
  for (int i = 0; i < 2; ++i) {
    for (int draft = 0; draft < 3; ++draft) {
      test.kernels({kTestGemm, kTestDecode}, 2);
      test.kernel(kTestSampling);
    }
    test.kernels({kTestGemm, kTestAttention, kTestAdd}, 7);
    test.kernel(kTestSampling);
  }
  const std::int32_t both = test.loop(kNoLoop, {0}, 37, 2);
  const std::int32_t draft = test.loop(both, {0, 37}, 5, 3, 1);
  test.loop(draft, {0, 5, 10, 37, 42, 47}, 2, 2, 2);
  test.loop(both, {15, 52}, 3, 7, 3);
  classify(test.made.trace, test.cycles);
  EXPECT_EQ(test.cycles.phases[0].layers, 7U);
}

TEST(PhaseSpans, APassThatBeginsInsideItsLayersHasAllOfThem) {
  WorkStream test;
  for (int pass = 0; pass < 3; ++pass) {
    test.kernels({kTestGemm, kTestAttention}, 5);
    test.kernels({kTestGemm, kTestSampling});
    test.kernels({kTestGemm, kTestAttention}, 4);
  }
  const std::int32_t pass = test.loop(kNoLoop, {0}, 20, 3);
  test.loop(pass, {0, 20, 40}, 2, 5, 1);
  test.loop(pass, {12, 32, 52}, 2, 4, 1);
  classify(test.made.trace, test.cycles);
  EXPECT_EQ(test.cycles.phases[0].layers, 9U);
}

TEST(PhaseSpans, LayersThatComeAgainInAPassAllCount) {
  WorkStream test;
  for (int pass = 0; pass < 2; ++pass) {
    test.kernels({kTestGemm, kTestAttention}, 3);
    test.kernels({kTestGemm, kTestAttention, kTestAdd}, 2);
    test.kernels({kTestGemm, kTestAttention}, 4);
    test.kernel(kTestSampling);
  }
  const std::int32_t pass = test.loop(kNoLoop, {0}, 21, 2);
  test.loop(pass, {0, 21}, 2, 3, 1);
  test.loop(pass, {6, 27}, 3, 2, 2);
  test.loop(pass, {12, 33}, 2, 4, 1);
  classify(test.made.trace, test.cycles);
  EXPECT_EQ(test.cycles.phases[0].layers, 9U);
}

TEST(PhaseSpans, WhatTheCaptureLeavesOfAPassHasNoLayers) {
  // Two of four layers, two whole passes, and three of four.
  WorkStream test;
  test.kernels({kTestGemm, kTestAttention}, 2);
  test.kernels({kTestGemm, kTestSampling});
  for (int pass = 0; pass < 2; ++pass) {
    test.kernels({kTestGemm, kTestAttention}, 4);
    test.kernels({kTestGemm, kTestSampling});
  }
  test.kernels({kTestGemm, kTestAttention}, 3);
  test.loop(kNoLoop, {0}, 2, 2, 1);
  const std::int32_t pass = test.loop(kNoLoop, {6}, 10, 2);
  test.loop(pass, {6, 16}, 2, 4, 1);
  test.loop(kNoLoop, {26}, 2, 3, 1);
  classify(test.made.trace, test.cycles);
  ASSERT_EQ(test.cycles.phases.size(), 3U);
  EXPECT_EQ(test.cycles.phases[0].layers, 0U);
  EXPECT_EQ(test.cycles.phases[0].passes, 0U);
  EXPECT_EQ(test.cycles.phases[1].layers, 4U);
  EXPECT_EQ(test.cycles.phases[2].layers, 0U);
}

TEST(PhaseSpans, RoutersBetweenLayersEndNoPass) {
  WorkStream test;
  const std::vector<std::string_view> routed = {kTestGemm, kTestAttention, kTestSampling,
                                                "fused_moe_kernel"};
  for (int pass = 0; pass < 2; ++pass) {
    test.kernels({kTestGemm, kTestAttention, kTestAdd}, 2);
    test.kernel(kTestSampling);  // the end of a layer that is in no loop
    test.kernels(routed, 5);
    test.kernel(kTestSampling);
  }
  const std::int32_t pass = test.loop(kNoLoop, {0}, 28, 2);
  test.loop(pass, {0, 28}, 3, 2, 1);
  test.loop(pass, {7, 35}, 4, 5, 2);
  classify(test.made.trace, test.cycles);
  EXPECT_EQ(test.cycles.phases[0].layers, 7U);
}

}  // namespace
}  // namespace lockstep::analysis::cycles

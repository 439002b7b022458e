// Tests of spans: where passes that are no loop begin and end, and how many layers they have.
#include "analysis/cycles/phase_spans.h"

#include <gtest/gtest.h>

#include "analysis/cycles/phases.h"
#include "analysis/cycles/work_stream_for_test.h"

namespace lockstep {
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

}  // namespace
}  // namespace lockstep

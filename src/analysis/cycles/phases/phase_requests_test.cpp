// Tests of bodies that hold several passes: requests, and what is none.
#include <gtest/gtest.h>

#include "analysis/cycles/phases/phases.h"
#include "analysis/cycles/stream/work_stream_for_test.h"

namespace lockstep::analysis::cycles {
namespace {

TEST(PhaseRequests, ALoopOfPrefillAndDecodeIsARequest) {
  WorkStream test;
  for (int request = 0; request < 2; ++request) {
    test.kernels({kTestGemm, kTestPrefill, kTestGemm}, 3);
    test.kernel(kTestSampling);
    for (int pass = 0; pass < 4; ++pass) {
      test.kernels({kTestGemm, kTestDecode}, 3);
      test.kernel(kTestSampling);
    }
    test.kernels({kTestAdd}, 2);
  }
  const std::int32_t request = test.loop(kNoLoop, {0}, 40, 2);
  test.loop(request, {0, 40}, 3, 3, 1);
  const std::int32_t decode = test.loop(request, {10, 50}, 7, 4, 2);
  test.loop(decode, {10, 17, 24, 31, 50, 57, 64, 71}, 2, 3, 3);
  test.loop(request, {38, 78}, 1, 2, 4);
  classify(test.made.trace, test.cycles);
  EXPECT_EQ(test.cycles.loops[0].role, LoopRole::kRequest);
  EXPECT_EQ(test.cycles.loops[0].phase, PhaseName::kRequest);
  EXPECT_EQ(test.cycles.loops[1].phase, PhaseName::kPrefill);
  EXPECT_EQ(test.cycles.loops[2].phase, PhaseName::kDecode);
  EXPECT_EQ(test.cycles.loops[3].phase, PhaseName::kDecode);
  EXPECT_EQ(test.cycles.loops[4].phase, PhaseName::kUnknown) << "neither prefill nor decode";
  ASSERT_EQ(test.cycles.phases.size(), 1U);
  EXPECT_EQ(test.cycles.phases[0].phase, PhaseName::kRequest);
  EXPECT_EQ(test.cycles.phases[0].passes, 2U);
}

TEST(PhaseRequests, ARequestIsJudgedByTheIterationThatIsItsBody) {
  WorkStream test;
  for (int request = 0; request < 3; ++request) {
    test.kernels({kTestGemm, kTestPrefill, kTestGemm}, 3);
    test.kernel(kTestSampling);
    for (int pass = 0; pass < 4; ++pass) {
      test.kernels({kTestGemm, kTestDecode}, 3);
      test.kernel(kTestSampling);
    }
  }
  const std::int32_t request = test.loop(kNoLoop, {0}, 38, 3);
  test.cycles.nest.loops[0].body_start = 38;
  test.loop(request, {0, 38, 76}, 3, 3, 1);
  const std::int32_t decode = test.loop(request, {10, 48}, 7, 4, 2);  // the third has another
  test.loop(decode, {10, 17, 24, 31, 48, 55, 62, 69}, 2, 3, 3);
  classify(test.made.trace, test.cycles);
  EXPECT_EQ(test.cycles.loops[0].role, LoopRole::kRequest);
  EXPECT_EQ(test.cycles.loops[2].phase, PhaseName::kDecode);
  ASSERT_EQ(test.cycles.loops[0].phase_evidence.size(), 2U) << "of the prefill and of the decode";
  test.cycles.nest.loops[0].body_start = 76;
  classify(test.made.trace, test.cycles);
  EXPECT_EQ(test.cycles.loops[0].role, LoopRole::kRequest) << "by its kernels alone";
  EXPECT_EQ(test.cycles.loops[0].phase_evidence.size(), 1U) << "no decode loop in this body";
}

// A prefill of 3 layers and a decode pass of 3 layers, three times; each ends with `last`.
WorkStream prefills_and_decodes(std::string_view last) {
  WorkStream test;
  for (int request = 0; request < 3; ++request) {
    test.kernels({kTestGemm, kTestPrefill}, 3);
    test.kernel(last);
    test.kernels({kTestGemm, kTestDecode}, 3);
    test.kernel(last);
  }
  const std::int32_t request = test.loop(kNoLoop, {0}, 14, 3);
  test.loop(request, {0, 14, 28}, 2, 3, 1);
  test.loop(request, {7, 21, 35}, 2, 3, 2);
  return test;
}

// Passes of a server as 'p' and 'd', of 3 layers each: 10 and 7 kernels.
WorkStream server(std::string_view order) {
  WorkStream test;
  for (const char pass : order) {
    if (pass == 'p') test.kernels({kTestGemm, kTestPrefill, kTestGemm}, 3);
    if (pass == 'd') test.kernels({kTestGemm, kTestDecode}, 3);
    test.kernel(kTestSampling);
  }
  return test;
}

TEST(PhaseRequests, AnswersBeforeTheirPromptsAreNoRequest) {
  WorkStream test = server("dpddpddpddpd");
  const std::int32_t loop = test.loop(kNoLoop, {0}, 24, 4);
  test.loop(loop, {0, 24, 48, 72}, 2, 3, 1);
  test.loop(loop, {7, 31, 55, 79}, 3, 3, 2);
  test.loop(loop, {17, 41, 65, 89}, 2, 3, 1);
  classify(test.made.trace, test.cycles);
  EXPECT_NE(test.cycles.loops[0].role, LoopRole::kRequest);
  EXPECT_NE(test.cycles.loops[0].role, LoopRole::kPass) << "it holds several";
}

TEST(PhaseRequests, WhatRepeatsInASmallPartOfAServerIsNoRequest) {
  WorkStream test = server("pdpdddpdpddddpddddddpddd");
  const std::int32_t loop = test.loop(kNoLoop, {0}, 17, 2);
  test.loop(loop, {0, 17}, 3, 3, 1);
  classify(test.made.trace, test.cycles);
  EXPECT_NE(test.cycles.loops[0].role, LoopRole::kRequest);
}

TEST(PhaseRequests, APrefillAndASingleDecodeAreARequestToo) {
  for (const std::string_view last : {kTestSampling, kTestAdd}) {
    WorkStream test = prefills_and_decodes(last);
    classify(test.made.trace, test.cycles);
    EXPECT_EQ(test.cycles.loops[0].role, LoopRole::kRequest) << last;
    EXPECT_EQ(test.cycles.loops[1].phase, PhaseName::kPrefill);
    EXPECT_EQ(test.cycles.loops[2].phase, PhaseName::kDecode);
    ASSERT_EQ(test.cycles.phases.size(), 1U);
    EXPECT_EQ(test.cycles.phases[0].phase, PhaseName::kRequest);
    EXPECT_EQ(test.cycles.phases[0].layers, 3U) << "of one pass";
  }
}

TEST(PhaseRequests, PassesWhoseLayersAreNoLoopMakeARequestToo) {
  WorkStream test = prefills_and_decodes(kTestAdd);
  test.cycles.nest.loops.resize(1);
  test.cycles.nest.loops[0].border = BorderEvidence::kAnnotation;
  classify(test.made.trace, test.cycles);
  EXPECT_EQ(test.cycles.loops[0].role, LoopRole::kRequest);
  EXPECT_EQ(test.cycles.loops[0].phase, PhaseName::kRequest);
}

TEST(PhaseRequests, SamplingPartsThePassesOfAModelOfOneLayer) {
  for (const auto& [last, phase] :
       {std::pair{kTestSampling, PhaseName::kRequest}, std::pair{kTestAdd, PhaseName::kMixed}}) {
    WorkStream test;
    test.kernels(
        {kTestGemm, kTestPrefill, last, kTestGemm, kTestDecode, last, kTestGemm, kTestDecode, last},
        4);
    test.loop(kNoLoop, {0}, 9, 4);
    test.cycles.nest.loops[0].border = BorderEvidence::kAnnotation;
    classify(test.made.trace, test.cycles);
    EXPECT_EQ(test.cycles.loops[0].phase, phase) << last;
  }
}

TEST(PhaseRequests, ABodyWithOneMixedPassIsMixedAndHasTheLayersOfOnePass) {
  WorkStream test;
  for (int i = 0; i < 3; ++i) {
    test.kernels({kTestGemm, kTestPrefill, kTestDecode}, 4);
    test.kernel(kTestSampling);
    for (int pass = 0; pass < 2; ++pass) {
      test.kernels({kTestGemm, kTestDecode}, 4);
      test.kernel(kTestSampling);
    }
  }
  const std::int32_t body = test.loop(kNoLoop, {0}, 31, 3);
  test.loop(body, {0, 31, 62}, 3, 4, 1);
  const std::int32_t decode = test.loop(body, {13, 44, 75}, 9, 2, 2);
  test.loop(decode, {13, 22, 44, 53, 75, 84}, 2, 4, 3);
  classify(test.made.trace, test.cycles);
  EXPECT_EQ(test.cycles.loops[0].phase, PhaseName::kMixed);
  EXPECT_EQ(test.cycles.loops[2].phase, PhaseName::kDecode);
  EXPECT_EQ(test.cycles.phases[0].layers, 4U);
}

}  // namespace
}  // namespace lockstep::analysis::cycles

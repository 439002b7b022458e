// Every ground has its words.
#include "report/cycles/evidence_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep::report::cycles {
namespace {

using analysis::cycles::Evidence;
using analysis::cycles::PhaseGround;
using analysis::cycles::PhaseName;

TEST(EvidenceWords, WhatSaysTheSameIsSaidOnceWithItsRange) {
  const auto us = [](std::int64_t count) { return Time{count * kPicosecondsPerMicrosecond}; };
  const Evidence shorter{
      .ground = PhaseGround::kShorterPass, .time = us(339), .other_time = us(373)};
  Evidence other = shorter;
  other.other_time = us(395);
  EXPECT_THAT(
      evidence_lines({shorter, other}),
      testing::ElementsAre("possible: its kernels take 339.000 us, those of a prefill of as "
                           "many layers 373.000 us to 395.000 us"));
  other.ground = PhaseGround::kLongerPass;
  EXPECT_EQ(evidence_lines({shorter, other}).size(), 2U);
  const Evidence fact{.strength = analysis::cycles::Strength::kFact,
                      .ground = PhaseGround::kOptimizer};
  EXPECT_THAT(evidence_lines({fact}), testing::ElementsAre("optimizer kernels"));
}

TEST(EvidenceWords, NameTheAnnotation) {
  EXPECT_EQ(
      evidence_words(
          {.ground = PhaseGround::kAnnotatedKernels, .name = "prefill", .count = 12, .of = 13}),
      "annotation 'prefill' (12 of 13 kernels)");
  EXPECT_EQ(
      evidence_words(
          {.ground = PhaseGround::kAnnotatedIterations, .name = "decode", .count = 6, .of = 6}),
      "annotation 'decode' (6 of 6 iterations)");
  EXPECT_EQ(evidence_words(
                {.ground = PhaseGround::kAnnotatedKernels, .name = "tail", .count = 1, .of = 1}),
            "annotation 'tail' (1 of 1 kernel)");
  EXPECT_EQ(evidence_words(
                {.ground = PhaseGround::kAnnotatedIterations, .name = "tail", .count = 0, .of = 1}),
            "annotation 'tail' (0 of 1 iteration)");
  EXPECT_EQ(evidence_words({.ground = PhaseGround::kOnlyAnnotation, .name = "decode"}),
            "annotation 'decode', the only phase that the file names");
}

TEST(EvidenceWords, NameTheKernels) {
  const auto words = [](PhaseGround ground) {
    return evidence_words({.ground = ground, .name = "a", .other_name = "b"});
  };
  EXPECT_EQ(words(PhaseGround::kBackward), "backward attention 'a'");
  EXPECT_EQ(words(PhaseGround::kBackwardRecomputed),
            "backward attention 'a', with forward attention computed again");
  EXPECT_EQ(words(PhaseGround::kOptimizer), "optimizer kernels");
  EXPECT_EQ(words(PhaseGround::kForwardInTraining),
            "forward attention in a stream that also trains");
  EXPECT_EQ(words(PhaseGround::kPrefillThenDecode),
            "passes with attention for prefill 'a' and for decode 'b'");
  EXPECT_EQ(words(PhaseGround::kPrefillAndDecode), "attention for prefill 'a' and decode 'b'");
  EXPECT_EQ(words(PhaseGround::kPrefill), "attention for prefill 'a'");
  EXPECT_EQ(words(PhaseGround::kDecode), "attention for decode 'a'");
  EXPECT_EQ(words(PhaseGround::kSplitAttention),
            "attention is split over keys, as for few words at once");
}

TEST(EvidenceWords, TellTimesAndPlaces) {
  EXPECT_EQ(evidence_words({.ground = PhaseGround::kMoreAttention, .count = 14, .of = 7}),
            "14 attention kernels in a pass, 7 in a decode pass of as many layers");
  EXPECT_EQ(evidence_words({.ground = PhaseGround::kGrowth, .count = 7, .of = 8}),
            "attention takes longer half a loop later in 7 of 8 passes");
  const Time long_time{9'000'000};
  const Time short_time{1'000'000};
  EXPECT_EQ(
      evidence_words(
          {.ground = PhaseGround::kLongAttention, .time = long_time, .other_time = short_time}),
      "an attention kernel takes 9.000 us, that of other passes 1.000 us");
  EXPECT_EQ(
      evidence_words(
          {.ground = PhaseGround::kShortAttention, .time = short_time, .other_time = long_time}),
      "an attention kernel takes 1.000 us, that of a prefill 9.000 us");
  EXPECT_EQ(evidence_words({.ground = PhaseGround::kLongerPass,
                            .time = Time{3'000'000},
                            .other_time = Time{2'000'000}}),
            "its kernels take 3.000 us, those of a decode pass of as many layers 2.000 us");
  EXPECT_EQ(evidence_words({.ground = PhaseGround::kShorterPass,
                            .time = Time{2'000'000},
                            .other_time = Time{3'000'000}}),
            "its kernels take 2.000 us, those of a prefill of as many layers 3.000 us");
  EXPECT_EQ(evidence_words({.ground = PhaseGround::kOtherKernels}),
            "other attention and matrix kernels than in decode passes of as many layers");
  EXPECT_EQ(
      evidence_words(
          {.ground = PhaseGround::kClosedSteps, .name = "Optimizer.step", .count = 3, .of = 4}),
      "'Optimizer.step' updates the weights in 3 of 4 steps");
  EXPECT_EQ(evidence_words({.ground = PhaseGround::kTrainingWork, .count = 1, .of = 2}),
            "2 kernels of backward attention and 1 kernel of an optimizer in each");
  EXPECT_EQ(evidence_words({.ground = PhaseGround::kCutOff, .phase = PhaseName::kDecode}),
            "a cut-off decode pass");
}

}  // namespace
}  // namespace lockstep::report::cycles

// Tests of phases that annotations name.
#include "analysis/cycles/phases/annotation_phases.h"

#include <gtest/gtest.h>

#include "analysis/cycles/stream/work_stream_for_test.h"
#include "trace/steps.h"

namespace lockstep::analysis::cycles {
namespace {

TEST(AnnotatedPhase, KnowsTheWordsOfUsers) {
  EXPECT_EQ(annotated_phase("prefill"), PhaseName::kPrefill);
  EXPECT_EQ(annotated_phase("Decode step 3"), PhaseName::kDecode);
  EXPECT_EQ(annotated_phase("## forward ##"), PhaseName::kForward);
  EXPECT_EQ(annotated_phase("## forward:over_arch ##"), PhaseName::kForward);
  EXPECT_EQ(annotated_phase("DistributedDataParallel.forward"), PhaseName::kForward);
  EXPECT_EQ(annotated_phase("## alltoall_bwd_single ##"), PhaseName::kBackward);
  EXPECT_EQ(annotated_phase("Optimizer.step#AdamW.step"), PhaseName::kOptimizer);
}

TEST(AnnotatedPhase, WhatDecodesPicturesWritesNoWords) {
  for (const std::string_view name : {"vae.decode", "decode_latents", "jpeg_decode",
                                      "AudioCodec: decode audio", "tokenizer.decode"})
    EXPECT_EQ(annotated_phase(name), std::nullopt) << name;
}

TEST(AnnotatedPhase, KnowsTheFormsOfServingEngines) {
  EXPECT_EQ(annotated_phase("step[DECODE bs=32]"), PhaseName::kDecode);
  EXPECT_EQ(annotated_phase("step[EXTEND bs=4 toks=812]"), PhaseName::kPrefill);
  EXPECT_EQ(annotated_phase("step[PREFILL bs=1]"), PhaseName::kPrefill);
  EXPECT_EQ(annotated_phase("step[MIXED bs=9]"), PhaseName::kMixed);
  EXPECT_EQ(annotated_phase("execute_8192_context_9(sq8155sk8430)_generation_37(sq37sk34489)"),
            PhaseName::kMixed);
  EXPECT_EQ(annotated_phase("execute_32_context_0(sq0sk0)_generation_32(sq32sk32785)"),
            PhaseName::kDecode);
  EXPECT_EQ(annotated_phase("execute_context_1(512)_generation_0(0)"), PhaseName::kPrefill);
  EXPECT_EQ(annotated_phase("execute_context_0(0)_generation_0(0)"), std::nullopt);
}

TEST(AnnotatedPhase, OtherNamesTellNothing) {
  for (const std::string_view name :
       {"", "ProfilerStep#3", "train", "nccl:all_reduce", "Optimizer.zero_grad#AdamW.zero_grad",
        "forward-backward", "## load_batch ##", "decoder_layer", "mixed precision"}) {
    EXPECT_EQ(annotated_phase(name), std::nullopt) << name;
  }
}

PhaseWindow window(std::int64_t start, std::int64_t end, PhaseName phase) {
  return {Time{start}, Time{end}, {{}, phase}};
}

std::vector<PhaseName> phases_of(const std::vector<PhaseWindow>& windows) {
  std::vector<PhaseName> phases;
  for (const PhaseWindow& one : windows) phases.push_back(one.item.phase);
  return phases;
}

TEST(TellingWindows, ForwardInsideDecodeIsDecode) {
  const auto kept =
      telling({window(0, 100, PhaseName::kDecode), window(20, 30, PhaseName::kForward),
               window(90, 120, PhaseName::kForward)});
  EXPECT_EQ(phases_of(kept), std::vector{PhaseName::kDecode});
}

TEST(TellingWindows, PrefillInsideDecodeAndDecodeInsideForwardTell) {
  using enum PhaseName;
  EXPECT_EQ(phases_of(telling({window(20, 30, kPrefill), window(0, 100, kDecode)})),
            (std::vector{kDecode, kPrefill}));
  EXPECT_EQ(phases_of(telling({window(0, 100, kForward), window(0, 50, kDecode)})),
            (std::vector{kForward, kDecode}));
}

TEST(TellingWindows, ForwardBehindDecodeTells) {
  using enum PhaseName;
  EXPECT_EQ(phases_of(telling({window(0, 20, kDecode), window(20, 30, kForward)})),
            (std::vector{kDecode, kForward}));
}

TEST(AnnotationPhases, LaunchTimeCountsNotDeviceTime) {
  WorkStream test;
  for (int i = 0; i < 10; ++i) test.kernel(kTestAdd);
  test.annotate("prefill", 0, 4);
  test.annotate("decode", 4, 10);
  const AnnotationPhases phases(test.made.trace);
  EXPECT_EQ(phases.of(test.cycles.stream, 3)->phase, PhaseName::kPrefill);
  EXPECT_EQ(phases.of(test.cycles.stream, 4)->phase, PhaseName::kDecode);
  EXPECT_EQ(phases.only_phase(test.cycles.stream), nullptr);
}

TEST(AnnotationPhases, TheInnermostCountsAndAfterItTheOuterOneAgain) {
  WorkStream test;
  for (int i = 0; i < 10; ++i) test.kernel(kTestAdd);
  test.annotate("forward", 0, 10);
  test.annotate("optimizer", 4, 6);
  const AnnotationPhases phases(test.made.trace);
  EXPECT_EQ(phases.of(test.cycles.stream, 3)->phase, PhaseName::kForward);
  EXPECT_EQ(phases.of(test.cycles.stream, 4)->phase, PhaseName::kOptimizer);
  EXPECT_EQ(phases.of(test.cycles.stream, 6)->phase, PhaseName::kForward);
}

TEST(AnnotationPhases, TheLaunchingThreadGoesBeforeOthers) {
  WorkStream test;
  test.kernel(kTestAdd);
  test.kernel(kTestAdd);
  const trace::TrackId other = test.made.add_host_thread("2");
  test.made.add(other, trace::Kind::kAnnotation, "backward", -1, 5'000);
  test.annotate("forward", 0, 1);
  const AnnotationPhases phases(test.made.trace);
  EXPECT_EQ(phases.of(test.cycles.stream, 0)->phase, PhaseName::kForward);
  EXPECT_EQ(phases.of(test.cycles.stream, 1)->phase, PhaseName::kBackward);
}

TEST(AnnotationPhases, CopiesOnTheDeviceServeWithoutLaunches) {
  WorkStream test;
  test.has_launches = false;
  test.kernel(kTestAdd);
  test.kernel(kTestAdd);
  test.annotate_device("decode", 0, 1);
  const AnnotationPhases phases(test.made.trace);
  EXPECT_EQ(phases.of(test.cycles.stream, 0)->phase, PhaseName::kDecode);
  EXPECT_EQ(phases.of(test.cycles.stream, 1), nullptr);
}

TEST(AnnotationPhases, MarkedStepsMayNamePhases) {
  WorkStream test;
  test.kernel(kTestAdd);
  test.step("step[DECODE bs=1]", 0, 1);
  const AnnotationPhases phases(test.made.trace);
  ASSERT_TRUE(phases.has_any(test.cycles.stream));
  EXPECT_EQ(phases.of(test.cycles.stream, 0)->phase, PhaseName::kDecode);
  EXPECT_EQ(phases.only_phase(test.cycles.stream)->phase, PhaseName::kDecode);
}

TEST(AnnotationPhases, OtherRanksDoNotCount) {
  WorkStream test;
  test.kernel(kTestAdd);
  test.made.add_rank(1);
  test.made.add(test.made.host, trace::Kind::kAnnotation, "decode", -1, 5'000);
  EXPECT_FALSE(AnnotationPhases(test.made.trace).has_any(test.cycles.stream));
}

TEST(AnnotationPhases, WhatThisProgramAddedIsNoEvidence) {
  WorkStream test;
  test.kernel(kTestAdd);
  test.made.add(test.cycles.stream.track, trace::Kind::kAnnotation, "decode", -1, 5'000,
                trace::kNoCorrelation, trace::kOwnAnnotationCategory);
  EXPECT_FALSE(AnnotationPhases(test.made.trace).has_any(test.cycles.stream));
}

}  // namespace
}  // namespace lockstep::analysis::cycles

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
  return {Time{start}, Time{end}, phase, {}};
}

TEST(InnermostWindows, CutTheOuterAroundTheInner) {
  const auto cut =
      innermost({window(0, 100, PhaseName::kForward), window(20, 30, PhaseName::kOptimizer),
                 window(120, 130, PhaseName::kForward)});
  ASSERT_EQ(cut.size(), 4U);
  EXPECT_EQ(cut[0].end, Time{20});
  EXPECT_EQ(cut[1].phase, PhaseName::kOptimizer);
  EXPECT_EQ(cut[1].end, Time{30});
  EXPECT_EQ(cut[2].start, Time{30});
  EXPECT_EQ(cut[2].end, Time{100});
  EXPECT_EQ(cut[3].start, Time{120});
}

TEST(InnermostWindows, ForwardInsideDecodeIsDecode) {
  const auto cut =
      innermost({window(0, 100, PhaseName::kDecode), window(20, 30, PhaseName::kForward)});
  ASSERT_EQ(cut.size(), 1U);
  EXPECT_EQ(cut[0].phase, PhaseName::kDecode);
  EXPECT_EQ(cut[0].end, Time{100});
}

TEST(InnermostWindows, OverlapsThatAreNoNestingEndOnce) {
  const auto cut =
      innermost({window(0, 50, PhaseName::kForward), window(30, 80, PhaseName::kBackward)});
  ASSERT_EQ(cut.size(), 2U);
  EXPECT_EQ(cut[0].end, Time{30});
  EXPECT_EQ(cut[1].end, Time{80});
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

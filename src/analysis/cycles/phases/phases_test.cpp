// Tests of phases: which evidence decides, and what spans come out.
#include "analysis/cycles/phases/phases.h"

#include <gtest/gtest.h>

#include "analysis/cycles/stream/work_stream_for_test.h"

namespace lockstep::analysis::cycles {
namespace {

constexpr std::string_view kLookup = "vectorized_gather_kernel";
constexpr std::string_view kKeep = "void vllm::reshape_and_cache_flash_kernel<int>";

// A prefill of 3 layers (13 kernels, its sampling last), then `passes` decode passes of 3 layers
// (13 kernels each), whose matrix kernels are others. Attention takes what the arguments say.
struct Generation {
  explicit Generation(std::uint32_t passes, std::int64_t prefill_ns, std::int64_t decode_ns,
                      std::int64_t growth_ns = 0) {
    add_pass("ampere_sgemm_256x128_nn", prefill_ns);
    for (std::uint32_t i = 0; i < passes; ++i) {
      add_pass(kTestGemm, decode_ns + growth_ns * static_cast<std::int64_t>(i));
    }
    test.loop(kNoLoop, {0}, 4, 3, 0);
    const std::int32_t decode = test.loop(kNoLoop, {13}, 13, passes, 1);
    std::vector<std::uint32_t> starts;
    for (std::uint32_t i = 0; i < passes; ++i) starts.push_back(13 + 13 * i);
    test.loop(decode, starts, 4, 3, 2);
  }

  void add_pass(std::string_view gemm, std::int64_t attention_ns) {
    for (int layer = 0; layer < 3; ++layer) {
      test.kernel(gemm);
      test.kernel(attention, attention_ns);
      test.kernel(gemm);
      test.kernel(layer == 0 ? kLookup : kKeep);
    }
    test.kernel(kTestSampling);
  }

  const std::vector<PhaseSpan>& phases() {
    classify(test.made.trace, test.cycles);
    return test.cycles.phases;
  }

  std::string_view attention = kTestAttention;
  WorkStream test;
};

TEST(Phases, LongNamesOfAnnotationsAreCutBetweenCharacters) {
  WorkStream test;
  for (int i = 0; i < 10; ++i) test.kernel(kTestAdd);
  test.loop(kNoLoop, {0}, 1, 10, 0);
  const std::string begin = "decode " + std::string(52, 'x');
  test.annotate(begin + "\u00E4", 0, 10);
  classify(test.made.trace, test.cycles);
  ASSERT_FALSE(test.cycles.loops.front().phase_evidence.empty());
  EXPECT_EQ(test.cycles.loops.front().phase_evidence.front().name, begin + "...");
}

TEST(Phases, AnnotationsDecideByLaunch) {
  Generation run(6, 100, 100);
  run.test.annotate("prefill", 0, 13);
  for (std::uint32_t i = 0; i < 6; ++i) run.test.annotate("decode", 13 + 13 * i, 26 + 13 * i);
  const auto& phases = run.phases();
  ASSERT_EQ(phases.size(), 2U);
  EXPECT_EQ(phases[0].phase, PhaseName::kPrefill);
  EXPECT_EQ(phases[0].start, 0U);
  EXPECT_EQ(phases[0].end, 13U);
  EXPECT_EQ(phases[0].passes, 1U);
  EXPECT_EQ(phases[0].layers, 3U);
  EXPECT_EQ(phases[0].loop, kNoLoop);
  EXPECT_EQ(phases[0].evidence.front().strength, Strength::kFact);
  EXPECT_EQ(phases[0].evidence.front().ground, PhaseGround::kAnnotatedKernels);
  EXPECT_EQ(phases[0].evidence.front().name, "prefill");
  EXPECT_EQ(phases[0].evidence.front().count, 13U);
  EXPECT_EQ(phases[0].evidence.front().of, 13U);
  EXPECT_EQ(phases[1].phase, PhaseName::kDecode);
  EXPECT_EQ(phases[1].end, 91U);
  EXPECT_EQ(phases[1].passes, 6U);
  EXPECT_EQ(phases[1].layers, 3U);
  EXPECT_EQ(phases[1].loop, 1);
  EXPECT_EQ(phases[1].evidence.front().ground, PhaseGround::kAnnotatedIterations);
  EXPECT_EQ(phases[1].evidence.front().name, "decode");
  EXPECT_EQ(phases[1].evidence.front().count, 6U);
}

TEST(Phases, LoopsTakeThePhaseOfTheirSpan) {
  Generation run(6, 100, 100);
  run.test.annotate("prefill", 0, 13);
  run.test.annotate("decode", 13, 91);
  run.phases();
  EXPECT_EQ(run.test.cycles.loops[0].phase, PhaseName::kPrefill) << "the layers of the prefill";
  EXPECT_EQ(run.test.cycles.loops[1].phase, PhaseName::kDecode);
  EXPECT_EQ(run.test.cycles.loops[2].phase, PhaseName::kDecode) << "the layers of a decode pass";
  EXPECT_FALSE(run.test.cycles.loops[2].phase_evidence.empty());
}

TEST(Phases, AttentionThatTakesMuchLongerIsThePrefill) {
  Generation run(6, 4'000, 500);
  const auto& phases = run.phases();
  EXPECT_EQ(phases[0].phase, PhaseName::kPrefill);
  EXPECT_EQ(phases[0].evidence.front().strength, Strength::kPossible);
  EXPECT_EQ(phases[1].phase, PhaseName::kDecode);
}

TEST(Phases, AttentionTimesBetweenPrefillAndDecodeTellNothing) {
  Generation run(6, 4'000, 500);
  for (int pass = 0; pass < 5; ++pass) {
    for (int layer = 0; layer < 2; ++layer) {
      run.test.kernel(kTestGemm);
      run.test.kernel(kTestAttention, 1'500);
    }
    run.test.kernel(kTestSampling);
  }
  run.test.loop(kNoLoop, {91}, 5, 5, 3);
  const auto& phases = run.phases();
  ASSERT_EQ(phases.size(), 3U);
  EXPECT_EQ(phases[1].phase, PhaseName::kDecode);
  EXPECT_EQ(phases[2].phase, PhaseName::kUnknown);
}

TEST(Phases, AttentionWithoutDurationTellsNothing) {
  Generation none(6, 0, 0);
  EXPECT_EQ(none.phases()[0].phase, PhaseName::kUnknown);
  EXPECT_EQ(none.phases()[1].phase, PhaseName::kUnknown);
  Generation half(6, 4'000, 0);
  for (const PhaseSpan& span : half.phases()) {
    for (const Evidence& evidence : span.evidence) {
      EXPECT_EQ(evidence.strength, Strength::kPossible) << static_cast<int>(evidence.ground);
    }
  }
}

TEST(Phases, AttentionOfMonthsIsComparedWithoutOverflow) {
  constexpr std::int64_t kMonthNs = 30LL * 24 * 3600 * 1'000'000'000;  // four of them do not fit
  Generation run(6, 100, kMonthNs);
  EXPECT_EQ(run.phases()[0].phase, PhaseName::kUnknown) << "shorter than the others";
}

TEST(Phases, AShortSinglePassDoesNotMakeManyPassesAPrefill) {
  Generation run(6, 20, 100);
  EXPECT_EQ(run.phases()[1].phase, PhaseName::kUnknown);
}

TEST(Phases, ASlowLoopOfDecodePassesIsNotTakenForAPrefill) {
  Generation run(6, 100, 500);
  run.test.annotate("decode", 13, 91);
  for (int pass = 0; pass < 5; ++pass) {
    for (int layer = 0; layer < 2; ++layer) {
      run.test.kernel(kTestGemm);
      run.test.kernel(kTestAttention, 50);
    }
    run.test.kernel(kTestSampling);
  }
  run.test.loop(kNoLoop, {91}, 5, 5, 3);
  const auto& phases = run.phases();
  EXPECT_EQ(phases[1].phase, PhaseName::kDecode);
  EXPECT_EQ(phases[2].phase, PhaseName::kUnknown) << "there is no prefill to compare with";
}

TEST(Phases, ASlowFirstStepOfTrainingIsNoPrefill) {
  WorkStream test;
  const auto step = [&](std::int64_t attention_ns) {
    for (int layer = 0; layer < 3; ++layer) {
      test.kernel(kTestGemm);
      test.kernel(kTestAttention, attention_ns);
      test.kernel(kTestBackward);
    }
  };
  step(4'000);
  test.kernel(kTestAdd);
  for (int i = 0; i < 5; ++i) step(500);
  test.loop(kNoLoop, {0}, 3, 3, 0);
  const std::int32_t steps = test.loop(kNoLoop, {10}, 9, 5, 1);
  test.loop(steps, {10, 19, 28, 37, 46}, 3, 3, 2);
  classify(test.made.trace, test.cycles);
  ASSERT_EQ(test.cycles.phases.size(), 2U);
  EXPECT_EQ(test.cycles.phases[0].phase, PhaseName::kTraining);
  EXPECT_EQ(test.cycles.phases[1].phase, PhaseName::kTraining);
}

TEST(Phases, GrowingAttentionIsDecode) {
  Generation run(16, 100, 100, 5);
  const auto& phases = run.phases();
  EXPECT_EQ(phases[1].phase, PhaseName::kDecode);
  EXPECT_EQ(phases[1].evidence.front().strength, Strength::kProbable);
  EXPECT_EQ(phases[1].evidence.front().ground, PhaseGround::kGrowth);
  EXPECT_EQ(phases[1].evidence.front().count, 8U);
  EXPECT_EQ(phases[1].evidence.front().of, 8U);
  EXPECT_EQ(run.test.cycles.loops[2].phase, PhaseName::kDecode) << "its layers are no evidence";
  EXPECT_EQ(run.test.cycles.loops[2].phase_evidence.size(), phases[1].evidence.size());
}

TEST(Phases, ShrinkingAttentionIsNoDecode) {
  Generation run(16, 100, 200, -5);
  EXPECT_EQ(run.phases()[1].phase, PhaseName::kUnknown);
}

TEST(Phases, PositionComesLast) {
  Generation run(6, 300, 100);
  const auto& phases = run.phases();
  EXPECT_EQ(phases[0].phase, PhaseName::kPrefill);
  EXPECT_EQ(phases[0].evidence.front().strength, Strength::kPossible);
  EXPECT_EQ(phases[1].phase, PhaseName::kDecode);
  EXPECT_EQ(phases[1].evidence.front().strength, Strength::kPossible);
}

TEST(Phases, UnknownIsAnAnswer) {
  Generation few(3, 300, 100);
  EXPECT_EQ(few.phases()[0].phase, PhaseName::kUnknown) << "three passes are no generation";
  EXPECT_EQ(few.phases()[1].phase, PhaseName::kUnknown);
  EXPECT_TRUE(few.phases()[1].evidence.empty());
  Generation shorter(6, 50, 100);
  EXPECT_EQ(shorter.phases()[0].phase, PhaseName::kUnknown) << "a prefill takes longer";
}

TEST(Phases, LaterEvidenceThatAgreesIsKeptAndWhatContradictsIsNot) {
  Generation run(16, 100, 100, 5);
  run.test.annotate("decode", 13, 221);
  EXPECT_EQ(run.phases()[1].evidence.size(), 2U);
  Generation other(16, 100, 100, 5);
  other.test.annotate("prefill", 13, 221);
  EXPECT_EQ(other.phases()[1].phase, PhaseName::kPrefill);
  EXPECT_EQ(other.phases()[1].evidence.size(), 1U);
}

TEST(Phases, FamiliesOfAttentionTellThePhase) {
  for (const auto& [kernel, phase] :
       {std::pair{kTestPrefill, PhaseName::kPrefill}, std::pair{kTestDecode, PhaseName::kDecode}}) {
    WorkStream test;
    test.kernels({kTestGemm, kernel, kTestGemm}, 4);
    test.loop(kNoLoop, {0}, 3, 4);
    classify(test.made.trace, test.cycles);
    ASSERT_EQ(test.cycles.phases.size(), 1U);
    EXPECT_EQ(test.cycles.phases[0].phase, phase);
    EXPECT_EQ(test.cycles.phases[0].layers, 4U);
    EXPECT_EQ(test.cycles.phases[0].evidence.front().strength, Strength::kProbable);
    EXPECT_EQ(test.cycles.loops[0].phase, phase);
  }
  WorkStream both;
  both.kernels({kTestGemm, kTestPrefill, kTestDecode, kTestGemm}, 4);
  both.loop(kNoLoop, {0}, 4, 4);
  classify(both.made.trace, both.cycles);
  EXPECT_EQ(both.cycles.phases[0].phase, PhaseName::kMixed);
  EXPECT_EQ(both.cycles.phases[0].layers, 4U) << "one layer, two attention kernels";
}

TEST(Phases, TrainingLayersGoForwardAndBackward) {
  WorkStream test;
  for (int step = 0; step < 2; ++step) {
    test.kernels({kTestGemm, kTestAttention, kTestAdd}, 3);
    test.kernels({kTestGemm, kTestBackward, kTestGemm, kTestAdd}, 3);
    test.kernels({kTestAdam}, 2);
  }
  const std::int32_t step = test.loop(kNoLoop, {0}, 23, 2);
  test.loop(step, {0, 23}, 3, 3, 1);
  test.loop(step, {9, 32}, 4, 3, 2);
  test.loop(step, {21, 44}, 1, 2, 3);
  classify(test.made.trace, test.cycles);
  ASSERT_EQ(test.cycles.phases.size(), 1U);
  EXPECT_EQ(test.cycles.phases[0].phase, PhaseName::kTraining);
  EXPECT_EQ(test.cycles.phases[0].passes, 2U);
  EXPECT_EQ(test.cycles.phases[0].layers, 3U);
  EXPECT_EQ(test.cycles.loops[0].role, LoopRole::kStep);
  EXPECT_EQ(test.cycles.loops[1].phase, PhaseName::kForward);
  EXPECT_EQ(test.cycles.loops[2].phase, PhaseName::kBackward);
  EXPECT_EQ(test.cycles.loops[2].phase_evidence.front().strength, Strength::kFact);
  EXPECT_EQ(test.cycles.loops[3].phase, PhaseName::kOptimizer);
}

TEST(Phases, MicroBatchesAreNoRequests) {
  WorkStream test;
  for (int step = 0; step < 2; ++step) {
    for (int batch = 0; batch < 2; ++batch) {
      test.kernels({kTestGemm, kTestAttention}, 3);
      test.kernels({kTestGemm, kTestBackward, kTestGemm}, 3);
    }
    test.kernel(kTestAdam);
  }
  const std::int32_t step = test.loop(kNoLoop, {0}, 31, 2);
  const std::int32_t batch = test.loop(step, {0, 31}, 15, 2, 1);
  test.loop(batch, {0, 15, 31, 46}, 2, 3, 2);
  classify(test.made.trace, test.cycles);
  EXPECT_EQ(test.cycles.loops[0].role, LoopRole::kStep);
  EXPECT_EQ(test.cycles.loops[1].role, LoopRole::kMicroStep);
}

TEST(Phases, TrainingAnnotationsNameThePartsOfAStep) {
  WorkStream test;
  for (int step = 0; step < 2; ++step) {
    test.kernels({kTestGemm, kTestAdd}, 3);
    test.kernels({kTestGemm, kTestGemm}, 3);
  }
  const std::int32_t step = test.loop(kNoLoop, {0}, 12, 2);
  test.loop(step, {0, 12}, 2, 3, 1);
  test.loop(step, {6, 18}, 2, 3, 2);
  for (std::uint32_t i = 0; i < 2; ++i) {
    test.annotate("## forward ##", 12 * i, 12 * i + 6);
    test.annotate("## backward ##", 12 * i + 6, 12 * i + 12);
  }
  classify(test.made.trace, test.cycles);
  EXPECT_EQ(test.cycles.loops[0].phase, PhaseName::kUnknown);
  EXPECT_EQ(test.cycles.loops[1].phase, PhaseName::kForward);
  EXPECT_EQ(test.cycles.loops[2].phase, PhaseName::kBackward);
}

TEST(Phases, CutOffIterationsBelongToTheirLoop) {
  Generation run(6, 100, 100);
  run.attention = kTestDecode;
  run.test.annotate("decode", 13, 91);
  run.test.kernels({kTestGemm, kTestAdd});
  run.test.cycles.nest.loops[1].instances[0].partial_after = 2;
  const auto& phases = run.phases();
  ASSERT_EQ(phases.size(), 3U);
  EXPECT_EQ(phases[2].phase, PhaseName::kDecode);
  EXPECT_EQ(phases[2].passes, 0U);
  EXPECT_EQ(phases[2].evidence.front().ground, PhaseGround::kCutOff);
  EXPECT_EQ(phases[2].evidence.front().phase, PhaseName::kDecode);

  Generation unknown(3, 100, 100);
  unknown.test.kernels({kTestGemm, kTestAdd});
  unknown.test.cycles.nest.loops[1].instances[0].partial_after = 2;
  EXPECT_TRUE(unknown.phases()[2].evidence.empty());
}

TEST(Phases, GraphReplaysTakeTheOnlyPhaseThatTheFileNames) {
  WorkStream test;
  test.has_launches = false;
  test.kernels({kTestGemm, kTestAttention}, 4);
  test.loop(kNoLoop, {0}, 2, 4);
  test.annotate("step[DECODE bs=32]", 0, 1);
  classify(test.made.trace, test.cycles);
  EXPECT_EQ(test.cycles.phases[0].phase, PhaseName::kDecode);
  EXPECT_EQ(test.cycles.phases[0].evidence.front().strength, Strength::kProbable);
}

TEST(Phases, AnAnnotationOfOtherKernelsSaysNothing) {
  WorkStream test;
  test.kernels({kTestGemm, kTestAttention}, 4);
  test.kernel(kTestAdd);
  test.loop(kNoLoop, {0}, 2, 4);
  test.annotate("decode", 8, 9);
  classify(test.made.trace, test.cycles);
  EXPECT_EQ(test.cycles.phases[0].phase, PhaseName::kUnknown);
}

TEST(Phases, MarkedStepsThatDecodeArePasses) {
  Generation run(6, 100, 100);
  run.test.annotate("decode", 13, 91);
  for (std::uint32_t i = 0; i < 7; ++i) {
    run.test.step("ProfilerStep#" + std::to_string(i), 13 * i, 13 * i + 13);
  }
  run.phases();
  EXPECT_EQ(run.test.cycles.loops[1].role, LoopRole::kPass);
}

TEST(Phases, HaveNames) {
  EXPECT_EQ(name_of(PhaseName::kPrefill), "prefill");
  EXPECT_EQ(name_of(PhaseName::kUnknown), "unknown");
  EXPECT_EQ(name_of(Strength::kFact), "fact");
  EXPECT_EQ(name_of(Strength::kPossible), "possible");
}

}  // namespace
}  // namespace lockstep::analysis::cycles

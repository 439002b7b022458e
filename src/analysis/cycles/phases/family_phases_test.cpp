// What passes whose phase is known tell of the others of their family.
#include <gtest/gtest.h>

#include "analysis/cycles/phases/pass_families.h"
#include "analysis/cycles/phases/pass_units_for_test.h"

namespace lockstep::analysis::cycles {
namespace {

TEST(FamilyPhases, BesideDecodePassesLongAttentionIsPrefill) {
  PassUnits units;
  const PhaseSpan& prefill = units.add({.attention_ns = 800});
  const PhaseSpan& decode = units.add({.attention_ns = 100}, 4, PhaseName::kDecode);
  units.families();
  EXPECT_EQ(prefill.phase, PhaseName::kPrefill);
  ASSERT_EQ(prefill.evidence.size(), 1U);
  EXPECT_EQ(prefill.evidence[0].ground, PhaseGround::kLongAttention);
  EXPECT_EQ(prefill.evidence[0].strength, Strength::kProbable);
  EXPECT_EQ(prefill.evidence[0].time.ps, 800'000);
  EXPECT_EQ(prefill.evidence[0].other_time.ps, 100'000);
  ASSERT_EQ(decode.evidence.size(), 2U) << "its own, and what the prefill says";
  EXPECT_EQ(decode.evidence[1].ground, PhaseGround::kShortAttention);
}

TEST(FamilyPhases, BesideDecodePassesLongerOnesOfOtherKernelsArePrefill) {
  PassUnits units;
  const PhaseSpan& clear = units.add({.gemm = kTestLongGemm, .gemm_ns = 200});
  const PhaseSpan& decode = units.add({.gemm_ns = 100}, 4, PhaseName::kDecode);
  units.families();
  EXPECT_EQ(clear.phase, PhaseName::kPrefill);
  ASSERT_EQ(clear.evidence.size(), 1U);
  EXPECT_EQ(clear.evidence[0].ground, PhaseGround::kLongerPass);
  EXPECT_EQ(clear.evidence[0].strength, Strength::kProbable);
  EXPECT_EQ(clear.evidence[0].time.ps, 1'600'000);
  EXPECT_EQ(clear.evidence[0].other_time.ps, 1'000'000);
  EXPECT_EQ(decode.evidence.back().ground, PhaseGround::kShorterPass);
}

TEST(FamilyPhases, PassesWithoutAttentionAreToldByTheirTimeToo) {
  PassUnits units;
  const PhaseSpan& other =
      units.add({.gemm = kTestLongGemm, .gemm_ns = 300, .attention = kTestAdd});
  units.add({.attention = kTestAdd}, 4, PhaseName::kDecode);
  units.families();
  EXPECT_EQ(other.phase, PhaseName::kPrefill);
}

constexpr std::string_view kTestSplit = "void flash::flash_fwd_splitkv_kernel<128>(int)";

TEST(FamilyPhases, ManyPassesWithSplitAttentionBesideOthersDecode) {
  PassUnits units;
  const PhaseSpan& prefill = units.add({.gemm = kTestLongGemm, .gemm_ns = 200, .samples = true});
  const PhaseSpan& decode = units.add({.attention = kTestSplit, .samples = true}, 4);
  units.families();
  EXPECT_EQ(decode.phase, PhaseName::kDecode);
  ASSERT_FALSE(decode.evidence.empty());
  EXPECT_EQ(decode.evidence[0].ground, PhaseGround::kSplitAttention);
  EXPECT_EQ(decode.evidence[0].strength, Strength::kProbable);
  EXPECT_EQ(prefill.phase, PhaseName::kPrefill);
}

TEST(FamilyPhases, AttentionAloneTellsClassesApart) {
  PassUnits units;
  const PhaseSpan& prefill = units.add({.attention_ns = 200, .samples = true});
  const PhaseSpan& decode = units.add({.attention = kTestSplit, .samples = true}, 4);
  units.families();
  EXPECT_EQ(decode.phase, PhaseName::kDecode) << "of the same matrix kernels";
  EXPECT_EQ(prefill.phase, PhaseName::kPrefill);
}

TEST(FamilyPhases, WhatSplitsInSomePassesDecodesInTheOthersOfItsClass) {
  PassUnits units;
  const PhaseSpan& prefill = units.add({.gemm = kTestLongGemm, .gemm_ns = 200, .samples = true});
  const PhaseSpan& early = units.add({.attention = "sdpa_sm80_flash_fprop_wmma", .samples = true});
  const PhaseSpan& late = units.add({.attention = "sdpa_sm80_flash_fprop_wmma",
                                     .helper = "cudnn::fusion::lean_reduction_kernel",
                                     .samples = true},
                                    4);
  units.families();
  EXPECT_EQ(prefill.phase, PhaseName::kPrefill);
  EXPECT_EQ(early.phase, PhaseName::kDecode) << "keys are few there";
  EXPECT_EQ(late.phase, PhaseName::kDecode);
}

TEST(FamilyPhases, SplitAttentionAloneIsOnlyPossiblyDecode) {
  PassUnits units;
  const PhaseSpan& alone = units.add({.attention = kTestSplit, .samples = true}, 4);
  units.families();
  EXPECT_EQ(alone.phase, PhaseName::kDecode);
  ASSERT_FALSE(alone.evidence.empty());
  EXPECT_EQ(alone.evidence[0].strength, Strength::kPossible);
}

TEST(FamilyPhases, ShortPromptsSplitAttentionToo) {
  PassUnits units;
  const PhaseSpan& piece =
      units.add({.gemm = kTestLongGemm, .gemm_ns = 200, .attention = kTestSplit, .samples = true});
  const PhaseSpan& many = units.add({.attention = kTestSplit, .samples = true}, 4);
  units.families();
  EXPECT_EQ(piece.phase, PhaseName::kUnknown) << "a longer decode pass, or a piece of a prompt";
  EXPECT_NE(many.phase, PhaseName::kPrefill);
}

TEST(FamilyPhases, FewPassesWithSplitAttentionTellNothing) {
  PassUnits units;
  const PhaseSpan& few = units.add({.attention = kTestSplit, .samples = true}, 2);
  const PhaseSpan& many = units.add({.gemm = kTestLongGemm, .samples = true}, 3);
  units.families();
  EXPECT_EQ(few.phase, PhaseName::kUnknown) << "short prompts beside large batches of answers";
  EXPECT_EQ(many.phase, PhaseName::kUnknown);
}

TEST(FamilyPhases, ALittleLongerIsOnlyPossible) {
  PassUnits units;
  const PhaseSpan& little = units.add({.gemm = kTestLongGemm, .gemm_ns = 110});
  units.add({.gemm_ns = 100}, 4, PhaseName::kDecode);
  units.families();
  EXPECT_EQ(little.phase, PhaseName::kPrefill);
  ASSERT_EQ(little.evidence.size(), 1U);
  EXPECT_EQ(little.evidence[0].strength, Strength::kPossible);
}

TEST(FamilyPhases, LongerPassesOfTheSameMatrixKernelsTellNothing) {
  PassUnits units;
  units.add({.attention_ns = 800}, 4, PhaseName::kDecode);
  const PhaseSpan& other = units.add({.gemm_ns = 900, .attention_ns = 100});
  units.families();
  EXPECT_EQ(other.phase, PhaseName::kUnknown);
}

TEST(FamilyPhases, AttentionWithoutDurationTellsNothing) {
  PassUnits units;
  units.add({.attention_ns = 0}, 4, PhaseName::kDecode);
  const PhaseSpan& other = units.add({.attention_ns = 500});
  units.families();
  EXPECT_EQ(other.phase, PhaseName::kDecode) << "as passes of the same kernels are";
}

TEST(FamilyPhases, ShorterPassesWithoutDecodeAttentionArePrefillBesideThoseWithIt) {
  PassUnits units;
  const PhaseSpan& other = units.add({.gemm = kTestLongGemm, .gemm_ns = 50});
  units.add({.attention = kTestDecode}, 4, PhaseName::kDecode);
  units.families();
  EXPECT_EQ(other.phase, PhaseName::kPrefill);
  ASSERT_EQ(other.evidence.size(), 1U);
  EXPECT_EQ(other.evidence[0].ground, PhaseGround::kOtherKernels);
  EXPECT_EQ(other.evidence[0].strength, Strength::kPossible);
}

TEST(FamilyPhases, ShorterPassesAreNoPrefillOtherwise) {
  PassUnits both;
  const PhaseSpan& decodes_too =
      both.add({.gemm = kTestLongGemm, .gemm_ns = 50, .attention = kTestDecode});
  both.add({.attention = kTestDecode}, 4, PhaseName::kDecode);
  both.families();
  EXPECT_EQ(decodes_too.phase, PhaseName::kUnknown);
  PassUnits neither;
  const PhaseSpan& other = neither.add({.gemm = kTestLongGemm, .gemm_ns = 50});
  neither.add({}, 4, PhaseName::kDecode);
  neither.families();
  EXPECT_EQ(other.phase, PhaseName::kUnknown);
}

TEST(FamilyPhases, ManyPassesThatSampleMayDecodeWhatStandsBeforeThem) {
  PassUnits units;
  const PhaseSpan& prefill = units.add(
      {.gemm = kTestLongGemm, .gemm_ns = 200, .samples = true, .looks_up = true, .keeps = true});
  const PhaseSpan& decode = units.add({.samples = true, .looks_up = true, .keeps = true}, 4);
  units.families();
  EXPECT_EQ(prefill.phase, PhaseName::kPrefill);
  EXPECT_EQ(decode.phase, PhaseName::kDecode);
  EXPECT_EQ(prefill.evidence.front().strength, Strength::kPossible) << "nothing is known";
}

TEST(FamilyPhases, LongAttentionBeforeManyPassesIsOnlyPossiblyAPrompt) {
  const PassWork longer{.attention_ns = 900, .samples = true, .looks_up = true, .keeps = true};
  const PassWork shorter{.samples = true, .looks_up = true, .keeps = true};
  PassUnits units;
  const PhaseSpan& prefill = units.add(longer);
  const PhaseSpan& decode = units.add(shorter, 4);
  units.families();
  EXPECT_EQ(prefill.phase, PhaseName::kPrefill);
  EXPECT_EQ(prefill.evidence.front().strength, Strength::kPossible)
      << "texts of two lengths look the same";
  EXPECT_EQ(decode.evidence.front().strength, Strength::kPossible);
  PassUnits behind;
  const PhaseSpan& first = behind.add(shorter, 4);
  behind.add(longer);
  behind.families();
  EXPECT_EQ(first.phase, PhaseName::kUnknown);
}

TEST(FamilyPhases, WhatKeepsNoKeysDoesNotDecode) {
  PassUnits units;  // an encoder that tells classes: a large batch, then small ones
  const PhaseSpan& large =
      units.add({.gemm = kTestLongGemm, .gemm_ns = 200, .samples = true, .looks_up = true});
  const PhaseSpan& small = units.add({.samples = true, .looks_up = true}, 20);
  units.families();
  EXPECT_EQ(large.phase, PhaseName::kUnknown);
  EXPECT_EQ(small.phase, PhaseName::kUnknown);
}

TEST(FamilyPhases, WhatHasNoAttentionKeepsStates) {
  PassUnits units;
  const PhaseSpan& prefill = units.add({.gemm = kTestLongGemm,
                                        .gemm_ns = 200,
                                        .attention = kTestAdd,
                                        .samples = true,
                                        .looks_up = true});
  const PhaseSpan& decode =
      units.add({.attention = kTestAdd, .samples = true, .looks_up = true}, 4);
  units.families();
  EXPECT_EQ(prefill.phase, PhaseName::kPrefill);
  EXPECT_EQ(decode.phase, PhaseName::kDecode);
}

TEST(FamilyPhases, WhatLooksNoWordUpDoesNotDecode) {
  PassUnits pictures;
  const PhaseSpan& many = pictures.add({.attention_ns = 900, .samples = true});
  const PhaseSpan& few = pictures.add({.samples = true}, 4);
  pictures.families();
  EXPECT_EQ(many.phase, PhaseName::kUnknown);
  EXPECT_EQ(few.phase, PhaseName::kUnknown);
}

TEST(FamilyPhases, ButNotWhereTheyAreFewOrDoNotSampleOrStandFirst) {
  const auto are_unknown = [](PassUnits& units) {
    for (const PassFamily& family : units.families()) {
      for (const PassClass& one : family.classes)
        if (one.phase != PhaseName::kUnknown) return false;
    }
    return true;
  };
  const PassWork longer{
      .gemm = kTestLongGemm, .gemm_ns = 200, .samples = true, .looks_up = true, .keeps = true};
  const PassWork shorter{.samples = true, .looks_up = true, .keeps = true};
  PassUnits few;
  few.add(longer);
  few.add(shorter, 3);
  EXPECT_TRUE(are_unknown(few));
  PassUnits silent;
  silent.add({.gemm = kTestLongGemm, .gemm_ns = 200, .looks_up = true, .keeps = true});
  silent.add({.looks_up = true, .keeps = true}, 4);
  EXPECT_TRUE(are_unknown(silent)) << "an encoder";
  PassUnits first;
  first.add(shorter, 4);
  first.add(longer);
  EXPECT_TRUE(are_unknown(first));
  PassUnits as_many;
  as_many.add(longer, 3);
  as_many.add(shorter, 4);
  EXPECT_TRUE(are_unknown(as_many)) << "an answer has more words than its prompt has parts";
}

TEST(FamilyPhases, WhatIsKnownStays) {
  PassUnits units;
  const PhaseSpan& mixed = units.add({.gemm = kTestLongGemm, .gemm_ns = 200}, 1, PhaseName::kMixed);
  const PhaseSpan& decode = units.add({}, 4, PhaseName::kDecode);
  units.families();
  EXPECT_EQ(mixed.phase, PhaseName::kMixed);
  EXPECT_EQ(mixed.evidence.size(), 1U);
  EXPECT_EQ(decode.evidence.size(), 1U) << "no prefill is beside it";
}

TEST(FamilyPhases, WhatIsKnownStaysAmongPassesOfTwoPhases) {
  PassUnits units;
  const PassWork longer{.gemm = kTestLongGemm, .gemm_ns = 200};
  const PhaseSpan& unknown = units.add(longer);
  const PhaseSpan& mixed = units.add(longer, 1, PhaseName::kMixed);
  const PhaseSpan& prefill = units.add(longer, 1, PhaseName::kPrefill);
  units.add({}, 4, PhaseName::kDecode);
  units.families();
  EXPECT_EQ(unknown.phase, PhaseName::kPrefill);
  EXPECT_EQ(mixed.phase, PhaseName::kMixed);
  EXPECT_EQ(mixed.evidence.size(), 1U);
  EXPECT_EQ(prefill.evidence.size(), 2U);
}

TEST(FamilyPhases, OtherFamiliesTellNothing) {
  PassUnits units;
  const PhaseSpan& other = units.add({.gemm = kTestLongGemm, .gemm_ns = 900, .layers = 4});
  units.add({}, 4, PhaseName::kDecode);
  units.families();
  EXPECT_EQ(other.phase, PhaseName::kUnknown);
}

TEST(FamilyPhases, WhereAStreamTrainsPassesTellNothingOfOthers) {
  PassUnits units;
  const PhaseSpan& other = units.add({.gemm = kTestLongGemm, .gemm_ns = 900});
  units.add({}, 4, PhaseName::kDecode);
  units.test.kernels({kTestAdam, kTestAdam});
  units.families();
  EXPECT_EQ(other.phase, PhaseName::kUnknown);
}

}  // namespace
}  // namespace lockstep::analysis::cycles

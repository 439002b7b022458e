// Tests of what looks like decode or training and is none.
#include <gtest/gtest.h>

#include "analysis/cycles/phases/phases.h"
#include "analysis/cycles/stream/work_stream_for_test.h"

namespace lockstep::analysis::cycles {
namespace {

TEST(PhaseLookalikes, WhereMatrixWorkGrowsAsWellNothingIsTold) {
  WorkStream test;  // batches sorted by length, or a device that slows down
  for (int pass = 0; pass < 16; ++pass) {
    for (int layer = 0; layer < 3; ++layer) {
      test.kernel(kTestGemm, 100 + pass);
      test.kernel(kTestAttention, 100 + 5 * pass);
    }
    test.kernel(kTestSampling);
  }
  test.loop(kNoLoop, {0}, 7, 16);
  classify(test.made.trace, test.cycles);
  EXPECT_EQ(test.cycles.phases.at(0).phase, PhaseName::kUnknown);
}

TEST(PhaseLookalikes, ListsOfTensorsAreScaledInInferenceToo) {
  constexpr std::string_view kForeach = "void multi_tensor_apply_kernel<UnaryOpFunctor>(int)";
  const auto phase_with = [&](std::string_view more) {
    WorkStream test;
    for (int pass = 0; pass < 4; ++pass) {
      test.kernels({kTestGemm, kTestAttention, kTestGemm, kTestAdd}, 3);
      test.kernels({kForeach, more});
    }
    const std::int32_t passes = test.loop(kNoLoop, {0}, 14, 4);
    test.loop(passes, {0, 14, 28, 42}, 4, 3, 1);
    classify(test.made.trace, test.cycles);
    return test.cycles.phases.at(0).phase;
  };
  EXPECT_EQ(phase_with(kForeach), PhaseName::kUnknown);
  EXPECT_EQ(phase_with("layer_norm_grad_input_kernel"), PhaseName::kTraining);
  EXPECT_EQ(phase_with("fused_adam_kernel"), PhaseName::kTraining);
}

TEST(PhaseLookalikes, AForeignKernelOfAttentionThatGoesBackIsNoTraining) {
  const auto phase_with = [&](std::string_view attention, std::string_view more) {
    WorkStream test;
    for (int pass = 0; pass < 8; ++pass) {
      test.kernels({kTestGemm, attention, kTestGemm, kTestGemm, kTestGemm, kTestAdd}, 3);
      test.kernels({kTestAdd, kTestAdd});
    }
    const std::int32_t passes = test.loop(kNoLoop, {0}, 20, 8);
    test.loop(passes, {0, 20, 40, 60, 80, 100, 120, 140}, 6, 3, 1);
    test.kernels({kTestBackward, more});
    classify(test.made.trace, test.cycles);
    return test.cycles.phases.at(0).phase;
  };
  EXPECT_EQ(phase_with(kTestAttention, kTestAdd), PhaseName::kUnknown);
  EXPECT_EQ(phase_with("some_mixing_kernel", kTestAdd), PhaseName::kUnknown);
  EXPECT_EQ(phase_with(kTestAttention, "layer_norm_grad_input_kernel"), PhaseName::kForward);
}

TEST(PhaseLookalikes, LayersThatOnlyGoBackAreNotForeign) {
  WorkStream test;
  for (int pass = 0; pass < 4; ++pass) {
    test.kernels({kTestGemm, kTestBackward, kTestGemm, kTestGemm, kTestGemm}, 3);
    test.kernel(kTestAdd);
  }
  test.loop(kNoLoop, {0}, 16, 4);
  classify(test.made.trace, test.cycles);
  EXPECT_EQ(test.cycles.phases.at(0).phase, PhaseName::kBackward);
}

TEST(PhaseLookalikes, WordsAreLookedUpInFusedKernelsToo) {
  const auto lookups = [](std::string_view name) {
    WorkStream test;
    test.kernel(name);
    return WorkCounter(test.cycles.stream).whole().lookups;
  };
  EXPECT_EQ(lookups("triton_red_fused__to_copy_embedding_mean_mul_pow_rsqrt_0"), 1U);
  EXPECT_EQ(lookups("triton_poi_fused_embedding_0"), 1U);
  EXPECT_EQ(lookups("triton_per_fused__to_copy__unsafe_view_add_embedding_mean_mul_pow_rsqrt_8"),
            0U)
      << "behind a product: the same words again";
  EXPECT_EQ(lookups("triton_poi_fused_embedding_dense_backward_1"), 0U);
  EXPECT_EQ(lookups("void vllm::rotary_embedding_kernel<c10::BFloat16, true>(long const*)"), 0U);
}

TEST(PhaseLookalikes, OtherKernelsThatGrowAreNoDecode) {
  WorkStream test;
  for (int pass = 0; pass < 16; ++pass) {
    for (int layer = 0; layer < 3; ++layer) {
      test.kernel(kTestGemm, 100 + 5 * pass);
      test.kernel(kTestAttention, 100);
    }
    test.kernel(kTestSampling);
  }
  test.loop(kNoLoop, {0}, 7, 16);
  classify(test.made.trace, test.cycles);
  EXPECT_EQ(test.cycles.loops[0].role, LoopRole::kPass);
  EXPECT_EQ(test.cycles.phases[0].phase, PhaseName::kUnknown);
}

}  // namespace
}  // namespace lockstep::analysis::cycles

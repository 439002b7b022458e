// Kernels of layers without attention: what they are for, and which of them counts layers.
#include "analysis/kernels/state_space_roles.h"

#include <string_view>

#include <gtest/gtest.h>

#include "analysis/kernels/role.h"

namespace lockstep::analysis::kernels {
namespace {

struct MixerSample {
  std::string_view name;
  AttentionUse use;
};

TEST(StateSpaceRoles, MixersRunOnceALayer) {
  constexpr auto kEither = AttentionUse::kUnknown;
  constexpr auto kDecode = AttentionUse::kDecode;
  constexpr auto kBackward = AttentionUse::kBackward;
  constexpr MixerSample kMixers[] = {
      {"void selective_scan_fwd_kernel<Selective_Scan_fwd_kernel_traits<128, 16> >(SSMParamsBase)",
       kEither},
      {"void selective_scan_bwd_kernel<Selective_Scan_bwd_kernel_traits<128, 16> >(SSMParamsBwd)",
       kBackward},
      {"_selective_scan_update_kernel", kDecode},
      {"_chunk_scan_fwd_kernel", kEither},
      {"_chunk_scan_chunk_state_bwd_dx_kernel", kBackward},
      {"chunk_fwd_kernel_o", kEither},
      {"chunk_bwd_kernel_dqkwg", kBackward},
      {"chunk_gla_fwd_kernel_o", kEither},
      {"fused_recurrent_gated_delta_rule_fwd_kernel", kDecode},
      {"fused_recurrent_rwkv6_fwd_kernel", kDecode},
      {"fused_sigmoid_gating_delta_rule_update_kernel", kDecode},
      {"_fwd_none_diag_kernel", kEither},
      {"_linear_attn_decode_kernel", kDecode},
  };
  for (const MixerSample& sample : kMixers) {
    const KernelFacts facts = kernel_facts(sample.name);
    EXPECT_EQ(facts.role, KernelRole::kAttention) << sample.name;
    EXPECT_EQ(facts.attention, sample.use) << sample.name;
    EXPECT_TRUE(facts.is_mixer) << sample.name;
    EXPECT_TRUE(facts.is_attention_anchor) << sample.name;
  }
}

TEST(StateSpaceRoles, TheRestOfTheirChainCountsNoLayers) {
  for (const std::string_view name : {
           "_chunk_state_fwd_kernel",
           "_state_passing_fwd_kernel",
           "_chunk_cumsum_fwd_kernel",
           "_bmm_chunk_fwd_kernel",
           "_chunk_scan_bwd_dstates_kernel",
           "chunk_gated_delta_rule_fwd_kernel_h_blockdim64",
           "chunk_scaled_dot_kkt_fwd_kernel",
           "merge_16x16_to_64x64_inverse_kernel",
           "recompute_w_u_fwd_kernel",
           "_fwd_kv_parallel",
       }) {
    EXPECT_EQ(kernel_facts(name).role, KernelRole::kAttention) << name;
    EXPECT_FALSE(kernel_facts(name).is_attention_anchor) << name;
  }
  EXPECT_EQ(kernel_facts("fused_gdn_gating_kernel").role, KernelRole::kElementwise);
  EXPECT_EQ(kernel_facts("chunk_local_cumsum_scalar_kernel").role, KernelRole::kReduction);
}

TEST(StateSpaceRoles, AttentionIsNoMixer) {
  for (const std::string_view name : {
           "void flash::flash_fwd_kernel<Flash_fwd_kernel_traits<64> >(int)",
           "kernel_unified_attention_2d",
           "_fwd_kernel",
       }) {
    EXPECT_TRUE(kernel_facts(name).is_attention_anchor) << name;
    EXPECT_FALSE(kernel_facts(name).is_mixer) << name;
  }
}

}  // namespace
}  // namespace lockstep::analysis::kernels

// Kernels that mix the tokens of a sequence by a state. They have the role of what they stand for,
// attention; the one of them that runs once a layer has the mark of a mixer. The first match wins.
#include "analysis/kernels/state_space_roles.h"

namespace lockstep::analysis::kernels {
std::span<const RolePattern> state_space_patterns() {
  using enum KernelRole;
  constexpr auto kUse = AttentionUse::kUnknown;
  constexpr auto kDecode = AttentionUse::kDecode;
  constexpr auto kBackward = AttentionUse::kBackward;
  constexpr auto kMixer = RolePattern::Mark::kMixer;
  static constexpr RolePattern kPatterns[] = {
      // state-spaces/mamba csrc/selective_scan; mamba_ssm/ops/triton/selective_state_update.py; the
      // same names in vllm csrc/mamba and flashinfer include/flashinfer/mamba.
      {"selective_scan_update", kAttention, kDecode, kMixer},
      {"selective_state_update", kAttention, kDecode, kMixer},
      {"selective_scan_bwd", kAttention, kBackward, kMixer},
      {"selective_scan", kAttention, kUse, kMixer},
      // Mamba 2: state-spaces/mamba mamba_ssm/ops/triton/ssd_combined.py, ssd_chunk_scan.py,
      // ssd_chunk_state.py, ssd_state_passing.py, ssd_bmm.py; also vllm mamba/ops.
      {"_chunk_scan_chunk_state_bwd", kAttention, kBackward, kMixer},
      {"_chunk_scan_bwd", kAttention, kBackward},
      {"_chunk_scan_fwd", kAttention, kUse, kMixer},
      {"_chunk_state_bwd", kAttention, kBackward},
      {"_chunk_state_", kAttention},
      {"_state_passing_bwd", kAttention, kBackward},
      {"_state_passing_", kAttention},
      {"_chunk_cumsum_bwd", kAttention, kBackward},
      {"_chunk_cumsum_", kAttention},
      {"_bmm_chunk_bwd", kAttention, kBackward},
      {"_bmm_chunk_", kAttention},
      // fla-org/flash-linear-attention fla/ops: */fused_recurrent.py (the recurrent update of every
      // rule, RWKV's among them), and sglang attention/fla/fused_sigmoid_gating_recurrent.py.
      {"fused_recurrent*bwd", kAttention, kBackward},
      {"fused_recurrent", kAttention, kDecode, kMixer},
      {"fused_sigmoid_gating_delta_rule_update", kAttention, kDecode, kMixer},
      // fla/ops/common/chunk_o.py, gla/chunk.py, generalized_delta_rule/dplr/chunk_o_fwd.py: the
      // output of a chunk, last of the chain of a layer; dqkwg opens its way back.
      {"chunk_fwd_kernel_o", kAttention, kUse, kMixer},
      {"chunk_gla_fwd_kernel_o", kAttention, kUse, kMixer},
      {"chunk_dplr_fwd_kernel_o", kAttention, kUse, kMixer},
      {"chunk_bwd_kernel_dqkwg", kAttention, kBackward, kMixer},
      // The rest of that chain: fla/ops/common/chunk_h.py, chunk_delta_h.py,
      // chunk_scaled_dot_kkt.py,
      // gated_delta_rule/wy_fast.py, utils/solve_tril.py, utils/cumsum.py.
      {"chunk_fwd_kernel_h", kAttention},
      {"chunk_bwd_kernel_", kAttention, kBackward},
      {"chunk_gla_fwd", kAttention},
      {"chunk_gla_bwd", kAttention, kBackward},
      {"chunk_dplr_fwd", kAttention},
      {"chunk_dplr_bwd", kAttention, kBackward},
      {"delta_rule*bwd", kAttention, kBackward},
      {"delta_rule", kAttention},
      {"chunk_scaled_dot_kkt", kAttention},
      {"recompute_w_u_fwd", kAttention},
      {"prepare_wy_repr_bwd", kAttention, kBackward},
      {"prepare_wy_repr", kAttention},
      {"solve_tril_", kAttention},
      {"x16_to_64x64_inverse", kAttention},  // merge_16x16_to_64x64_inverse_kernel
      {"x16_to_32x32_inverse", kAttention},
      {"chunk_local_cumsum", kReduction},
      {"chunk_global_cumsum", kReduction},
      {"fused_gdn_gating", kElementwise},  // vllm and sglang, gating of gated delta nets
      // Lightning attention: OpenNLPLab/lightning-attention, vllm lightning_attn.py.
      {"^_fwd_none_diag_kernel", kAttention, kUse, kMixer},
      {"^_fwd_diag_kernel", kAttention},
      {"^_fwd_kv_parallel", kAttention},
      {"^_fwd_kv_reduce", kAttention},
      {"linear_attn_decode_kernel", kAttention, kDecode, kMixer},
  };
  return kPatterns;
}

}  // namespace lockstep::analysis::kernels

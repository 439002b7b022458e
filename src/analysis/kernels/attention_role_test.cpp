// What the names of kernels say of attention: which are its anchors, and what they are for.
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "analysis/kernels/role.h"

namespace lockstep::analysis::kernels {
namespace {

struct AttentionSample {
  std::string_view name;
  AttentionUse use;
};

TEST(AttentionRole, TellsWhatAttentionIsFor) {
  constexpr auto kEither = AttentionUse::kUnknown;
  constexpr auto kPrefill = AttentionUse::kPrefill;
  constexpr auto kDecode = AttentionUse::kDecode;
  constexpr auto kBackward = AttentionUse::kBackward;
  const std::vector<AttentionSample> anchors = {
      {"void pytorch_flash::flash_fwd_kernel<pytorch_flash::Flash_fwd_kernel_traits<64, 128>, "
       "false>(pytorch_flash::Flash_fwd_params)",
       kEither},
      {"void flash::flash_fwd_splitkv_kernel<Flash_fwd_kernel_traits<128, 64> >(int)",
       AttentionUse::kSplit},
      {"void flash::flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel<Flash_bwd_kernel_traits<64> "
       ">(int)",
       kBackward},
      {"void cutlass::device_kernel<flash::enable_sm90_or_later<flash::FlashAttnFwdSm90<"
       "flash::CollectiveMainloopFwdSm90<2> > > >(int)",
       kEither},
      {"cudnn_generated_fort_native_sdpa_sm90_flash_fprop_wgmma_f16_knob_7_64x128x64_4x1x1",
       kEither},
      {"cudnn_generated_fort_native_sdpa_sm90_flash_bprop_wgmma_f16_knob_26_64x64x64_1x4x1",
       kBackward},
      {"fmha_cutlassF_bf16_aligned_64x64_rf_sm80(PyTorchMemEffAttention::AttentionKernel)",
       kEither},
      {"fmha_cutlassB_bf16_aligned_64x64_k64_sm80(PyTorchMemEffAttention::Kernel)", kBackward},
      {"void flashinfer::BatchPrefillWithPagedKVCacheKernel<(flashinfer::MaskMode)1>(int)",
       kPrefill},
      {"void flashinfer::BatchDecodeWithPagedKVCacheKernel<(flashinfer::PosEncodingMode)0>(int)",
       kDecode},
      {"void vllm::paged_attention_v2_kernel<unsigned short, 128, 16>(float*)", kDecode},
      {"void paged_attention_ll4mi_QKV_mfma16_kernel<0, __hip_bfloat16, ck_tile::ComposedAttention<"
       "0u, false> >(int)",
       kDecode},
      {"kernel_unified_attention_2d", kEither},
      {"void qk_int_sv_f8_attn_kernel<128u, 64u, 32u, 64u, 128u, (DataType)1>(signed char*)",
       kEither},
      {"void qk_int8_sv_f8_attn_kernel<64u, 128u, 128u>(CUtensorMap)", kEither},
      {"void flash::compute_attn_ws<Flash_fwd_kernel_traits<128>, true>(int)", kEither},
      {"void flashinfer::mla::BatchMLAPagedAttentionKernel<flashinfer::mla::KernelTraits<true> "
       ">(int)",
       kEither},
      {"void flashinfer::PersistentKernelTemplate<flashinfer::BlockBatchPagedAttentionPersistent<"
       "int> >(int)",
       kEither},
      {"sm90::decode::sparse_fp8::flash_fwd_splitkv_mla_fp8_sparse_kernel<int>(int)", kDecode},
      {"aiter::mla_a8w8_qh16_qseqlen1_gqaratio16_ps", kDecode},
      {"_fwd_grouped_kernel_stage1", kDecode},
      {"attn_fwd", kEither},
      {"fmha_fprop_fp16_512_64_sm80_kernel", kEither},
      {"mha_forward", kEither},
      {"void fwd_attend_ker<128, false>(int)", kEither},
      {"bwd_kernel_fuse", kBackward},
      {"void ck_tile::kentry<1, ck_tile::FmhaFwdKernel<ck_tile::BlockFmhaPipelineQRKSVS> >(int)",
       kEither},
      {"aiter::fmha_fwd_hd128_bf16_causal", kEither},
      {"aiter::fmha_bwd_hd128_bf16_causal_a32", kBackward},
      {"void mmha::masked_multihead_attention_kernel<unsigned short, 128>(int)", kDecode},
      {"triton_tem_fused_flex_attention_0", kEither},
      {"FlashAttentionScore", kEither},
      {"aclnnFlashAttentionScoreGrad_FlashAttentionScoreGrad_FlashAttentionScoreGrad", kBackward},
      {"FusedInferAttentionScore", kEither},
      {"PromptFlashAttention", kPrefill},
      {"IncreFlashAttention", kDecode},
      {"FusedInferAttentionScore_da27c2f4b00c_1000", kEither},
      {"fmhaSm100aKernel_QkvE4m3OBfloat16H128PagedKvCausalP64VarSeqQ128Kv128PersistentContext",
       kPrefill},
      {"fmhaSm100fKernel_QkvBfloat16OBfloat16HQk576HV512PagedKvDenseP64StaticSwapsAbForGen",
       kDecode},
      {"void "
       "cutlass::device_kernel<cutlass::fmha::kernel::Sm100FmhaMlaKernelTmaWarpspecialized<int>"
       " >(int)",
       kDecode},
      {"void ck::kernel_batched_gemm_softmax_gemm_xdl_cshuffle_v1<int>(int)", kEither},
      {"void flash_fwd_splitkv_mla_kernel<Flash_fwd_kernel_traits_mla<576> >(int)", kDecode},
  };
  for (const AttentionSample& sample : anchors) {
    const KernelFacts facts = kernel_facts(sample.name);
    EXPECT_EQ(facts.role, KernelRole::kAttention) << sample.name;
    EXPECT_TRUE(facts.is_attention_anchor) << sample.name;
    EXPECT_EQ(facts.attention, sample.use) << sample.name;
  }
}

TEST(AttentionRole, TellsAttentionThatGoesBackFromItsHelpers) {
  for (
      const std::string_view name : {
          "void cutlass::device_kernel<flash::enable_sm90<flash::FlashAttnBwdSm90<"
          "flash::CollectiveMainloopBwdSm90<2> > > >(int)",
          "kernel_cutlass_kernel_flash_attncuteflash_bwd_sm100FlashAttentionBackwardSm100_object_"
          "at",
          "void cutlass::device_kernel<cutlass::fmha::kernel::Sm100FmhaBwdKernelTmaWarpSpecialized<"
          "int> >(int)",
          "void ck_tile::kentry<256, 1, ck_tile::FmhaBwdDQDKDVKernel<ck_tile::BlockFmhaBwd> >(int)",
          "void ck::kernel_batched_multihead_attention_backward_xdl_cshuffle_v1<int>(int)",
          "aiter::fmha_bwd_hd128_bf16_causal_a32_rtne",
          "fmha_cutlassB_bf16_aligned_64x64_k64_sm80(PyTorchMemEffAttention::"
          "AttentionBackwardKernel<cutlass::arch::Sm80>::Params)",
          "fmha_dgrad_fp16_512_64_sm80_kernel",
          "my_custom_fmha_bprop",
          "cudnn_generated_fort_native_sdpa_sm80_flash_bprop_wmma_f16_knob_5_64x64x64_4x1x1",
          "_attn_bwd",
          "_attn_bwd_dkdv",
          "_bwd_kernel",
          "_bwd_kernel_dk_dv",
          "_bwd_kernel_dkdv_causal",
          "_bwd_kernel_fused_atomics_dkdvdq_noncausal",
          "bwd_kernel_dkdv",
          "parallel_attn_bwd_kernel_dkv",
          "triton_tem_fused_flex_attention_backward_3",
          "mha_backward",
          "void bwd_attend_ker<128, true>(int)",
          "void attend_bwd_combined_ker<128>(int)",
          "FlashAttentionScoreGrad",
          "FlashAttentionScoreGrad_bf16",
          "FlashAttentionScoreGrad_3f4_10000000001110",
          "FlashAttentionUnpaddingScoreGrad_bf16",
          "SparseFlashAttentionGrad",
          "LaserAttentionGrad",
      }) {
    const KernelFacts facts = kernel_facts(name);
    EXPECT_EQ(facts.role, KernelRole::kAttention) << name;
    EXPECT_TRUE(facts.is_attention_anchor) << name;
    EXPECT_EQ(facts.attention, AttentionUse::kBackward) << name;
  }
  for (const std::string_view name : {
           "kernel_cutlass_kernel_flash_attncuteflash_bwd_preprocessFlashAttentionBackward_object",
           "kernel_cutlass_kernel_flash_attncuteflash_bwd_postprocessFlashAttentionBackward_object",
           "void cutlass::device_kernel<flash::FlashAttnBwdPostprocessConvertdQ<int> >(int)",
           "void flash::flash_bwd_convert_dkv_kernel<Flash_bwd_kernel_traits<64> >(int)",
           "void cutlass::device_kernel<cutlass::fmha::kernel::FmhaKernelBwdSumOdO<int> >(int)",
           "void cutlass::device_kernel<cutlass::fmha::kernel::FmhaKernelBwdConvert<int> >(int)",
           "void ck_tile::kentry<64, 2, ck_tile::FmhaBwdOGradDotOKernel<int> >(int)",
           "void ck_tile::kentry<256, 2, ck_tile::FmhaBwdConvertQGradKernel<int> >(int)",
           "void ck::kernel_batched_multihead_attention_backward_ydotygrad_v1<int>(int)",
           "aiter::fmha_bwd_hd128_dq_shuffle",
           "fmha_noloop_reduce_kernel",
           "_attn_bwd_preprocess",
           "_attn_bwd_dq",
           "_bwd_kernel_dq",
           "_bwd_kernel_dq_causal",
           "_bwd_kernel_split_dq_causal",
           "_bwd_kernel_fused_atomics_dq_noncausal",
           "parallel_attn_bwd_kernel_dq",
           "parallel_attn_bwd_kernel_preprocess",
           "mha_preprocess_backward",
           "void bwd_attend_prep_ker<128>(int)",
       }) {
    const KernelFacts facts = kernel_facts(name);
    EXPECT_EQ(facts.role, KernelRole::kAttention) << name;
    EXPECT_FALSE(facts.is_attention_anchor) << name;
    EXPECT_EQ(facts.attention, AttentionUse::kBackward) << name;
  }
}

TEST(AttentionRole, HelpersOfAttentionCountNoLayers) {
  for (const std::string_view name : {
           "void vllm::reshape_and_cache_flash_kernel<__hip_bfloat16, __hip_bfloat16>(int)",
           "void paged_attention_ll4mi_reduce_kernel<__hip_bfloat16, __hip_bfloat16, 128>(int)",
           "void vllm::paged_attention_v2_reduce_kernel<unsigned short, 128>(int)",
           "triton_poi_fused__scaled_dot_product_cudnn_attention__to_copy_add_arange_bmm_cat_1",
           "triton_poi_fused__scaled_dot_product_efficient_attention_0",
           "create_flashinfer_kv_indices_triton",
           "void flash::flash_fwd_splitkv_combine_kernel<Flash_fwd_kernel_traits<128> >(int)",
           "void flash::flash_bwd_dot_do_o_kernel<true, Flash_bwd_kernel_traits<64> >(int)",
           "void flash::flash_bwd_convert_dq_kernel<Flash_bwd_kernel_traits<64> >(int)",
           "void cutlass::device_kernel<flash::FlashAttnBwdPreprocess<cute::tuple<int> > >(int)",
           "void cutlass::device_kernel<flash::FlashAttnFwdCombine<cute::tuple<int> > >(int)",
           "void cudnn::fusion::compute_dot_do_o_specialized<true, 64>(void const*)",
           "void cudnn::fusion::convert_dq_to_16bits<true>(void const*)",
           "void cudnn::fusion::lean_reduction_kernel<false, false, false>(void*)",
           "void flashinfer::PersistentVariableLengthMergeStatesKernel<8u, 16u>(float*)",
           "aiter::fmha_bwd_hd128_odo_bf16",
           "aiter::fmha_bwd_hd64_dq_convert_bf16",
           "bwd_preprocess",
           "_fwd_kernel_stage2",
           "void "
           "cutlass::device_kernel<cutlass::reduction::kernel::Sm100FmhaMlaReductionKernel<int>"
           " >(int)",
           "void (anonymous namespace)::store_kvcache<2048l, 4, false, long>(int)",
           "void flash::prepare_varlen_num_blocks_kernel<1>(int)",
       }) {
    EXPECT_FALSE(kernel_facts(name).is_attention_anchor) << name;
  }
}

TEST(AttentionRole, SoftmaxStandsInForAttentionThatIsWrittenOut) {
  for (const std::string_view name : {
           "void (anonymous namespace)::scaled_upper_triang_masked_softmax_warp_forward<c10::Half, "
           "c10::Half, float, 11>(c10::Half*)",
           "void (anonymous namespace)::softmax_warp_forward<float, float, float, 10, false, "
           "true>(float*)",
           "void <unnamed>::softmax_warp_forward<float, float, float, (int)6, (bool)0, "
           "(bool)0>(T2*)",
           "void at::native::(anonymous namespace)::cunn_SoftMaxForward<4, float, float, float, "
           "at::native::(anonymous namespace)::SoftMaxForwardEpilogue>(float*)",
           "triton_per_fused__softmax_add_3",
           "SoftmaxV2",
       }) {
    EXPECT_TRUE(kernel_facts(name).is_softmax) << name;
    EXPECT_EQ(kernel_facts(name).attention, AttentionUse::kNone) << name;
  }
  const KernelFacts backward = kernel_facts(
      "void (anonymous namespace)::softmax_warp_backward<float, float, float, 10, false, "
      "false>(x)");
  EXPECT_TRUE(backward.is_softmax);
  EXPECT_EQ(backward.attention, AttentionUse::kBackward);
}

TEST(AttentionRole, SoftmaxOfALossOrARouterIsNoAttention) {
  for (const std::string_view name : {
           "void (anonymous namespace)::softmax_warp_forward<float, float, float, 10, true, "
           "false>(float*)",
           "void at::native::(anonymous namespace)::cunn_SoftMaxForward<4, float, float, float, "
           "at::native::(anonymous namespace)::LogSoftMaxForwardEpilogue>(float*)",
           "triton_red_fused__log_softmax_4",
           "aclnnLogSoftmax_LogSoftmaxAiCore_LogSoftmaxV2",
           "void vllm::moe::topkGatingSoftmax<8, 128, 4, 16, int>(float const*)",
       }) {
    EXPECT_FALSE(kernel_facts(name).is_softmax) << name;
  }
}

}  // namespace
}  // namespace lockstep::analysis::kernels

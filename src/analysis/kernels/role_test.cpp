// Tests of roles: names as profilers of each vendor write them.
#include "analysis/kernels/role.h"

#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "analysis/kernels/role_table.h"

namespace lockstep::analysis::kernels {
namespace {

struct Sample {
  std::string_view name;
  KernelRole role;
};

using enum KernelRole;

void expect_roles(const std::vector<Sample>& samples) {
  for (const Sample& sample : samples) {
    EXPECT_EQ(name_of(kernel_facts(sample.name).role), name_of(sample.role)) << sample.name;
  }
}

constexpr std::string_view kSiluForward =
    "void at::native::vectorized_elementwise_kernel<8, at::native::(anonymous namespace)::"
    "silu_kernel(at::TensorIteratorBase&)::{lambda()#1}::operator()() const::{lambda(float)#1}, "
    "std::array<char*, 2ul> >(int, std::array<char*, 2ul>)";
constexpr std::string_view kDirectCopy =
    "void at::native::unrolled_elementwise_kernel<at::native::direct_copy_kernel_cuda("
    "at::TensorIteratorBase&)::{lambda()#3}::operator()() const::{lambda(float)#1}, "
    "std::array<char*, 2ul>, 4>(int, std::array<char*, 2ul>)";
constexpr std::string_view kArgMax =
    "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<c10::BFloat16, "
    "at::native::ArgMaxOps<float>, unsigned int, long, 4, 4> >(at::native::ReduceOp<float>)";

TEST(KernelRole, KnowsPyTorchsOwnKernels) {
  expect_roles({
      {kSiluForward, kActivation},
      {"void at::native::vectorized_elementwise_kernel<8, at::native::(anonymous namespace)::"
       "launch_clamp_scalar(at::TensorIteratorBase&)::{lambda()#1}>(int)",
       kActivation},
      {kDirectCopy, kCopy},
      {kArgMax, kSampling},
      {"void at::native::vectorized_elementwise_kernel<8, at::native::GeluBackwardCUDAKernelImpl("
       "at::TensorIteratorBase&, at::native::GeluType)::{lambda()#2}>(int)",
       kActivation},
      {"void at::native::elementwise_kernel<128, 4, at::native::gpu_kernel_impl_nocast<"
       "at::native::BinaryFunctor<float, float, float, at::native::binary_internal::MulFunctor<"
       "float> > > >(int)",
       kElementwise},
      {"void at::native::vectorized_elementwise_kernel<4, at::native::rsqrt_kernel_cuda(x)>(int)",
       kElementwise},
      {"void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, at::native::MeanOps<"
       "float> > >(int)",
       kReduction},
      {"void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, at::native::NormTwoOps<"
       "float> > >(int)",
       kReduction},
      {"void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<float, float>(int)",
       kNorm},
      {"void at::native::(anonymous namespace)::GammaBetaBackwardCUDAKernel<float, float>(long)",
       kNorm},
      {"void at::native::(anonymous namespace)::CatArrayBatchedCopy<float, unsigned int, 3, 64, "
       "64>(float*)",
       kCopy},
      {"void at::native::(anonymous namespace)::indexSelectLargeIndex<float>(int)", kCopy},
      {"void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float> >(int)",
       kCopy},
      {"void at::native::(anonymous namespace)::multi_tensor_apply_kernel<at::native::(anonymous "
       "namespace)::TensorListMetadata<2>, at::native::(anonymous namespace)::LpNormFunctor<"
       "float> >(int)",
       kOptimizer},
      {"void at::native::(anonymous namespace)::distribution_elementwise_grid_stride_kernel<"
       "float, 4, at::native::templates::cuda::normal_and_transform<float> >(int)",
       kElementwise},
      {"void at::native::(anonymous namespace)::fused_dropout_kernel_vec<float, 4>(int)",
       kElementwise},
      {"void at::native::(anonymous namespace)::max_pool_forward_nchw<float, float>(int)",
       kReduction},
      {"void at::native::sbtopk::gatherTopK<float, unsigned int, 2, false>(int)", kSampling},
      {"void (anonymous namespace)::elementwise_kernel_with_index<int, "
       "at::native::arange_cuda_out(c10::Scalar const&)::{lambda()#1}>(int)",
       kElementwise},
      {"void cub::DeviceRadixSortOnesweepKernel<cub::DeviceRadixSortPolicy<long, float> >(int*)",
       kOther},
      {"void cub::DeviceScanKernel<cub::AgentScanPolicy<128, 15, long> >(long*)", kReduction},
  });
}

TEST(KernelRole, KnowsNvidiasLibrariesAndEngines) {
  expect_roles({
      {"nvjet_sm90_tst_64x8_64x16_4x1_v_bz_splitK_TNT", kGemm},
      {"ampere_fp16_s16816gemm_fp16_128x256_ldg8_f2f_stages_64x3_tn", kGemm},
      {"void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_64x64_64x6_tn_align8>"
       "(cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_64x64_64x6_tn_align8::Params)",
       kGemm},
      {"void cublasLt::splitKreduce_kernel<32, 16, int, "
       "float>(cublasLt::cublasSplitKParams<float>)",
       kGemm},
      {"std::enable_if<!(false), void>::type internal::gemvx::kernel<int, int, float>(int)", kGemm},
      {"sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1_execute_"
       "segment_k_off_kernel__5x_cublas",
       kGemm},
      {"sm80_xmma_fprop_implicit_gemm_indexed_f16f16_f16f32_f32_nhwckrsc_nhwc_kernel_cudnn",
       kConvolution},
      {"cudnn_infer_volta_scudnn_128x64_relu_small_nn_v1", kConvolution},
      {"void cudnn::winograd_nonfused::winogradForwardData4x4<float, float>(int)", kConvolution},
      {"void cudnn::bn_fw_tr_1C11_kernel_NCHW<float, float, int, 128, true, 1, true>(int)", kNorm},
      {"void cudnn::ops::nchwToNhwcKernel<float, float, float, false, true>(int)", kCopy},
      {"void deep_gemm::sm90_fp8_gemm_1d2d_impl<0u, 7168u, 2048u>(float*)", kGemm},
      {"void deep_gemm::sm90_m_grouped_fp8_gemm_contiguous<7168u>(float*)", kExpertGemm},
      {"void cutlass::device_kernel<cutlass::gemm::kernel::GemmUniversal<cutlass::gemm::"
       "GroupProblemShape<cute::tuple<int, int, int> > > >(int)",
       kExpertGemm},
      {"fused_moe_kernel", kExpertGemm},
      {"void vllm::moe::topkGatingSoftmax<8, 128, 4, 16, int>(float const*)", kMoeRouting},
      {"void vllm::moe::moe_align_block_size_kernel<int>(int const*)", kMoeRouting},
      {"void vllm::rms_norm_kernel<c10::BFloat16>(c10::BFloat16*)", kNorm},
      {"void flashinfer::norm::FusedAddRMSNormKernel<8u, __nv_bfloat16>(__nv_bfloat16*)", kNorm},
      {"void vllm::rotary_embedding_kernel<c10::BFloat16, true>(long const*)", kRope},
      {"void flashinfer::BatchQKApplyRotaryPosIdsCosSinCacheEnhancedKernel<true>(int)", kRope},
      {"void tensorrt_llm::kernels::applyBiasRopeUpdateKVCacheV2<__nv_bfloat16>(int)", kRope},
      {"void vllm::act_and_mul_kernel<c10::BFloat16, &vllm::silu_kernel, true>(int)", kActivation},
      {"void vllm::dynamic_per_token_scaled_fp8_quant_kernel<c10::BFloat16>(int)", kElementwise},
      {"void vllm::cross_device_reduce_1stage<__nv_bfloat16, 8>(vllm::RankData*)", kCommunication},
      {"void flashinfer::trtllm_allreduce_fusion::allreduce_fusion_kernel_oneshot_lamport<1>(int)",
       kCommunication},
      {"ncclDevKernel_AllReduce_Sum_f16_RING_LL(ncclDevComm*, unsigned long, ncclWork*)",
       kCommunication},
      {"void deep_ep::internode::dispatch<true, 8>(int4*)", kCommunication},
      {"void dpsk::ep::internode::combine<false, 8>(int4*)", kCommunication},
      {"void dpsk::ep::cuda::get_dispatch_layout<256, 32, 8>(long const*)", kMoeRouting},
      {"void deep_ep::layout::get_dispatch_layout<256, 32, 8>(long const*)", kMoeRouting},
      {"tensorrt_llm::kernels::moeAllToAllKernel(MoeEpWorldInfo)", kCommunication},
      {"aclnnAlltoAllvGroupedMatMul_AlltoAllvGroupedMatMul_AlltoAllvGroupedMatMul", kCommunication},
      {"GroupedMatmul", kExpertGemm},
      {"void QuantInt8Kernel<64u, 128u, true, __half>(__half*, signed char*)", kElementwise},
      {"void MeanScaleKernel<64u, 128u, false, __half>(__half*, signed char*)", kElementwise},
      {"l2norm_fwd_kernel", kNorm},
      {"void at_cuda_detail::cub::detail::scan::DeviceScanKernel<int, std::plus<int> >(int*)",
       kReduction},
      {"void at::cuda::kernelHistogram1D<int, int, long, 1, 2, -1>(int)", kReduction},
      {"void tensorflow::functor::FillPhiloxRandomKernelLaunch<tensorflow::random::"
       "UniformDistribution<Eigen::half> >(unsigned long const*)",
       kElementwise},
      {"void cuda::per_token_cast_back_special_fmt_impl<3>(void const*)", kElementwise},
      {"void cuda::clean_and_count_expert<512>(long const*, int*)", kMoeRouting},
      {"void causal_conv1d_fwd_kernel<Causal_conv1d_fwd_kernel_traits<128, 4> >(int)",
       kConvolution},
      {"void flashinfer::sampling::TopKTopPSamplingFromProbKernel<1024u>(float*)", kSampling},
      {"void multi_tensor_apply_kernel<TensorListMetadata<4>, AdamFunctor<float>, float>(int)",
       kOptimizer},
      {"void fbgemm_gpu::permute_2D_data_kernel<false, int, int>(int)", kCopy},
      {"void cuApplyLayerNorm<c10::Half, float, c10::Half>(c10::Half*)", kNorm},
      {"void tensorrt_llm::kernels::mla::applyMLARopeAndAssignQKVKernelGeneration<float>(int)",
       kRope},
      {"void tensorrt_llm::kernels::cutlass_kernels::doActivationKernel<float>(int)", kActivation},
      {"bmm_E4m3_E4m3E4m3_Fp32_t128x8x128u2_s6_et64x8_m64x8x32_cga1x1x1_TN_swiGlu_dynB_sm100f",
       kExpertGemm},
  });
}

TEST(KernelRole, KnowsAmdsLibraries) {
  expect_roles({
      {"Cijk_Alik_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_MT64x32x256_MI16x16x1_SN_LDSB1", kGemm},
      {"void wvSplitK_hf_sml_<__hip_bfloat16, 64, 2, 16, 8, 2, 1>(int)", kGemm},
      {"void ck_tile::kentry<1, ck_tile::BatchedGemmKernel<ck_tile::TileGemmShape> >(int)", kGemm},
      {"_ZN7ck_tile6kentryILi1ENS_12Rmsnorm2dFwdINS_27Rmsnorm2dFwdPipelineOnePassI", kNorm},
      {"_ZN5aiter24add_rmsnorm_quant_kernelIDF16bDF16bLi256ELi16ELb0ELb0ELb1ELi1EEEvPT0_PT_Pf",
       kNorm},
      {"_ZN7sgl_hip10activation18act_and_mul_kernelI14__hip_bfloat16TnPFT_RKS3_EXadL_Z4siluIS2_ES3_"
       "S5_EEEEvPS3_PS4_i",
       kActivation},
      {"aiter::fmoe_bf16_blockscaleFp8_g1u1_vs_silu_1tg_32x256", kExpertGemm},
      {"void ck_tile::kentry<4, ck_tile::MoeSortingKernel<ck_tile::MoeSortingProblemEx> >(int)",
       kMoeRouting},
      {"_matmul_ogs_NNT_bf16xbf16xmxfp4_128x128x128x1_swiglu", kExpertGemm},
      {"_combined_routing_compute", kMoeRouting},
      {"_topk_forward", kMoeRouting},
      {"igemm_fwd_gtcx2_nhwc_bf16_bx0_ex1_bt64x64x64_wt16x16x16_ws1x1_wr2x2", kConvolution},
      {"miopenSp3AsmConv_v30_3_1_gfx9_fp32_f2x3_stride1", kConvolution},
      {"batched_transpose_32x64_pack_2x4_ediv_1x2_half", kCopy},
      {"__amd_rocclr_copyBuffer", kCopy},
      {"__amd_rocclr_fillBufferAligned.kd", kCopy},
      {"SubTensorOpWithScalar1d", kCopy},
      {"ncclDevKernel_Generic_1(ncclDevKernelArgsStorage<4096ul>)", kCommunication},
      {"void ck_tile::kentry<2, ck_tile::MoeFlatmmKernel<int> >(int)", kExpertGemm},
      {"void rcclGenericKernel<0>(int)", kCommunication},
      {"void rocprim::detail::partition_kernel<(rocprim::detail::select_method)0, true>(int)",
       kOther},
  });
}

TEST(KernelRole, KnowsAscendsOperatorTypes) {
  expect_roles({
      {"MatMulV2", kGemm},
      {"aclnnMm_MatMulV3Common_MatMulV3", kGemm},
      {"aclnnMm_MatMulCommon_MemSet", kCopy},
      {"QuantBatchMatmulV3", kGemm},
      {"GroupedMatmul", kExpertGemm},
      {"MoeGatingTopKSoftmax", kMoeRouting},
      {"MoeInitRoutingV2", kMoeRouting},
      {"MoeDistributeDispatch", kCommunication},
      {"RmsNorm", kNorm},
      {"AddRmsNorm", kNorm},
      {"aclnnLayerNorm_LayerNormV3_LayerNormV3", kNorm},
      {"aclnnLinalgVectorNorm_LpNormV2_LpNormV2", kReduction},
      {"RotaryPositionEmbeddingGrad", kRope},
      {"RotaryMul", kRope},
      {"InterleaveRope", kRope},
      {"SwiGlu", kActivation},
      {"aclnnThresholdBackward_ReluGrad_ReluGrad", kActivation},
      {"Cast", kCopy},
      {"trans_Cast_5", kCopy},
      {"trans_TransData_12", kCopy},
      {"aclnnCat_ConcatD_ConcatD", kCopy},
      {"aclnnAdds_AddAiCore_Add", kElementwise},
      {"aclnnMuls_Muls_Muls", kElementwise},
      {"StatelessDropOutGenMask/DSASTATELESSGENBITMASK", kElementwise},
      {"aclnnReduceSum_ReduceSumOpAiCore_ReduceSum", kReduction},
      {"ReduceSum7", kReduction},
      {"Conv2DBackpropFilter10", kConvolution},
      {"Conv2DBackpropFilter10_MemSet", kCopy},
      {"aclnnApplyAdamWV2_ApplyAdamWV2_ApplyAdamWV2", kOptimizer},
      {"aclnnForeachAddListV2_ForeachAddListV2_ForeachAddList", kOptimizer},
      {"aclnnTopk_TopkV2_TopKV2", kSampling},
      {"hcom_allReduce__210_0_1", kCommunication},
      {"NonZero", kOther},
      {"LinearIndexV2", kOther},
      {"MatMulV2_da27c2f4b00c_1000", kGemm},
  });
}

TEST(KernelRole, ReadsWhatTritonFused) {
  expect_roles({
      {"triton_per_fused__to_copy__unsafe_view_add_mean_mul_pow_rsqrt_17", kNorm},
      {"triton_red_fused_native_layer_norm_3", kNorm},
      {"triton_poi_fused__to_copy__unsafe_view_add_bmm_cat_cos_mul_neg_sin_slice_view_3", kRope},
      {"triton_poi_fused__unsafe_view_mul_silu_8", kActivation},
      {"triton_poi_fused_gelu_5", kActivation},
      {"triton_poi_fused__unsafe_view_cat_transpose_view_4", kCopy},
      {"triton_poi_fused__to_copy_1", kCopy},
      {"triton_poi_fused_add_2", kElementwise},
      {"triton_per_fused__softmax_1", kReduction},
      {"triton_red_fused_sum_12", kReduction},
      {"triton_tem_fused_mm_0", kGemm},
      {"triton_mm", kGemm},
      {"triton_for_fused_0", kOptimizer},
      {"triton__0d1d2d3de", kOther},
  });
}

TEST(KernelRole, ReadsTheFusionsOfXla) {
  expect_roles({
      {"gemm_fusion_dot_31", kGemm},
      {"gemm_fusion_dot_general_1", kGemm},
      {"loop_add_fusion_19", kElementwise},
      {"loop_multiply_tanh_fusion", kActivation},
      {"loop_convert_fusion", kCopy},
      {"input_add_reduce_fusion", kReduction},
      {"input_transpose_fusion_2", kCopy},
      {"wrapped_subtract_20", kElementwise},
      {"wrapped_transpose", kCopy},
      {"fusion_333", kOther},
      {"__cudnn$fmhaSoftmax", kAttention},
      {"cublas-lt-matmul.3", kGemm},
      {"all-reduce.1", kCommunication},
      {"void Eigen::internal::EigenMetaKernel<Eigen::TensorEvaluator<Eigen::TensorConversionOp> >"
       "(int)",
       kCopy},
  });
}

TEST(KernelRole, ParametersSayNothing) {
  EXPECT_EQ(kernel_facts("mystery(flash_attention_params, gemm_t)").role, kOther);
}

TEST(KernelRole, NamesThatNobodyKnowsAreOther) {
  for (const std::string_view name :
       {"", "_", "42", "mystery", "DeviceProperties", "add", "Select<int>", "<", "*", "$"}) {
    EXPECT_EQ(kernel_facts(name).role, kOther) << name;
  }
}

TEST(KernelRole, RolesHaveNames) {
  for (std::size_t i = 0; i < kKernelRoleCount; ++i) {
    const auto role = static_cast<KernelRole>(i);
    EXPECT_EQ(kernel_role_named(name_of(role)), role);
  }
  EXPECT_EQ(name_of(kMoeRouting), "moe_routing");
  EXPECT_EQ(kernel_role_named("nonsense"), std::nullopt);
}

TEST(KernelRole, PatternsAreInLowerCase) {
  for (const RoleSection& section : role_sections()) {
    for (const RolePattern& entry : section.patterns) {
      for (const char c : entry.pattern) EXPECT_FALSE(c >= 'A' && c <= 'Z') << entry.pattern;
    }
  }
}

}  // namespace
}  // namespace lockstep::analysis::kernels

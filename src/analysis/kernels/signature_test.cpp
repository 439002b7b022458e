// Tests of signatures: the specification's table, and what its first implementation got wrong.
#include "analysis/kernels/signature.h"

#include <string>

#include <gtest/gtest.h>

namespace lockstep::analysis::kernels {
namespace {

TEST(KernelSignature, FollowsTheTableOfTheSpecification) {
  EXPECT_EQ(kernel_signature("void at::native::kernel<float, 4, true>"), "void at::native::kernel");
  EXPECT_EQ(kernel_signature("triton_poi_fused_relu_0"), "triton_poi_fused_relu");
  EXPECT_EQ(kernel_signature("ck_tile::kentry_GROUP_K_128"), "ck_tile::kentry");
}

TEST(KernelSignature, CutsEveryConfigurationSuffix) {
  for (const std::string marker :
       {"_GROUP_K_", "_GROUP_N_", "_GROUP_SIZE_", "_BLOCK_SIZE_", "_SPLITK_BLOCK_SIZE_",
        "_NUM_KSPLIT_", "_ACTUAL_KSPLIT_", "_MAX_KSPLIT_", "_GRID_MN_", "_GRID_", "_EVEN_K_",
        "_cache_modifier_"}) {
    EXPECT_EQ(kernel_signature("_gemm_a8w8" + marker + "64_tail"), "gemm_a8w8") << marker;
  }
  EXPECT_EQ(kernel_signature("_gemm_afp4_BLOCK_SIZE_M_16_GROUP_K_128"), "gemm_afp4");
}

TEST(KernelSignature, CutsAtTheLastTileSize) {
  EXPECT_EQ(kernel_signature("ampere_sgemm_128x64_nn"), "ampere_sgemm");
  EXPECT_EQ(kernel_signature("batched_transpose_16x64_pack_1x4_ediv_1x2_half"),
            "batched_transpose_16x64_pack_1x4_ediv");
  EXPECT_EQ(kernel_signature("kernel_128xfoo"), "kernel_128xfoo");
}

TEST(KernelSignature, StripsNumbersOfAnyLength) {
  EXPECT_EQ(kernel_signature("triton_per_fused_mean_mul_pow_rsqrt_12"),
            kernel_signature("triton_per_fused_mean_mul_pow_rsqrt_7"));
  EXPECT_EQ(kernel_signature("hcom_allReduce__210_0_1"), "hcom_allReduce");
}

TEST(KernelSignature, KeepsDigitsThatAreNoSuffix) {
  EXPECT_EQ(kernel_signature("Conv2D1"), "Conv2D1");
  EXPECT_EQ(kernel_signature("MatMulV2"), "MatMulV2");
}

TEST(KernelSignature, CutsVariantsAtTheEndOnly) {
  EXPECT_EQ(kernel_signature("aiter::fmoe_bf16_g1u1_vs_silu_1tg_32x256"),
            "aiter::fmoe_bf16_g1u1_vs_silu");
  EXPECT_EQ(kernel_signature("aiter::fmoe_silu_1tg_ps"), "aiter::fmoe_silu");
  EXPECT_EQ(kernel_signature("aiter::fmoe_silu_novs"), "aiter::fmoe_silu");
  EXPECT_EQ(kernel_signature("copy_psum_kernel"), "copy_psum_kernel");
}

TEST(KernelSignature, ParametersDoNotCount) {
  EXPECT_EQ(
      kernel_signature("ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(ncclWorkElem)"),
      kernel_signature("ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(ncclDevComm*, ncclWork*)"));
  EXPECT_EQ(kernel_signature("ncclDevKernel_Generic_1(ncclDevKernelArgsStorage<4096ul>)"),
            "ncclDevKernel_Generic");
}

TEST(KernelSignature, UnnamedNamespacesAreKept) {
  EXPECT_EQ(kernel_signature("void (anonymous namespace)::softmax_warp_forward<float, 10>(float*)"),
            "void (anonymous namespace)::softmax_warp_forward");
  EXPECT_EQ(kernel_signature("void <unnamed>::softmax_warp_forward<float, (int)6>(T2 *, int)"),
            "void <unnamed>::softmax_warp_forward");
}

TEST(KernelSignature, OperatorsAreNoTemplates) {
  EXPECT_EQ(kernel_signature("bool less::operator<(int, int)"), "bool less::operator<");
  EXPECT_EQ(kernel_signature("stream& operator<<(stream&, int)"), "stream& operator<<");
  EXPECT_EQ(kernel_signature("void run::operator()<float>(float*)"), "void run::operator()");
}

TEST(KernelSignature, ResultTypesAreLeftOut) {
  EXPECT_EQ(kernel_signature("std::enable_if<!(false), void>::type "
                             "internal::gemvx::kernel<int, float>(int)"),
            "internal::gemvx::kernel");
  EXPECT_EQ(kernel_signature("void kernel<traits::type >(int)"), "void kernel");
}

TEST(KernelSignature, MangledNamesAreReadFirst) {
  EXPECT_EQ(kernel_signature("_ZN7sgl_hip10activation18act_and_mul_kernelIfEEvPT_i"),
            "void sgl_hip::activation::act_and_mul_kernel");
  EXPECT_EQ(kernel_signature("scale_rows.kd"), "scale_rows");
}

TEST(KernelSignature, MangledNamesWithUnknownTypesGiveTheirFunction) {
  EXPECT_EQ(kernel_signature("_ZN5aiter24add_rmsnorm_quant_kernelIDXXX"),
            "aiter::add_rmsnorm_quant_kernel");
  EXPECT_EQ(kernel_signature("_ZN99aiter"), "ZN99aiter");
  EXPECT_EQ(kernel_signature("my4test"), "my4test") << "not mangled at all";
}

TEST(KernelSignature, IsNeverEmpty) {
  for (const std::string name :
       {"_", "_1", "_GRID_", "<", "()", "a<b>", "(x)", "_vs", "ab_12", ".kd"}) {
    EXPECT_FALSE(kernel_signature(name).empty()) << name;
  }
  EXPECT_EQ(kernel_signature("ab_12"), "ab_12");
  EXPECT_EQ(kernel_signature(""), "");
}

TEST(NameWithoutNumbers, PutsOneSignForEachNumber) {
  EXPECT_EQ(name_without_numbers("decode_12 (bs=3)"), "decode_# (bs=#)");
  EXPECT_EQ(name_without_numbers("hcom_allReduce__586_0_1"), "hcom_allReduce__#_#_#");
  EXPECT_EQ(name_without_numbers("plain"), "plain");
  EXPECT_EQ(name_without_numbers(""), "");
}

}  // namespace
}  // namespace lockstep::analysis::kernels

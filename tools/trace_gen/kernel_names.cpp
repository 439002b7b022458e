// Builds the pool of kernel names from families seen in traces of PyTorch on an H200.
#include "kernel_names.h"

#include <string_view>

#include <fmt/format.h>

namespace lockstep::tracegen {
namespace {

using Names = std::vector<KernelName>;

constexpr std::string_view kBf16 = "c10::BFloat16";
constexpr std::string_view kFloat = "float";
constexpr std::string_view kAnon = "at::native::(anonymous namespace)";

void add_gemms(Names& names) {
  const auto add = [&](std::string text) { names.push_back({std::move(text), KernelRole::kGemm}); };
  for (const std::string_view tile :
       {"192x128_64x5_1x2_h", "192x192_64x3_2x1_v", "128x128_64x6_2x1_v", "256x128_64x4_1x2_h",
        "64x256_64x4_2x1_v", "320x128_64x3_1x2_h"}) {
    add(fmt::format("nvjet_sm90_tst_{}_bz_coopB_TNT", tile));
    add(fmt::format("nvjet_sm90_tst_{}_bz_coopB_bias_NNT", tile));
  }
  for (const std::string_view tile : {"256x128_32x3_tn", "128x256_32x3_nn", "128x128_32x5_nt",
                                      "256x64_64x4_tn", "64x64_64x6_nn"}) {
    const std::string gemm =
        fmt::format("cutlass_80_tensorop_bf16_s16816gemm_bf16_{}_align8", tile);
    add(fmt::format("void cutlass::Kernel2<{0}>({0}::Params)", gemm));
  }
  for (const std::string_view tile : {"128x128x64", "128x256x64", "64x128x64"}) {
    add(
        fmt::format("sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize{}_warpgroupsize1x1x1_"
                    "execute_segment_k_off_kernel__5x_cublas",
                    tile));
  }
  add("void cublasLt::splitKreduce_kernel<32, 16, int, __nv_bfloat16, __nv_bfloat16, float, "
      "__nv_bfloat16, true, true, false>(cublasLt::cublasSplitKParams<float>, __nv_bfloat16 "
      "const*, __nv_bfloat16 const*, __nv_bfloat16*, float const*, float const*, void*, long)");
}

void add_attention(Names& names) {
  const auto add = [&](std::string text) {
    names.push_back({std::move(text), KernelRole::kAttention});
  };
  for (const int head : {64, 96, 128}) {
    const std::string traits = fmt::format(
        "Flash_fwd_kernel_traits<{}, 128, 64, 4, false, false, cutlass::bfloat16_t>", head);
    add(
        fmt::format("void pytorch_flash::flash_fwd_kernel<{}, false, true, false, false, true, "
                    "true, false>(pytorch_flash::Flash_fwd_params)",
                    traits));
    add(
        fmt::format("void pytorch_flash::flash_fwd_splitkv_combine_kernel<{}, 4, 5, true>"
                    "(pytorch_flash::Flash_fwd_params)",
                    traits));
  }
  for (const int knob : {7, 26, 35}) {
    add(
        fmt::format("cudnn_generated_fort_native_sdpa_sm90_flash_fprop_wgmma_f16_knob_{}_"
                    "64x128x64_4x1x1_cga1x1x1_kernel0_0",
                    knob));
  }
}

void add_norms(Names& names) {
  const auto add = [&](std::string text) { names.push_back({std::move(text), KernelRole::kNorm}); };
  for (const std::string_view type : {kBf16, kFloat}) {
    add(
        fmt::format("void {1}::vectorized_layer_norm_kernel<{0}, float, false>(int, float, {0} "
                    "const*, {0} const*, {0} const*, float*, float*, {0}*)",
                    type, kAnon));
    add(
        fmt::format("void {1}::cunn_SoftMaxForward<8, {0}, float, {0}, {1}::"
                    "SoftMaxForwardEpilogue>({0}*, {0} const*, int)",
                    type, kAnon));
    add(
        fmt::format("void {1}::layer_norm_grad_input_kernel_vectorized<{0}, float, false>({0} "
                    "const*, {0} const*, float const*, float const*, {0} const*, {0}*, int)",
                    type, kAnon));
    add(
        fmt::format("void at::native::rms_norm_forward_kernel<{0}, float, 8>({0}*, float*, {0} "
                    "const*, {0} const*, float, int, int)",
                    type));
  }
}

void add_elementwise(Names& names) {
  for (const std::string_view type : {kBf16, kFloat}) {
    const int width = type == kBf16 ? 8 : 4;
    for (const std::string_view functor :
         {"CUDAFunctor_add", "CUDAFunctorOnSelf_add", "AUnaryFunctor_mul", "BUnaryFunctor_div",
          "SiluFunctor", "GeluTanhFunctor", "RsqrtFunctor", "NegFunctor", "CosFunctor",
          "SinFunctor", "WhereFunctor", "ClampMinFunctor"}) {
      const std::string full = fmt::format("at::native::{}<{}>", functor, type);
      const int pointers = functor.starts_with("CUDAFunctor_") ? 3 : 2;
      names.push_back({fmt::format("void at::native::vectorized_elementwise_kernel<{0}, {1}, "
                                   "std::array<char*, {2}ul> >(int, {1}, std::array<char*, {2}ul>)",
                                   width, full, pointers),
                       KernelRole::kElementwise});
    }
    for (const std::string_view functor : {"MulFunctor", "DivFunctor"}) {
      const std::string full = fmt::format(
          "at::native::BinaryFunctor<{0}, {0}, {0}, at::native::binary_internal::{1}<float> >",
          type, functor);
      names.push_back({fmt::format("void at::native::elementwise_kernel<128, 4, "
                                   "at::native::gpu_kernel_impl_nocast<{} >"
                                   "::{{lambda(int)#1}}>(int)",
                                   full),
                       KernelRole::kElementwise});
    }
  }
  for (const std::string_view fused :
       {"add_mul_silu_3", "add_native_dropout_4", "_to_copy_add_mean_mul_pow_rsqrt_0"}) {
    names.push_back(
        {fmt::format("triton_poi_fused__unsafe_view_{}_kernel", fused), KernelRole::kElementwise});
  }
}

void add_copies(Names& names) {
  const auto add = [&](std::string text) { names.push_back({std::move(text), KernelRole::kCopy}); };
  for (const std::string_view kind : {"bfloat16", "float16", "float8_e4m3fn", "long"}) {
    const std::string lambda = fmt::format(
        "at::native::{}_copy_kernel_cuda(at::TensorIteratorBase&)::{{lambda(float)#1}}", kind);
    add(
        fmt::format("void at::native::vectorized_elementwise_kernel<8, {0}, std::array<char*, "
                    "2ul> >(int, {0}, std::array<char*, 2ul>)",
                    lambda));
  }
  for (const int lambda : {4, 7, 12}) {
    add(
        fmt::format("void at::native::unrolled_elementwise_kernel<at::native::direct_copy_kernel_"
                    "cuda(at::TensorIteratorBase&)::{{lambda()#3}}::operator()() const::"
                    "{{lambda()#{}}}, std::array<char*, 2ul>, 4, TrivialOffsetCalculator<1, "
                    "unsigned int> >(int)",
                    lambda));
  }
  for (const int rank : {2, 3, 4}) {
    add(
        fmt::format("void {0}::CatArrayBatchedCopy<{0}::OpaqueType<2u>, unsigned int, {1}, 64, "
                    "64>({0}::OpaqueType<2u>*, int, unsigned int)",
                    kAnon, rank));
  }
}

void add_reductions(Names& names) {
  for (const std::string_view type : {kBf16, kFloat}) {
    for (const std::string_view functor :
         {"sum_functor", "MeanOps", "NormTwoOps", "ArgMaxOps", "MaxNanFunctor"}) {
      names.push_back({fmt::format("void at::native::reduce_kernel<512, 1, at::native::ReduceOp<"
                                   "{0}, at::native::{1}<{0}, float, float, float>, unsigned int, "
                                   "{0}, 4, 4> >(at::native::ReduceOp<{0}, at::native::{1}<{0}>>)",
                                   type, functor),
                       KernelRole::kReduce});
    }
  }
}

void add_optimizer(Names& names) {
  for (const int depth : {1, 2, 3, 4}) {
    for (const std::string_view functor : {"BinaryOpScalarFunctor", "TernaryOpScalarFunctor",
                                           "PointwiseOpScalarFunctor", "FusedAdamMathFunctor"}) {
      names.push_back({fmt::format("void {0}::multi_tensor_apply_kernel<{0}::TensorListMetadata<"
                                   "{1}>, {0}::{2}<float, {1}, {1}, 0>, float>({0}::"
                                   "TensorListMetadata<{1}>, float)",
                                   kAnon, depth, functor),
                       KernelRole::kOptimizer});
    }
  }
}

void add_indexing(Names& names) {
  const auto add = [&](std::string text) {
    names.push_back({std::move(text), KernelRole::kIndexing});
  };
  for (const int width : {4, 8, 16}) {
    add(
        fmt::format("void at::native::vectorized_gather_kernel<{}, long>(char*, char*, long*, "
                    "int, long, long, long, long, bool)",
                    width));
    add(
        fmt::format("void at::native::index_elementwise_kernel<128, {}, "
                    "at::native::gpu_index_kernel<long> >(long, long)",
                    width));
  }
  for (const std::string_view type : {"long", "int", "bool"}) {
    add(fmt::format("void (anonymous namespace)::elementwise_kernel_with_index<int, {}>(int)",
                    type));
    add(
        fmt::format("void at::native::vectorized_elementwise_kernel<2, at::native::FillFunctor<"
                    "{0}>, std::array<char*, 1ul> >(int, at::native::FillFunctor<{0}>)",
                    type));
  }
  add("at::cuda::philox::unpack_cudnn(at::PhiloxCudaState, long*, long*)");
}

}  // namespace

std::vector<KernelName> make_kernel_names() {
  Names names;
  add_gemms(names);
  add_attention(names);
  add_norms(names);
  add_elementwise(names);
  add_copies(names);
  add_reductions(names);
  add_optimizer(names);
  add_indexing(names);
  return names;
}

}  // namespace lockstep::tracegen

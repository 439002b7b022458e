// The tables of host operators, copied in shape from eager PyTorch traces.
#include "host_ops.h"

#include <array>

namespace lockstep::tracegen {
namespace {

constexpr OpStep op(std::uint8_t depth, std::string_view name) { return {depth, false, name}; }
constexpr OpStep launch(std::uint8_t depth, std::string_view name) { return {depth, true, name}; }

constexpr std::array kLinear{
    op(0, "aten::linear"),     op(1, "aten::t"),      op(2, "aten::transpose"),
    op(3, "aten::as_strided"), op(1, "aten::matmul"), op(2, "aten::reshape"),
    op(3, "aten::view"),       launch(2, "aten::mm"), op(2, "aten::_unsafe_view")};
constexpr std::array kAddmm{op(0, "aten::linear"), op(1, "aten::t"), op(2, "aten::transpose"),
                            op(3, "aten::as_strided"), launch(1, "aten::addmm")};
constexpr std::array kSdpa{op(0, "aten::scaled_dot_product_attention"),
                           op(1, "aten::_scaled_dot_product_flash_attention"),
                           op(2, "aten::transpose"),
                           op(3, "aten::as_strided"),
                           launch(2, "aten::_flash_attention_forward"),
                           op(3, "aten::empty_like"),
                           op(4, "aten::empty_strided"),
                           op(3, "aten::empty")};
constexpr std::array kLayerNorm{op(0, "aten::layer_norm"), launch(1, "aten::native_layer_norm"),
                                op(2, "aten::empty"), op(2, "aten::empty"), op(2, "aten::view")};
constexpr std::array kSoftmax{op(0, "aten::softmax"), launch(1, "aten::_softmax")};
constexpr std::array kAdd{launch(0, "aten::add")};
constexpr std::array kMul{launch(0, "aten::mul")};
constexpr std::array kSilu{launch(0, "aten::silu")};
constexpr std::array kRsqrt{launch(0, "aten::rsqrt")};
constexpr std::array kPow{launch(0, "aten::pow"), op(1, "aten::result_type"), op(1, "aten::to")};
constexpr std::array kToCopy{op(0, "aten::to"), op(1, "aten::_to_copy"),
                             op(2, "aten::empty_strided"), launch(2, "aten::copy_")};
constexpr std::array kCat{launch(0, "aten::cat"), op(1, "aten::narrow"), op(2, "aten::slice"),
                          op(3, "aten::as_strided")};
constexpr std::array kContiguous{op(0, "aten::contiguous"), op(1, "aten::clone"),
                                 op(2, "aten::empty_like"), op(3, "aten::empty"),
                                 launch(2, "aten::copy_")};
constexpr std::array kMean{launch(0, "aten::mean"), op(1, "aten::empty")};
constexpr std::array kSum{launch(0, "aten::sum"), op(1, "aten::as_strided")};
constexpr std::array kForeachMul{launch(0, "aten::_foreach_mul_")};
constexpr std::array kForeachLerp{launch(0, "aten::_foreach_lerp_"), op(1, "aten::result_type")};
constexpr std::array kFusedAdam{launch(0, "aten::_fused_adamw_")};
constexpr std::array kEmbedding{op(0, "aten::embedding"), op(1, "aten::reshape"),
                                op(2, "aten::view"),      launch(1, "aten::index_select"),
                                op(2, "aten::empty"),     op(2, "aten::resize_")};
constexpr std::array kArange{op(0, "aten::arange"), op(1, "aten::empty"), launch(1, "aten::arange"),
                             op(2, "aten::resize_")};
constexpr std::array kFill{op(0, "aten::full"), op(1, "aten::empty"), launch(1, "aten::fill_")};

constexpr std::array kTranspose{op(0, "aten::transpose"), op(1, "aten::as_strided")};
constexpr std::array kView{op(0, "aten::view")};
constexpr std::array kSlice{op(0, "aten::slice"), op(1, "aten::as_strided")};
constexpr std::array kUnsqueeze{op(0, "aten::unsqueeze"), op(1, "aten::as_strided")};
constexpr std::array kExpand{op(0, "aten::expand"), op(1, "aten::as_strided")};

constexpr std::array kHostToDevice{op(0, "aten::to"), op(1, "aten::_to_copy"),
                                   op(2, "aten::empty_strided"), launch(2, "aten::copy_")};
constexpr std::array kDeviceToHost{op(0, "aten::item"), launch(1, "aten::_local_scalar_dense")};
constexpr std::array kZero{op(0, "aten::zeros"), op(1, "aten::empty"), launch(1, "aten::zero_")};

constexpr std::array<OpPattern, 2> kGemmPatterns{kLinear, kAddmm};
constexpr std::array<OpPattern, 1> kAttentionPatterns{kSdpa};
constexpr std::array<OpPattern, 2> kNormPatterns{kLayerNorm, kSoftmax};
constexpr std::array<OpPattern, 5> kElementwisePatterns{kAdd, kMul, kSilu, kRsqrt, kPow};
constexpr std::array<OpPattern, 3> kCopyPatterns{kToCopy, kCat, kContiguous};
constexpr std::array<OpPattern, 2> kReducePatterns{kMean, kSum};
constexpr std::array<OpPattern, 3> kOptimizerPatterns{kForeachMul, kForeachLerp, kFusedAdam};
constexpr std::array<OpPattern, 3> kIndexingPatterns{kEmbedding, kArange, kFill};
constexpr std::array<OpPattern, 5> kViewPatterns{kTranspose, kView, kSlice, kUnsqueeze, kExpand};

constexpr std::array<std::string_view, 24> kPythonFrames{
    "torch/nn/modules/module.py(1775): _call_impl",
    "torch/nn/modules/module.py(1764): _wrapped_call_impl",
    "torch/nn/modules/linear.py(130): forward",
    "nn.Module: Linear_0",
    "transformers/models/llama/modeling_llama.py(68): forward",
    "transformers/models/llama/modeling_llama.py(241): forward",
    "nn.Module: LlamaRMSNorm_0",
    "nn.Module: LlamaAttention_0",
    "nn.Module: LlamaMLP_0",
    "<built-in method linear of builtin_function_or_method object>",
    "<built-in method scaled_dot_product_attention of type object>",
    "<built-in method to of Tensor object>",
    "torch/nn/functional.py(2371): silu",
    "torch/_tensor.py(1056): __rsub__",
    "transformers/models/llama/modeling_llama.py(120): rotate_half",
    "transformers/models/llama/modeling_llama.py(127): apply_rotary_pos_emb",
    "transformers/cache_utils.py(101): update",
    "transformers/integrations/sdpa_attention.py(39): sdpa_attention_forward",
    "torch/utils/_contextlib.py(117): decorate_context",
    "torch/autograd/grad_mode.py(88): __exit__",
    "<built-in function isinstance>",
    "<built-in method cat of type object>",
    "torch/optim/adamw.py(57): step",
    "torch/_ops.py(1255): __call__",
};

}  // namespace

std::span<const OpPattern> launch_patterns(KernelRole role) {
  switch (role) {
    case KernelRole::kGemm:
      return kGemmPatterns;
    case KernelRole::kAttention:
      return kAttentionPatterns;
    case KernelRole::kNorm:
      return kNormPatterns;
    case KernelRole::kElementwise:
      return kElementwisePatterns;
    case KernelRole::kCopy:
      return kCopyPatterns;
    case KernelRole::kReduce:
      return kReducePatterns;
    case KernelRole::kOptimizer:
      return kOptimizerPatterns;
    case KernelRole::kIndexing:
      break;
  }
  return kIndexingPatterns;
}

std::span<const OpPattern> view_patterns() { return kViewPatterns; }
OpPattern host_to_device_pattern() { return kHostToDevice; }
OpPattern device_to_host_pattern() { return kDeviceToHost; }
OpPattern memset_pattern() { return kZero; }
std::span<const std::string_view> python_frames() { return kPythonFrames; }

}  // namespace lockstep::tracegen

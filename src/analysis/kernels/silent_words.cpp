// The tables, by what a word is, begins with, ends with or holds.
#include "analysis/kernels/silent_words.h"

#include <algorithm>
#include <array>
#include <span>

#include "base/letters.h"

namespace lockstep::analysis::kernels {
namespace {

using Words = std::span<const std::string_view>;

// Of PyTorch, the standard and vendors' libraries; versions of these are names of namespaces too
// ("ROCPRIM_400001_NS").
constexpr auto kScopes = std::to_array<std::string_view>(
    {"at", "native", "std", "c10", "cuda", "detail", "internal", "impl", "__1", "at_cuda_detail",
     "cuda_cub", "core", "gpu", "hip", "kernel", "templates"});
constexpr std::string_view kVersionEnd = "_NS";

// PyTorch's launchers and functors of functors, cutlass' and composable_kernel's entry points,
// Eigen's, thrust's and rocPRIM's agents.
constexpr auto kWrappers = std::to_array<std::string_view>(
    {"BinaryFunctor", "BUnaryFunctor", "AUnaryFunctor", "UnaryFunctor", "ReduceOp",
     "func_wrapper_t", "Kernel", "Kernel2", "device_kernel", "kentry", "trampoline_kernel",
     "EigenMetaKernel", "TensorEvaluator", "TensorAssignOp", "TensorCwiseBinaryOp",
     "TensorCwiseUnaryOp", "_kernel_agent", "ParallelForAgent", "kernel"});
constexpr auto kWrapperBeginnings = std::to_array<std::string_view>(
    {"gpu_kernel", "opmath_gpu_kernel", "enable_sm", "enable_3x", "jitted_gpu_kernel"});

constexpr auto kPlainTypes = std::to_array<std::string_view>({"bool",
                                                              "char",
                                                              "double",
                                                              "float",
                                                              "int",
                                                              "long",
                                                              "short",
                                                              "signed",
                                                              "unsigned",
                                                              "void",
                                                              "true",
                                                              "false",
                                                              "nullptr",
                                                              "decltype",
                                                              "array",
                                                              "Array",
                                                              "tuple",
                                                              "pair",
                                                              "C",
                                                              "sequence",
                                                              "complex",
                                                              "half",
                                                              "Half",
                                                              "half_t",
                                                              "BFloat16",
                                                              "bfloat16_t",
                                                              "__half",
                                                              "__half2",
                                                              "__nv_bfloat16",
                                                              "__hip_bfloat16",
                                                              "_Float16",
                                                              "__bf16",
                                                              "hip_bfloat16",
                                                              "auto",
                                                              "Tensor",
                                                              "GpuDevice",
                                                              "NullType",
                                                              "Underscore",
                                                              "empty_type",
                                                              "use_default",
                                                              "default_config",
                                                              "type",
                                                              "value",
                                                              "Kargs",
                                                              "identity",
                                                              "CUDAGeneratorImpl",
                                                              "PhiloxCudaState",
                                                              "allocator",
                                                              "basic_string"});
constexpr auto kSilentBeginnings =
    std::to_array<std::string_view>({"Float8_", "__nv_fp8", "float_e", "Policy", "TensorListM",
                                     "TensorListS", "TensorMap", "TensorInfo"});
constexpr auto kSilentPieces = std::to_array<std::string_view>(
    {"olicy", "raits", "arams", "Metadata", "terator", "Calculator", "TileState", "_state",
     "_config", "Accessor", "OpaqueType", "GemvTensor", "WithCast", "WithoutCast", "Layout",
     "constant", "block_id", "Args", "Problem"});

constexpr auto kSilentEnds = std::to_array<std::string_view>(
    {"_kernel_impl", "_kernel_cuda", "_cuda_kernel", "_kernel", "_cuda", "_impl", "Functor"});
constexpr std::string_view kFunctorOf = "CUDAFunctor_";
constexpr std::size_t kShortestRest = 2;

bool is_one_of(Words words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

bool begins_with_one_of(Words words, std::string_view word) {
  return std::ranges::any_of(words, [&](std::string_view one) { return word.starts_with(one); });
}

bool holds_one_of(Words words, std::string_view word) {
  return std::ranges::any_of(words, [&](std::string_view one) { return word.contains(one); });
}

// "Sm90", "T1": architectures, and parameters that a demangler did not follow.
bool is_letters_and_number(std::string_view word, std::string_view letters) {
  if (!word.starts_with(letters) || word.size() == letters.size()) return false;
  return std::ranges::all_of(word.substr(letters.size()), is_digit);
}

}  // namespace

bool is_silent_scope(std::string_view word) {
  return word.empty() || is_one_of(kScopes, word) || word.ends_with(kVersionEnd);
}

bool is_wrapper(std::string_view word) {
  return is_one_of(kWrappers, word) || begins_with_one_of(kWrapperBeginnings, word);
}

bool is_silent_argument(std::string_view word) {
  return word.empty() || is_digit(word.front()) || is_one_of(kPlainTypes, word) ||
         begins_with_one_of(kSilentBeginnings, word) || holds_one_of(kSilentPieces, word) ||
         is_letters_and_number(word, "Sm") || is_letters_and_number(word, "T");
}

std::string_view without_silent_ends(std::string_view word) {
  if (word.starts_with(kFunctorOf)) word.remove_prefix(kFunctorOf.size());
  bool is_cut = true;
  while (is_cut) {
    is_cut = false;
    for (const std::string_view end : kSilentEnds) {
      if (!word.ends_with(end) || word.size() < end.size() + kShortestRest) continue;
      word.remove_suffix(end.size());
      is_cut = true;
    }
  }
  return word;
}

}  // namespace lockstep::analysis::kernels

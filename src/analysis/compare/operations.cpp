// The words of kernel names that are operations.
#include "analysis/compare/operations.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "analysis/kernels/function_name.h"
#include "base/letters.h"

namespace lockstep::analysis::compare {
namespace {

using enum Operation;
using Word = std::pair<std::string_view, Operation>;

// Sorted. Words of ATen functors, TorchInductor's fused names, XLA and CANN.
constexpr std::array kWords = std::to_array<Word>({
    {"abs", kAbs},
    {"add", kAdd},
    {"addcmul", kAdd},
    {"amax", kMaximum},
    {"amin", kMinimum},
    {"arange", kArange},
    {"argmax", kMaximum},
    {"argmin", kMinimum},
    {"bernoulli", kDropout},
    {"broadcast", kCopy},
    {"cast", kCopy},
    {"cat", kConcatenate},
    {"clamp", kClamp},
    {"clone", kCopy},
    {"compare", kCompare},
    {"concat", kConcatenate},
    {"concatenate", kConcatenate},
    {"contiguous", kCopy},
    {"convert", kCopy},
    {"copy", kCopy},
    {"cos", kTrigonometric},
    {"div", kDivide},
    {"divide", kDivide},
    {"dropout", kDropout},
    {"embedding", kGather},
    {"eq", kCompare},
    {"erf", kGelu},
    {"exp", kExponential},
    {"exponential", kExponential},
    {"fill", kFill},
    {"full", kFill},
    {"gather", kGather},
    {"ge", kCompare},
    {"gelu", kGelu},
    {"gt", kCompare},
    {"layernorm", kNorm},
    {"le", kCompare},
    {"log", kLogarithm},
    {"logistic", kSigmoid},
    {"lt", kCompare},
    {"masked", kWhere},
    {"max", kMaximum},
    {"maximum", kMaximum},
    {"mean", kMean},
    {"min", kMinimum},
    {"minimum", kMinimum},
    {"mul", kMultiply},
    {"multiply", kMultiply},
    {"ne", kCompare},
    {"neg", kNegate},
    {"negate", kNegate},
    {"norm", kNorm},
    {"ones", kFill},
    {"pow", kPower},
    {"power", kPower},
    {"reciprocal", kDivide},
    {"relu", kRelu},
    {"rmsnorm", kNorm},
    {"rsqrt", kRootInverse},
    {"rsub", kSubtract},
    {"scatter", kScatter},
    {"select", kGather},
    {"sigmoid", kSigmoid},
    {"silu", kSilu},
    {"sin", kTrigonometric},
    {"softmax", kSoftmax},
    {"sqrt", kRootInverse},
    {"square", kPower},
    {"sub", kSubtract},
    {"subtract", kSubtract},
    {"sum", kSum},
    {"swiglu", kSilu},
    {"tanh", kTanh},
    {"transpose", kCopy},
    {"var", kVariance},
    {"welford", kVariance},
    {"where", kWhere},
    {"zero", kFill},
    {"zeros", kFill},
});
static_assert(std::ranges::is_sorted(kWords, {}, &Word::first));

// Calls `use` with every word in lower case: runs of letters, cut where a capital begins a new word
// ("MulFunctor", "CUDAFunctorOnSelf_add").
template <typename Use>
void for_each_word(std::string_view name, Use&& use) {
  std::string word;
  const auto finish = [&] {
    if (!word.empty()) use(std::string_view(word));
    word.clear();
  };
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (is_upper(c)) {
      const bool after_lower = i > 0 && is_lower(name[i - 1]);
      const bool before_lower = i + 1 < name.size() && is_lower(name[i + 1]);
      if (after_lower || before_lower) finish();
      word.push_back(small_letter(c));
    } else if (is_lower(c)) {
      word.push_back(c);
    } else {
      finish();
    }
  }
  finish();
}

}  // namespace

OperationSet operations_in(std::string_view name) {
  OperationSet operations;
  for_each_word(kernels::without_parameters(name), [&](std::string_view word) {
    const auto* found = std::ranges::lower_bound(kWords, word, {}, &Word::first);
    if (found != kWords.end() && found->first == word) operations.insert(found->second);
  });
  return operations;
}

OperationSet operations_of(kernels::KernelRole role, bool is_softmax) {
  constexpr OperationSet kSoftmaxParts = {kMaximum, kSubtract, kExponential, kSum,
                                          kDivide,  kSoftmax,  kWhere,       kCopy};
  if (is_softmax) return kSoftmaxParts;
  switch (role) {
    case kernels::KernelRole::kNorm:
      return {kAdd, kSubtract,    kMultiply, kDivide, kPower, kMean,
              kSum, kRootInverse, kVariance, kNorm,   kCopy};
    case kernels::KernelRole::kRope:
      return {kMultiply, kAdd, kSubtract, kNegate, kConcatenate, kCopy, kTrigonometric, kGather};
    case kernels::KernelRole::kActivation:
      return {kMultiply, kCopy, kExponential, kDivide, kSigmoid};
    case kernels::KernelRole::kAttention:
      return kSoftmaxParts | OperationSet{kMultiply, kAdd, kDropout, kConcatenate};
    default:
      return {};
  }
}

}  // namespace lockstep::analysis::compare

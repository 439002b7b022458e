// Which operations the name of a kernel mentions, so that a fused kernel is recognised as the sum
// of the kernels that it replaces: triton_poi_fused_mul_silu_9 does what a silu and a mul did.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "analysis/kernels/role.h"

namespace lockstep::analysis::compare {

enum class Operation : std::uint8_t {
  kAbs,
  kAdd,
  kArange,
  kClamp,
  kCompare,
  kConcatenate,
  kCopy,  // also conversion and change of layout
  kDivide,
  kDropout,
  kExponential,
  kFill,
  kGather,
  kGelu,
  kLogarithm,
  kMaximum,
  kMean,
  kMinimum,
  kMultiply,
  kNegate,
  kNorm,
  kPower,
  kRelu,
  kRootInverse,
  kScatter,
  kSigmoid,
  kSilu,
  kSoftmax,
  kSubtract,
  kSum,
  kTanh,
  kTrigonometric,
  kVariance,
  kWhere,
};
inline constexpr std::size_t kOperationCount = 33;

class OperationSet {
 public:
  constexpr OperationSet() = default;
  constexpr OperationSet(std::initializer_list<Operation> operations) {
    for (const Operation operation : operations) insert(operation);
  }

  constexpr void insert(Operation operation) { bits_ |= bit(operation); }
  constexpr void remove(Operation operation) { bits_ &= ~bit(operation); }
  [[nodiscard]] constexpr bool contains(Operation operation) const {
    return (bits_ & bit(operation)) != 0;
  }
  [[nodiscard]] constexpr bool includes(OperationSet other) const {
    return (other.bits_ & ~bits_) == 0;
  }
  [[nodiscard]] constexpr bool meets(OperationSet other) const {
    return (other.bits_ & bits_) != 0;
  }
  [[nodiscard]] constexpr bool is_empty() const { return bits_ == 0; }
  [[nodiscard]] constexpr std::uint64_t bits() const { return bits_; }  // to sort sets by
  [[nodiscard]] constexpr int size() const { return std::popcount(bits_); }
  constexpr OperationSet& operator|=(OperationSet other) {
    bits_ |= other.bits_;
    return *this;
  }
  friend constexpr OperationSet operator|(OperationSet a, OperationSet b) { return a |= b; }
  friend constexpr bool operator==(OperationSet, OperationSet) = default;

 private:
  static constexpr std::uint64_t bit(Operation operation) {
    return std::uint64_t{1} << static_cast<unsigned>(operation);
  }
  std::uint64_t bits_ = 0;
};

// By whole words of a name as the file wrote it: "rsqrt_kernel_cuda", "MulFunctor".
[[nodiscard]] OperationSet operations_in(std::string_view name);

// What a kernel of a role does inside, whatever its name mentions: a norm squares, averages and
// multiplies. Empty for roles that are no such bundle.
[[nodiscard]] OperationSet operations_of(kernels::KernelRole role, bool is_softmax);

}  // namespace lockstep::analysis::compare

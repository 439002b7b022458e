// The pool of kernel names: real ones in shape, long and templated, sorted by what they do.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lockstep::tracegen {

// What a kernel does; decides its operators on the host, its duration and its launch shape.
enum class KernelRole : std::uint8_t {
  kGemm,
  kAttention,
  kNorm,
  kElementwise,
  kCopy,
  kReduce,
  kOptimizer,
  kIndexing,
};
inline constexpr std::size_t kKernelRoleCount = 8;

struct KernelName {
  std::string text;  // needs no JSON escapes
  KernelRole role;
};

// More than 100 distinct names of 40 to 300 characters, the same ones for every seed.
std::vector<KernelName> make_kernel_names();

}  // namespace lockstep::tracegen

// Shapes of host operators: which cpu_ops nest around a kernel launch, and the Python frames.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "kernel_names.h"

namespace lockstep::tracegen {

// One cpu_op of a nest, in order of opening. The launch happens at the end of the step marked so,
// after the steps nested in it.
struct OpStep {
  std::uint8_t depth;
  bool launches;
  std::string_view name;
};
using OpPattern = std::span<const OpStep>;

// A call of the CUDA runtime or driver; cbid is CUPTI's number for it.
struct ApiKind {
  std::string_view name;
  std::uint16_t cbid;
  bool is_driver;
};

inline constexpr ApiKind kLaunchKernel{"cudaLaunchKernel", 211, false};
inline constexpr ApiKind kLaunchKernelExC{"cudaLaunchKernelExC", 430, false};
inline constexpr ApiKind kDriverLaunchKernelEx{"cuLaunchKernelEx", 652, true};
inline constexpr ApiKind kMemcpyAsync{"cudaMemcpyAsync", 41, false};
inline constexpr ApiKind kMemsetAsync{"cudaMemsetAsync", 51, false};
inline constexpr ApiKind kStreamSynchronize{"cudaStreamSynchronize", 131, false};
inline constexpr ApiKind kDeviceSynchronize{"cudaDeviceSynchronize", 165, false};
inline constexpr ApiKind kStreamIsCapturing{"cudaStreamIsCapturing", 317, false};
inline constexpr ApiKind kFuncSetAttribute{"cudaFuncSetAttribute", 273, false};
inline constexpr ApiKind kGetErrorString{"cudaGetErrorString", 12, false};

// The nests that launch a kernel of this role; never empty.
std::span<const OpPattern> launch_patterns(KernelRole role);
// Nests of views and allocations that launch nothing.
std::span<const OpPattern> view_patterns();

OpPattern host_to_device_pattern();
OpPattern device_to_host_pattern();
OpPattern memset_pattern();

// Names of Python frames, "file(line): function" or "nn.Module: Class_n".
std::span<const std::string_view> python_frames();

}  // namespace lockstep::tracegen

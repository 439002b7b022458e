// The device of the driver for tests: its memory is this process's, its kernels are functions, and
// its calls fail when FAKE_CUDA_FAIL says so (fake_libcuda.cpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <string>
#include <vector>

#include "host/cuda_driver.h"

namespace lockstep::testing {

inline constexpr device::CudaCode kOk = 0;
inline constexpr device::CudaCode kInvalidValue = 1;
inline constexpr device::CudaCode kOutOfMemory = 2;
inline constexpr device::CudaCode kNotFound = 500;
inline constexpr device::CudaCode kIllegalAddress = 700;
inline constexpr device::CudaCode kUnknown = 999;
inline constexpr device::CudaAddress kDeviceBit = device::CudaAddress{1} << 60;

struct Allocation {
  std::size_t size;
  void* host;  // known as such to tools that look for leaks
};

struct FakeDevice {
  std::map<device::CudaAddress, Allocation> memory;
  std::vector<device::CudaContext> contexts;  // the stack of the only thread
  std::map<std::string, int> launches;
  std::map<std::string, int> calls;  // of each of the driver's functions
  std::list<std::string> modules;    // their texts
  std::size_t retained = 0;          // of the primary context
  bool is_capturing = false;
  std::vector<std::function<void()>> graph;
};

// Never destroyed: what tests leave allocated is not lost.
[[nodiscard]] FakeDevice& device();
[[nodiscard]] device::CudaContext primary_context();

[[nodiscard]] char* host_of(device::CudaAddress address);
// Whether the bytes lie inside one allocation.
[[nodiscard]] bool is_ours(device::CudaAddress address, std::size_t bytes);

// Counts the call; the code that it must fail with, or 0.
[[nodiscard]] device::CudaCode refusal(const char* function);

void run_or_capture(std::function<void()> work);

// A kernel of device/host, by its name.
[[nodiscard]] device::CudaCode launch(const std::string& kernel, void** arguments);
// A kernel of overhead.cu, whose cost is known.
[[nodiscard]] bool is_measurement(const std::string& kernel);
[[nodiscard]] device::CudaCode measure(const std::string& kernel, std::size_t warps,
                                       void** arguments);

}  // namespace lockstep::testing

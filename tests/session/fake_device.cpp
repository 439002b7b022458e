// The device's memory, what its kernels do, and which calls fail.
#include "session/fake_device.h"

#include <cstdlib>
#include <cstring>
#include <iterator>
#include <utility>

#include "lockstep/profile_layout.h"

namespace lockstep::testing {
namespace {

// "NAME[:NTH[:CODE]]" at the front of `list`, which loses it.
struct Failure {
  std::string function;
  int nth = 0;  // 0: all of them
  device::CudaCode code = kUnknown;
};
Failure next_failure(std::string& list) {
  const std::string one = list.substr(0, list.find(','));
  list.erase(0, one.size() + 1);
  Failure failure;
  failure.function = one.substr(0, one.find(':'));
  const std::size_t nth = one.find(':');
  if (nth == std::string::npos) return failure;
  failure.nth = std::atoi(one.c_str() + nth + 1);
  const std::size_t code = one.find(':', nth + 1);
  if (code != std::string::npos) failure.code = std::atoi(one.c_str() + code + 1);
  return failure;
}

void run(const std::string& kernel, device::CudaAddress argument) {
  ++device().launches[kernel];
  if (kernel == "lockstep_device_facts") {
    const std::uint64_t facts[2] = {32, 4};
    std::memcpy(host_of(argument), facts, sizeof(facts));
    return;
  }
  profile::u32 launch = 0;
  char* place = host_of(argument) + offsetof(profile::Control, launch);
  std::memcpy(&launch, place, sizeof(launch));
  ++launch;
  std::memcpy(place, &launch, sizeof(launch));
}

template <typename Value>
Value argument_at(void** arguments, std::size_t index) {
  Value value{};
  std::memcpy(&value, arguments[index], sizeof(value));
  return value;
}

}  // namespace

FakeDevice& device() {
  static FakeDevice* const only = new FakeDevice;
  return *only;
}

device::CudaContext primary_context() { return reinterpret_cast<device::CudaContext>(&device()); }

char* host_of(device::CudaAddress address) {
  return reinterpret_cast<char*>(static_cast<std::uintptr_t>(address & ~kDeviceBit));
}

bool is_ours(device::CudaAddress address, std::size_t bytes) {
  const auto after = device().memory.upper_bound(address);
  if (after == device().memory.begin()) return false;
  const auto& [start, allocation] = *std::prev(after);
  return address - start + bytes <= allocation.size;
}

device::CudaCode refusal(const char* function) {
  const int call = ++device().calls[function];
  const char* wanted = std::getenv("FAKE_CUDA_FAIL");
  std::string list = wanted != nullptr ? wanted : "";
  while (!list.empty()) {
    const Failure failure = next_failure(list);
    if (failure.function != function) continue;
    if (failure.nth == 0 || failure.nth == call) return failure.code;
  }
  return kOk;
}

void run_or_capture(std::function<void()> work) {
  if (device().is_capturing) {
    device().graph.push_back(std::move(work));
  } else {
    work();
  }
}

device::CudaCode launch(const std::string& kernel, void** arguments) {
  const auto argument = argument_at<device::CudaAddress>(arguments, 0);
  if (!is_ours(argument, 1)) return kInvalidValue;
  run_or_capture([kernel, argument] { run(kernel, argument); });
  return kOk;
}

bool is_measurement(const std::string& kernel) { return kernel.starts_with("lockstep_cost_"); }

// A kernel of overhead.cu: the empty loop takes 1,000 cycles in every warp, a marker 15 more, and
// one of CudaProfiler 60 more; a few warps take far longer.
device::CudaCode measure(const std::string& kernel, std::size_t warps, void** arguments) {
  const auto cycles = argument_at<device::CudaAddress>(arguments, 1);
  const auto rounds = argument_at<std::uint32_t>(arguments, 3);
  if (!is_ours(cycles, warps * sizeof(std::uint32_t))) return kInvalidValue;
  const std::uint32_t cost = kernel == "lockstep_cost_nothing"         ? 0
                             : kernel == "lockstep_cost_cuda_profiler" ? 60
                                                                       : 15;
  for (std::size_t i = 0; i < warps; ++i) {
    const std::uint32_t value = 1000 + cost * rounds * 16 + (i % 4 == 3 ? 100'000 : 0);
    std::memcpy(host_of(cycles) + i * sizeof(value), &value, sizeof(value));
  }
  ++device().launches[kernel];
  return kOk;
}

}  // namespace lockstep::testing

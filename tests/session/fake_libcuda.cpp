// A CUDA driver for tests: libcuda.so.1 whose device is this process's memory.
//
// It knows the kernels of device/host by name, if the module has them, and nothing else. Device
// addresses carry a bit that no address of the process has, so that following one on the host
// crashes as it would with a GPU.
//   FAKE_CUDA_DEVICES=0        no device
//   FAKE_CUDA_MEMORY=4096      bytes that the device has
//   FAKE_CUDA_CAPABILITY=80    compute capability, 90 by default
//   FAKE_CUDA_FAIL=cuModuleLoadDataEx   that function fails
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "host/cuda_driver.h"
#include "lockstep/profile_layout.h"
#include "session/simulated_kernel.h"

using lockstep::CudaAddress;
using lockstep::CudaCode;
using lockstep::CudaContext;
using lockstep::CudaDevice;
using lockstep::CudaFunction;
using lockstep::CudaLaunchConfig;
using lockstep::CudaModule;
using lockstep::CudaStream;

namespace {

constexpr CudaCode kOk = 0;
constexpr CudaCode kInvalidValue = 1;
constexpr CudaCode kOutOfMemory = 2;
constexpr CudaCode kNotFound = 500;
constexpr CudaCode kUnknown = 999;
constexpr CudaAddress kDeviceBit = CudaAddress{1} << 60;
constexpr std::size_t kAlignment = 512;

struct Allocation {
  std::size_t size;
  void* host;  // known as such to tools that look for leaks
};

struct Device {
  std::map<CudaAddress, Allocation> memory;
  std::vector<CudaContext> contexts;  // the stack of the only thread
  std::map<std::string, int> launches;
  bool is_capturing = false;
  std::vector<std::function<void()>> graph;
};

// Never destroyed: what tests leave allocated is not lost.
Device& device() {
  static Device* const only = new Device;
  return *only;
}

std::size_t number_from(const char* variable, std::size_t otherwise) {
  const char* text = std::getenv(variable);
  return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
}

bool must_fail(const char* function) {
  const char* name = std::getenv("FAKE_CUDA_FAIL");
  return name != nullptr && std::strcmp(name, function) == 0;
}

char* host_of(CudaAddress address) {
  return reinterpret_cast<char*>(static_cast<std::uintptr_t>(address & ~kDeviceBit));
}

// Whether the bytes lie inside one allocation.
bool is_ours(CudaAddress address, std::size_t bytes) {
  const auto after = device().memory.upper_bound(address);
  if (after == device().memory.begin()) return false;
  const auto& [start, allocation] = *std::prev(after);
  return address - start + bytes <= allocation.size;
}

CudaContext primary_context() { return reinterpret_cast<CudaContext>(&device()); }

void run(const std::string& kernel, CudaAddress argument) {
  ++device().launches[kernel];
  if (kernel == "lockstep_device_facts") {
    const std::uint64_t facts[2] = {32, 4};
    std::memcpy(host_of(argument), facts, sizeof(facts));
    return;
  }
  lockstep::profile::u32 launch = 0;
  char* place = host_of(argument) + offsetof(lockstep::profile::Control, launch);
  std::memcpy(&launch, place, sizeof(launch));
  ++launch;
  std::memcpy(place, &launch, sizeof(launch));
}

void run_or_capture(std::function<void()> work) {
  if (device().is_capturing) {
    device().graph.push_back(std::move(work));
  } else {
    work();
  }
}

template <typename Value>
Value argument_at(void** arguments, std::size_t index) {
  Value value{};
  std::memcpy(&value, arguments[index], sizeof(value));
  return value;
}

// A kernel of overhead.cu: the empty loop takes 1,000 cycles in every warp, a marker 15 more, and
// one of CudaProfiler 60 more; a few warps take far longer.
CudaCode measure(const std::string& kernel, std::size_t warps, void** arguments) {
  const auto cycles = argument_at<CudaAddress>(arguments, 1);
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

CudaCode launch(CudaFunction function, void** arguments) {
  const auto* name = reinterpret_cast<const std::string*>(function);
  CudaAddress argument = 0;
  std::memcpy(&argument, arguments[0], sizeof(argument));
  if (!is_ours(argument, 1)) return kInvalidValue;
  run_or_capture([name, argument] { run(*name, argument); });
  return kOk;
}

bool is_measurement(const std::string& kernel) { return kernel.starts_with("lockstep_cost_"); }

// A name that lives as long as the process.
const std::string* kept_name(const char* name) {
  static std::set<std::string> names;
  return &*names.insert(name).first;
}

}  // namespace

extern "C" {

CudaCode cuInit(unsigned) { return must_fail("cuInit") ? kUnknown : kOk; }

CudaCode cuDriverGetVersion(int* version) {
  *version = 13'000;
  return kOk;
}

CudaCode cuGetErrorString(CudaCode code, const char** words) {
  *words = code == kOutOfMemory ? "out of memory" : "a fault of the fake driver";
  return kOk;
}

CudaCode cuDeviceGetCount(int* count) {
  *count = static_cast<int>(number_from("FAKE_CUDA_DEVICES", 1));
  return kOk;
}

CudaCode cuDeviceGet(CudaDevice* found, int ordinal) {
  *found = ordinal;
  return kOk;
}

CudaCode cuDeviceGetName(char* name, int size, CudaDevice) {
  std::strncpy(name, "Fake H200", static_cast<std::size_t>(size));
  return kOk;
}

CudaCode cuDeviceGetAttribute(int* value, int which, CudaDevice) {
  const int capability = static_cast<int>(number_from("FAKE_CUDA_CAPABILITY", 90));
  const std::map<int, int> values = {{lockstep::kCudaClockRate, 1'980'000},
                                     {lockstep::kCudaMultiprocessors, 4},
                                     {lockstep::kCudaCapabilityMajor, capability / 10},
                                     {lockstep::kCudaCapabilityMinor, capability % 10}};
  const auto known = values.find(which);
  if (known == values.end()) return kInvalidValue;
  *value = known->second;
  return kOk;
}

CudaCode cuDevicePrimaryCtxRetain(CudaContext* context, CudaDevice) {
  *context = primary_context();
  return must_fail("cuDevicePrimaryCtxRetain") ? kUnknown : kOk;
}

CudaCode cuDevicePrimaryCtxRelease_v2(CudaDevice) { return kOk; }

CudaCode cuCtxGetCurrent(CudaContext* context) {
  *context = device().contexts.empty() ? nullptr : device().contexts.back();
  return kOk;
}

CudaCode cuCtxGetDevice(CudaDevice* found) {
  *found = 0;
  return kOk;
}

CudaCode cuCtxPushCurrent_v2(CudaContext context) {
  device().contexts.push_back(context);
  return kOk;
}

CudaCode cuCtxPopCurrent_v2(CudaContext* context) {
  *context = device().contexts.back();
  device().contexts.pop_back();
  return kOk;
}

CudaCode cuCtxSynchronize() { return must_fail("cuCtxSynchronize") ? kUnknown : kOk; }

CudaCode cuMemAlloc_v2(CudaAddress* address, std::size_t bytes) {
  if (device().contexts.empty()) return kInvalidValue;
  std::size_t used = bytes;
  for (const auto& [start, allocation] : device().memory) used += allocation.size;
  if (used > number_from("FAKE_CUDA_MEMORY", std::size_t{1} << 32)) return kOutOfMemory;
  const std::size_t rounded = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  void* memory = std::aligned_alloc(kAlignment, rounded);
  std::memset(memory, 0xA5, rounded);  // nothing may rely on zeros
  *address = kDeviceBit | reinterpret_cast<std::uintptr_t>(memory);
  device().memory[*address] = {bytes, memory};
  return kOk;
}

CudaCode cuMemFree_v2(CudaAddress address) {
  if (device().memory.erase(address) == 0) return kInvalidValue;
  std::free(host_of(address));
  return kOk;
}

CudaCode cuMemcpyDtoH_v2(void* into, CudaAddress from, std::size_t bytes) {
  if (must_fail("cuMemcpyDtoH_v2")) return kUnknown;
  if (!is_ours(from, bytes)) return kInvalidValue;
  std::memcpy(into, host_of(from), bytes);
  return kOk;
}

CudaCode cuMemcpyHtoD_v2(CudaAddress into, const void* from, std::size_t bytes) {
  if (!is_ours(into, bytes)) return kInvalidValue;
  std::memcpy(host_of(into), from, bytes);
  return kOk;
}

CudaCode cuModuleLoadDataEx(CudaModule* module, const void* image, unsigned, int*, void**) {
  if (must_fail("cuModuleLoadDataEx")) return kUnknown;
  // The module is its text: functions are found by its entries.
  *module = reinterpret_cast<CudaModule>(new std::string(static_cast<const char*>(image)));
  return kOk;
}

CudaCode cuModuleUnload(CudaModule module) {
  delete reinterpret_cast<std::string*>(module);
  return kOk;
}

CudaCode cuModuleGetFunction(CudaFunction* function, CudaModule module, const char* name) {
  const auto* text = reinterpret_cast<const std::string*>(module);
  const std::string* kernel = kept_name(name);
  if (text->find(".entry " + *kernel + "(") == std::string::npos) return kNotFound;
  *function = reinterpret_cast<CudaFunction>(const_cast<std::string*>(kernel));
  return kOk;
}

CudaCode cuLaunchKernel(CudaFunction function, unsigned blocks, unsigned, unsigned,
                        unsigned threads, unsigned, unsigned, unsigned, CudaStream,
                        void** arguments, void**) {
  if (must_fail("cuLaunchKernel")) return kUnknown;
  const auto* name = reinterpret_cast<const std::string*>(function);
  if (is_measurement(*name)) return measure(*name, std::size_t{blocks} * threads / 32, arguments);
  return launch(function, arguments);
}

CudaCode cuLaunchKernelEx(const CudaLaunchConfig* config, CudaFunction function, void** arguments,
                          void**) {
  const bool is_dependent =
      config->attribute_count == 1 &&
      config->attributes[0].id == lockstep::kCudaProgrammaticStreamSerialization &&
      config->attributes[0].value.programmatic_stream_serialization == 1;
  return is_dependent ? launch(function, arguments) : kInvalidValue;
}

// What tests ask of the device beside the driver's functions.

// A profiled kernel on the device; it is captured like any launch.
void fake_cuda_run_kernel(std::uint64_t channel, std::uint32_t blocks, std::uint32_t groups,
                          std::uint32_t events, std::uint32_t flags) {
  lockstep::testing::SimulatedLaunch launch;
  launch.blocks = blocks;
  launch.groups = groups;
  launch.events = events;
  launch.flags = flags;
  run_or_capture(
      [channel, launch] { lockstep::testing::run_simulated_kernel(host_of(channel), launch); });
}

void fake_cuda_capture(int is_on) {
  device().is_capturing = is_on != 0;
  if (is_on != 0) device().graph.clear();
}

void fake_cuda_replay() {
  for (const auto& work : device().graph) work();
}

std::size_t fake_cuda_allocations() { return device().memory.size(); }

int fake_cuda_launches(const char* kernel) { return device().launches[kernel]; }

// Memory of the caller, as a tensor's would be.
std::uint64_t fake_cuda_allocate(std::size_t bytes) {
  CudaAddress address = 0;
  device().contexts.push_back(primary_context());
  cuMemAlloc_v2(&address, bytes);
  device().contexts.pop_back();
  return address;
}

}  // extern "C"

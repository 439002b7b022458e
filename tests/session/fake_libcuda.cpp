// A CUDA driver for tests: libcuda.so.1 whose device is this process's memory.
//
// It knows the kernels of device/host by name, if the module has them, and nothing else. Device
// addresses carry a bit that no address of the process has, so that following one on the host
// crashes as it would with a GPU.
//   FAKE_CUDA_DEVICES=0        no device
//   FAKE_CUDA_MEMORY=4096      bytes that the device has
//   FAKE_CUDA_CAPABILITY=80    compute capability, 90 by default
//   FAKE_CUDA_FAIL=cuModuleLoadDataEx   that function fails
//   FAKE_CUDA_FAIL=cuMemAlloc_v2:3:700  its third call fails, with that code (999 by default)
// A comma stands between several. A call that fails changes nothing.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>
#include <string>

#include "host/cuda_driver.h"
#include "session/fake_device.h"
#include "session/simulated_kernel.h"

using lockstep::device::CudaAddress;
using lockstep::device::CudaCode;
using lockstep::device::CudaContext;
using lockstep::device::CudaDevice;
using lockstep::device::CudaFunction;
using lockstep::device::CudaLaunchConfig;
using lockstep::device::CudaModule;
using lockstep::device::CudaStream;
using namespace lockstep::testing;  // NOLINT: this file is the driver of that device

namespace {

constexpr std::size_t kAlignment = 512;

std::size_t number_from(const char* variable, std::size_t otherwise) {
  const char* text = std::getenv(variable);
  return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
}

// What NVIDIA's driver says.
struct Words {
  CudaCode code;
  const char* name;
  const char* text;
};
constexpr Words kWords[] = {
    {kOk, "CUDA_SUCCESS", "no error"},
    {kInvalidValue, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {kOutOfMemory, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {kNotFound, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {kIllegalAddress, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
    {kUnknown, "CUDA_ERROR_UNKNOWN", "unknown error"},
};

// A field of the words for `code`, or the failure of a driver that knows none.
CudaCode tell(CudaCode code, const char* Words::* field, const char** into) {
  *into = nullptr;
  for (const Words& words : kWords) {
    if (words.code == code) *into = words.*field;
  }
  return *into != nullptr ? kOk : kInvalidValue;
}

// A name that lives as long as the process.
const std::string* kept_name(const char* name) {
  static std::set<std::string> names;
  return &*names.insert(name).first;
}

// Names live as long as the process.
const std::string& kernel_of(CudaFunction function) {
  return *reinterpret_cast<const std::string*>(function);
}

}  // namespace

extern "C" {

CudaCode cuInit(unsigned) { return refusal("cuInit"); }

CudaCode cuDriverGetVersion(int* version) {
  if (const CudaCode code = refusal("cuDriverGetVersion"); code != kOk) return code;
  *version = 13'000;
  return kOk;
}

CudaCode cuGetErrorString(CudaCode code, const char** words) {
  if (const CudaCode failed = refusal("cuGetErrorString"); failed != kOk) return failed;
  return tell(code, &Words::text, words);
}

CudaCode cuGetErrorName(CudaCode code, const char** name) {
  if (const CudaCode failed = refusal("cuGetErrorName"); failed != kOk) return failed;
  return tell(code, &Words::name, name);
}

CudaCode cuDeviceGetCount(int* count) {
  if (const CudaCode code = refusal("cuDeviceGetCount"); code != kOk) return code;
  *count = static_cast<int>(number_from("FAKE_CUDA_DEVICES", 1));
  return kOk;
}

CudaCode cuDeviceGet(CudaDevice* found, int ordinal) {
  if (const CudaCode code = refusal("cuDeviceGet"); code != kOk) return code;
  *found = ordinal;
  return kOk;
}

CudaCode cuDeviceGetName(char* name, int size, CudaDevice) {
  if (const CudaCode code = refusal("cuDeviceGetName"); code != kOk) return code;
  std::strncpy(name, "Fake H200", static_cast<std::size_t>(size));
  return kOk;
}

CudaCode cuDeviceGetAttribute(int* value, int which, CudaDevice) {
  if (const CudaCode code = refusal("cuDeviceGetAttribute"); code != kOk) return code;
  const int capability = static_cast<int>(number_from("FAKE_CUDA_CAPABILITY", 90));
  const std::map<int, int> values = {{lockstep::device::kCudaClockRate, 1'980'000},
                                     {lockstep::device::kCudaMultiprocessors, 4},
                                     {lockstep::device::kCudaCapabilityMajor, capability / 10},
                                     {lockstep::device::kCudaCapabilityMinor, capability % 10}};
  const auto known = values.find(which);
  if (known == values.end()) return kInvalidValue;
  *value = known->second;
  return kOk;
}

CudaCode cuDevicePrimaryCtxRetain(CudaContext* context, CudaDevice) {
  if (const CudaCode code = refusal("cuDevicePrimaryCtxRetain"); code != kOk) return code;
  *context = primary_context();
  ++device().retained;
  return kOk;
}

CudaCode cuDevicePrimaryCtxRelease_v2(CudaDevice) {
  if (const CudaCode code = refusal("cuDevicePrimaryCtxRelease_v2"); code != kOk) return code;
  --device().retained;
  return kOk;
}

CudaCode cuCtxGetCurrent(CudaContext* context) {
  if (const CudaCode code = refusal("cuCtxGetCurrent"); code != kOk) return code;
  *context = device().contexts.empty() ? nullptr : device().contexts.back();
  return kOk;
}

CudaCode cuCtxGetDevice(CudaDevice* found) {
  if (const CudaCode code = refusal("cuCtxGetDevice"); code != kOk) return code;
  *found = 0;
  return kOk;
}

CudaCode cuCtxPushCurrent_v2(CudaContext context) {
  if (const CudaCode code = refusal("cuCtxPushCurrent_v2"); code != kOk) return code;
  device().contexts.push_back(context);
  return kOk;
}

CudaCode cuCtxPopCurrent_v2(CudaContext* context) {
  if (const CudaCode code = refusal("cuCtxPopCurrent_v2"); code != kOk) return code;
  if (device().contexts.empty()) return kInvalidValue;
  *context = device().contexts.back();
  device().contexts.pop_back();
  return kOk;
}

CudaCode cuCtxSynchronize() { return refusal("cuCtxSynchronize"); }

CudaCode cuMemAlloc_v2(CudaAddress* address, std::size_t bytes) {
  if (const CudaCode code = refusal("cuMemAlloc_v2"); code != kOk) return code;
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
  if (const CudaCode code = refusal("cuMemFree_v2"); code != kOk) return code;
  if (device().memory.erase(address) == 0) return kInvalidValue;
  std::free(host_of(address));
  return kOk;
}

CudaCode cuMemcpyDtoH_v2(void* into, CudaAddress from, std::size_t bytes) {
  if (const CudaCode code = refusal("cuMemcpyDtoH_v2"); code != kOk) return code;
  if (!is_ours(from, bytes)) return kInvalidValue;
  std::memcpy(into, host_of(from), bytes);
  return kOk;
}

CudaCode cuMemcpyHtoD_v2(CudaAddress into, const void* from, std::size_t bytes) {
  if (const CudaCode code = refusal("cuMemcpyHtoD_v2"); code != kOk) return code;
  if (!is_ours(into, bytes)) return kInvalidValue;
  std::memcpy(host_of(into), from, bytes);
  return kOk;
}

CudaCode cuModuleLoadDataEx(CudaModule* module, const void* image, unsigned, int*, void**) {
  if (const CudaCode code = refusal("cuModuleLoadDataEx"); code != kOk) return code;
  // The module is its text: functions are found by its entries.
  device().modules.emplace_back(static_cast<const char*>(image));
  *module = reinterpret_cast<CudaModule>(&device().modules.back());
  return kOk;
}

CudaCode cuModuleUnload(CudaModule module) {
  if (const CudaCode code = refusal("cuModuleUnload"); code != kOk) return code;
  device().modules.remove_if([&](const std::string& text) {
    return reinterpret_cast<CudaModule>(const_cast<std::string*>(&text)) == module;
  });
  return kOk;
}

CudaCode cuModuleGetFunction(CudaFunction* function, CudaModule module, const char* name) {
  if (const CudaCode code = refusal("cuModuleGetFunction"); code != kOk) return code;
  const auto* text = reinterpret_cast<const std::string*>(module);
  const std::string* kernel = kept_name(name);
  if (text->find(".entry " + *kernel + "(") == std::string::npos) return kNotFound;
  *function = reinterpret_cast<CudaFunction>(const_cast<std::string*>(kernel));
  return kOk;
}

CudaCode cuLaunchKernel(CudaFunction function, unsigned blocks, unsigned, unsigned,
                        unsigned threads, unsigned, unsigned, unsigned, CudaStream,
                        void** arguments, void**) {
  if (const CudaCode code = refusal("cuLaunchKernel"); code != kOk) return code;
  const std::string& name = kernel_of(function);
  if (is_measurement(name)) return measure(name, std::size_t{blocks} * threads / 32, arguments);
  return launch(name, arguments);
}

CudaCode cuLaunchKernelEx(const CudaLaunchConfig* config, CudaFunction function, void** arguments,
                          void**) {
  if (const CudaCode code = refusal("cuLaunchKernelEx"); code != kOk) return code;
  const bool is_dependent =
      config->attribute_count == 1 &&
      config->attributes[0].id == lockstep::device::kCudaProgrammaticStreamSerialization &&
      config->attributes[0].value.programmatic_stream_serialization == 1;
  return is_dependent ? launch(kernel_of(function), arguments) : kInvalidValue;
}

// What tests ask of the device beside the driver's functions.

// A profiled kernel on the device; it is captured like any launch.
void fake_cuda_run_kernel(std::uint64_t channel, std::uint32_t blocks, std::uint32_t groups,
                          std::uint32_t events, std::uint32_t flags) {
  SimulatedLaunch launch;
  launch.blocks = blocks;
  launch.groups = groups;
  launch.events = events;
  launch.flags = flags;
  run_or_capture([channel, launch] { run_simulated_kernel(host_of(channel), launch); });
}

void fake_cuda_capture(int is_on) {
  device().is_capturing = is_on != 0;
  if (is_on != 0) device().graph.clear();
}

void fake_cuda_replay() {
  for (const auto& work : device().graph) work();
}

std::size_t fake_cuda_allocations() { return device().memory.size(); }
std::size_t fake_cuda_modules() { return device().modules.size(); }
std::size_t fake_cuda_retained() { return device().retained; }
std::size_t fake_cuda_contexts() { return device().contexts.size(); }

// How often a function of the driver was called since calls were last forgotten.
int fake_cuda_calls(const char* function) { return device().calls[function]; }
void fake_cuda_forget_calls() { device().calls.clear(); }

// A context of the caller, as a program that uses the device has one; and none at all.
void fake_cuda_enter_context() { device().contexts.push_back(primary_context()); }
void fake_cuda_forget_contexts() { device().contexts.clear(); }

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

// The CUDA driver, reached at run time: what the session and the measurement of overhead call of
// libcuda.so.1. No CUDA header is needed to build it, and no driver to start it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace lockstep::device {

// The driver's types, as its ABI has them.
using CudaCode = int;
using CudaDevice = int;
using CudaAddress = unsigned long long;
using CudaContext = struct CudaContextTag*;
using CudaModule = struct CudaModuleTag*;
using CudaFunction = struct CudaFunctionTag*;
using CudaStream = struct CudaStreamTag*;

// The launch attribute that lets a kernel start before the one ahead of it has ended.
struct CudaLaunchAttribute {
  int id;
  int pad;
  union {
    int programmatic_stream_serialization;
    char bytes[64];
  } value;
};
static_assert(sizeof(CudaLaunchAttribute) == 72);
inline constexpr int kCudaProgrammaticStreamSerialization = 6;

struct CudaLaunchConfig {
  unsigned grid[3];
  unsigned block[3];
  unsigned shared_bytes;
  CudaStream stream;
  CudaLaunchAttribute* attributes;
  unsigned attribute_count;
};
static_assert(sizeof(CudaLaunchConfig) == 56 && offsetof(CudaLaunchConfig, stream) == 32);

// Codes that are told apart.
inline constexpr CudaCode kCudaSuccess = 0;
inline constexpr CudaCode kCudaInvalidValue = 1;
inline constexpr CudaCode kCudaOutOfMemory = 2;

// Attributes of a device.
inline constexpr int kCudaClockRate = 13;  // kHz
inline constexpr int kCudaMultiprocessors = 16;
inline constexpr int kCudaCapabilityMajor = 75;
inline constexpr int kCudaCapabilityMinor = 76;

// The functions, by the names of the driver's ABI.
struct CudaFunctions {
  CudaCode (*cuInit)(unsigned);
  CudaCode (*cuDriverGetVersion)(int*);
  CudaCode (*cuGetErrorString)(CudaCode, const char**);
  // Null where the driver is too old to know it.
  CudaCode (*cuGetErrorName)(CudaCode, const char**);
  CudaCode (*cuDeviceGetCount)(int*);
  CudaCode (*cuDeviceGet)(CudaDevice*, int);
  CudaCode (*cuDeviceGetName)(char*, int, CudaDevice);
  CudaCode (*cuDeviceGetAttribute)(int*, int, CudaDevice);
  CudaCode (*cuDevicePrimaryCtxRetain)(CudaContext*, CudaDevice);
  CudaCode (*cuDevicePrimaryCtxRelease_v2)(CudaDevice);
  CudaCode (*cuCtxGetCurrent)(CudaContext*);
  CudaCode (*cuCtxGetDevice)(CudaDevice*);
  CudaCode (*cuCtxPushCurrent_v2)(CudaContext);
  CudaCode (*cuCtxPopCurrent_v2)(CudaContext*);
  CudaCode (*cuCtxSynchronize)();
  CudaCode (*cuMemAlloc_v2)(CudaAddress*, std::size_t);
  CudaCode (*cuMemFree_v2)(CudaAddress);
  CudaCode (*cuMemcpyDtoH_v2)(void*, CudaAddress, std::size_t);
  CudaCode (*cuMemcpyHtoD_v2)(CudaAddress, const void*, std::size_t);
  CudaCode (*cuModuleLoadDataEx)(CudaModule*, const void*, unsigned, int*, void**);
  CudaCode (*cuModuleUnload)(CudaModule);
  CudaCode (*cuModuleGetFunction)(CudaFunction*, CudaModule, const char*);
  CudaCode (*cuLaunchKernel)(CudaFunction, unsigned, unsigned, unsigned, unsigned, unsigned,
                             unsigned, unsigned, CudaStream, void**, void**);
  // Null where the driver is too old to know it.
  CudaCode (*cuLaunchKernelEx)(const CudaLaunchConfig*, CudaFunction, void**, void**);
};

// The environment variable that names another library in place of libcuda.so.1.
inline constexpr const char* kCudaLibraryVariable = "LOCKSTEP_LIBCUDA";

class CudaDriver {
 public:
  // Loads and initialises the driver. Errors: no library, a library that is none, no device. The
  // library stays loaded until the program ends.
  [[nodiscard]] static Result<CudaDriver> load();

  [[nodiscard]] const CudaFunctions* operator->() const { return &functions_; }
  // The error of a call that failed: "WHAT failed: " and the answer.
  [[nodiscard]] Status check(CudaCode code, std::string_view call, std::string_view what) const;
  // What a call came to: "cuMemAlloc returned CUDA_ERROR_OUT_OF_MEMORY (2): out of memory".
  [[nodiscard]] std::string answer(CudaCode code, std::string_view call) const;
  [[nodiscard]] int device_count() const { return device_count_; }
  // The CUDA that the driver knows: "13.0".
  [[nodiscard]] Result<std::string> version() const;

 private:
  CudaFunctions functions_{};
  int device_count_ = 0;
};

// A device with the context that work is done in: the caller's current one, or the device's primary
// one, which the runtime API and every framework use.
class CudaWorkplace {
 public:
  // `ordinal` -1: the device of the current context, or the first one.
  [[nodiscard]] static Result<CudaWorkplace> open(const CudaDriver& driver, int ordinal);
  CudaWorkplace(CudaWorkplace&& other) noexcept;
  CudaWorkplace(const CudaWorkplace&) = delete;
  CudaWorkplace& operator=(const CudaWorkplace&) = delete;
  CudaWorkplace& operator=(CudaWorkplace&&) = delete;
  ~CudaWorkplace();
  // Gives the context back; the destructor does it in silence.
  [[nodiscard]] Status release();

  [[nodiscard]] const CudaDriver& driver() const { return driver_; }
  [[nodiscard]] CudaContext context() const { return context_; }
  [[nodiscard]] Result<std::string> device_name() const;
  [[nodiscard]] Result<int> attribute(int which) const;  // 0 where the driver does not know it
  // 10 x major + minor: 90 for sm_90.
  [[nodiscard]] int capability() const { return capability_; }
  [[nodiscard]] std::string arch() const;  // "sm_90"

 private:
  explicit CudaWorkplace(const CudaDriver& driver) : driver_(driver) {}
  [[nodiscard]] Status find_device(int ordinal, CudaContext& current,
                                   CudaDevice& device_of_current);
  [[nodiscard]] Status find_capability();

  CudaDriver driver_;
  CudaDevice device_ = 0;
  int capability_ = 0;
  CudaContext context_ = nullptr;
  bool is_retained_ = false;
};

// Makes a context current for a scope, whatever thread it is.
class CudaContextScope {
 public:
  explicit CudaContextScope(const CudaWorkplace& workplace);
  CudaContextScope(const CudaContextScope&) = delete;
  CudaContextScope& operator=(const CudaContextScope&) = delete;
  ~CudaContextScope();

  // Whether it could be made current; nothing may be done with the device otherwise.
  [[nodiscard]] const Status& status() const { return status_; }
  // Makes current what was before; the destructor does it in silence.
  [[nodiscard]] Status leave();

 private:
  const CudaDriver& driver_;
  Status status_;
  bool is_inside_ = false;
};

// Runs `body`, which returns a Status or a Result, with the context current. The first error of
// entering, of the body and of leaving.
template <typename Body>
auto in_context(const CudaWorkplace& workplace, Body&& body) -> decltype(body()) {
  CudaContextScope scope(workplace);
  LOCKSTEP_RETURN_IF_ERROR(scope.status());
  auto result = body();
  const Status left = scope.leave();
  if (result.ok() && !left.ok()) return left.error();
  return result;
}

}  // namespace lockstep::device

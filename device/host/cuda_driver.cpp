// Finds libcuda.so.1 and its functions, and the context to work in.
#include "host/cuda_driver.h"

#include <dlfcn.h>

#include <array>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>

namespace lockstep {
namespace {

const char* library_name() {
  const char* other = std::getenv(kCudaLibraryVariable);
  return other != nullptr && *other != '\0' ? other : "libcuda.so.1";
}

// Looks up one function after the other and keeps the name of the first that is missing.
class Lookup {
 public:
  explicit Lookup(void* library) : library_(library) {}

  template <typename Function>
  void required(Function*& function, const char* name) {
    optional(function, name);
    if (function == nullptr && missing_ == nullptr) missing_ = name;
  }
  template <typename Function>
  void optional(Function*& function, const char* name) {
    function = reinterpret_cast<Function*>(dlsym(library_, name));
  }
  [[nodiscard]] const char* missing() const { return missing_; }

 private:
  void* library_;
  const char* missing_ = nullptr;
};

const char* find_functions(void* library, CudaFunctions& f) {
  Lookup look(library);
  look.required(f.cuInit, "cuInit");
  look.required(f.cuDriverGetVersion, "cuDriverGetVersion");
  look.required(f.cuGetErrorString, "cuGetErrorString");
  look.required(f.cuDeviceGetCount, "cuDeviceGetCount");
  look.required(f.cuDeviceGet, "cuDeviceGet");
  look.required(f.cuDeviceGetName, "cuDeviceGetName");
  look.required(f.cuDeviceGetAttribute, "cuDeviceGetAttribute");
  look.required(f.cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain");
  look.required(f.cuDevicePrimaryCtxRelease_v2, "cuDevicePrimaryCtxRelease_v2");
  look.required(f.cuCtxGetCurrent, "cuCtxGetCurrent");
  look.required(f.cuCtxGetDevice, "cuCtxGetDevice");
  look.required(f.cuCtxPushCurrent_v2, "cuCtxPushCurrent_v2");
  look.required(f.cuCtxPopCurrent_v2, "cuCtxPopCurrent_v2");
  look.required(f.cuCtxSynchronize, "cuCtxSynchronize");
  look.required(f.cuMemAlloc_v2, "cuMemAlloc_v2");
  look.required(f.cuMemFree_v2, "cuMemFree_v2");
  look.required(f.cuMemcpyDtoH_v2, "cuMemcpyDtoH_v2");
  look.required(f.cuMemcpyHtoD_v2, "cuMemcpyHtoD_v2");
  look.required(f.cuModuleLoadDataEx, "cuModuleLoadDataEx");
  look.required(f.cuModuleUnload, "cuModuleUnload");
  look.required(f.cuModuleGetFunction, "cuModuleGetFunction");
  look.required(f.cuLaunchKernel, "cuLaunchKernel");
  look.optional(f.cuLaunchKernelEx, "cuLaunchKernelEx");
  return look.missing();
}

}  // namespace

Result<CudaDriver> CudaDriver::load() {
  void* library = dlopen(library_name(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return input_error(
        {}, fmt::format("there is no CUDA driver here ({} cannot be loaded)", library_name()),
        "Run this on a machine with an NVIDIA GPU and its driver");
  }
  CudaDriver driver;
  if (const char* missing = find_functions(library, driver.functions_)) {
    return input_error(library_name(), fmt::format("this CUDA driver has no {}", missing),
                       "A driver of CUDA 11 or newer is needed");
  }
  LOCKSTEP_RETURN_IF_ERROR(driver.check(driver->cuInit(0), "starting the CUDA driver"));
  LOCKSTEP_RETURN_IF_ERROR(
      driver.check(driver->cuDeviceGetCount(&driver.device_count_), "counting CUDA devices"));
  if (driver.device_count_ == 0) return input_error({}, "the CUDA driver knows no device");
  return driver;
}

Status CudaDriver::check(CudaCode code, const char* what) const {
  if (code == 0) return {};
  const char* words = nullptr;
  functions_.cuGetErrorString(code, &words);
  return input_error({}, fmt::format("{} failed: {} (CUDA error {})", what,
                                     words != nullptr ? words : "unknown error", code));
}

std::string CudaDriver::version() const {
  int version = 0;
  functions_.cuDriverGetVersion(&version);
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

Result<CudaWorkplace> CudaWorkplace::open(const CudaDriver& driver, int ordinal) {
  if (ordinal < -1 || ordinal >= driver.device_count()) {
    return usage_error(fmt::format("there is no CUDA device {}; the highest is {}", ordinal,
                                   driver.device_count() - 1));
  }
  CudaWorkplace place(driver);
  CudaContext current = nullptr;
  LOCKSTEP_RETURN_IF_ERROR(
      driver.check(driver->cuCtxGetCurrent(&current), "asking for the current context"));
  CudaDevice device = 0;
  if (current != nullptr) {
    LOCKSTEP_RETURN_IF_ERROR(
        driver.check(driver->cuCtxGetDevice(&device), "asking for the context's device"));
  }
  LOCKSTEP_RETURN_IF_ERROR(driver.check(
      driver->cuDeviceGet(&place.device_, ordinal == -1 ? device : ordinal), "opening the device"));
  if (current != nullptr && place.device_ == device) {
    place.context_ = current;
    return place;
  }
  LOCKSTEP_RETURN_IF_ERROR(
      driver.check(driver->cuDevicePrimaryCtxRetain(&place.context_, place.device_),
                   "opening the device's primary context"));
  place.is_retained_ = true;
  return place;
}

CudaWorkplace::CudaWorkplace(CudaWorkplace&& other) noexcept
    : driver_(other.driver_),
      device_(other.device_),
      context_(other.context_),
      is_retained_(std::exchange(other.is_retained_, false)) {}

CudaWorkplace::~CudaWorkplace() {
  if (is_retained_) driver_->cuDevicePrimaryCtxRelease_v2(device_);
}

std::string CudaWorkplace::device_name() const {
  std::array<char, 256> name{};
  if (driver_->cuDeviceGetName(name.data(), static_cast<int>(name.size()) - 1, device_) != 0) {
    return {};
  }
  return name.data();
}

int CudaWorkplace::attribute(int which) const {
  int value = 0;
  return driver_->cuDeviceGetAttribute(&value, which, device_) == 0 ? value : 0;
}

int CudaWorkplace::capability() const {
  return 10 * attribute(kCudaCapabilityMajor) + attribute(kCudaCapabilityMinor);
}

std::string CudaWorkplace::arch() const { return fmt::format("sm_{}", capability()); }

CudaContextScope::CudaContextScope(const CudaWorkplace& workplace)
    : driver_(workplace.driver()),
      is_pushed_(driver_->cuCtxPushCurrent_v2(workplace.context()) == 0) {}

CudaContextScope::~CudaContextScope() {
  CudaContext popped = nullptr;
  if (is_pushed_) driver_->cuCtxPopCurrent_v2(&popped);
}

}  // namespace lockstep

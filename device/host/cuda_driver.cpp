// Finds libcuda.so.1 and its functions, and the context to work in.
#include "host/cuda_driver.h"

#include <dlfcn.h>

#include <array>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>

namespace lockstep::device {
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
  look.optional(f.cuGetErrorName, "cuGetErrorName");
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
  LOCKSTEP_RETURN_IF_ERROR(driver.check(driver->cuInit(0), "cuInit", "starting the CUDA driver"));
  LOCKSTEP_RETURN_IF_ERROR(driver.check(driver->cuDeviceGetCount(&driver.device_count_),
                                        "cuDeviceGetCount", "counting CUDA devices"));
  if (driver.device_count_ == 0) return input_error({}, "the CUDA driver knows no device");
  return driver;
}

Status CudaDriver::check(CudaCode code, std::string_view call, std::string_view what) const {
  if (code == kCudaSuccess) return {};
  return input_error({}, fmt::format("{} failed: {}", what, answer(code, call)));
}

std::string CudaDriver::answer(CudaCode code, std::string_view call) const {
  const char* name = nullptr;
  const char* words = nullptr;
  // A driver that does not know its own error leaves nothing to say but its number.
  const bool has_name = functions_.cuGetErrorName != nullptr &&
                        functions_.cuGetErrorName(code, &name) == kCudaSuccess && name != nullptr;
  const bool has_words =
      functions_.cuGetErrorString(code, &words) == kCudaSuccess && words != nullptr;
  return fmt::format("{} returned {} ({}){}{}", call, has_name ? name : "an error", code,
                     has_words ? ": " : "", has_words ? words : "");
}

Result<std::string> CudaDriver::version() const {
  int version = 0;
  LOCKSTEP_RETURN_IF_ERROR(check(functions_.cuDriverGetVersion(&version), "cuDriverGetVersion",
                                 "asking for the driver's version"));
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

Result<CudaWorkplace> CudaWorkplace::open(const CudaDriver& driver, int ordinal) {
  if (ordinal < -1 || ordinal >= driver.device_count()) {
    return usage_error(fmt::format("there is no CUDA device {}; the highest is {}", ordinal,
                                   driver.device_count() - 1));
  }
  CudaWorkplace place(driver);
  CudaContext current = nullptr;
  CudaDevice device = 0;
  LOCKSTEP_RETURN_IF_ERROR(place.find_device(ordinal, current, device));
  LOCKSTEP_RETURN_IF_ERROR(place.find_capability());
  if (current != nullptr && place.device_ == device) {
    place.context_ = current;
    return place;
  }
  LOCKSTEP_RETURN_IF_ERROR(
      driver.check(driver->cuDevicePrimaryCtxRetain(&place.context_, place.device_),
                   "cuDevicePrimaryCtxRetain", "opening the device's primary context"));
  place.is_retained_ = true;
  return place;
}

Status CudaWorkplace::find_device(int ordinal, CudaContext& current,
                                  CudaDevice& device_of_current) {
  LOCKSTEP_RETURN_IF_ERROR(driver_.check(driver_->cuCtxGetCurrent(&current), "cuCtxGetCurrent",
                                         "asking for the current context"));
  if (current != nullptr) {
    LOCKSTEP_RETURN_IF_ERROR(driver_.check(driver_->cuCtxGetDevice(&device_of_current),
                                           "cuCtxGetDevice", "asking for the context's device"));
  }
  return driver_.check(driver_->cuDeviceGet(&device_, ordinal == -1 ? device_of_current : ordinal),
                       "cuDeviceGet", "opening the device");
}

Status CudaWorkplace::find_capability() {
  int major = 0;
  int minor = 0;
  for (const auto& [which, value] :
       {std::pair(kCudaCapabilityMajor, &major), {kCudaCapabilityMinor, &minor}}) {
    LOCKSTEP_RETURN_IF_ERROR(driver_.check(driver_->cuDeviceGetAttribute(value, which, device_),
                                           "cuDeviceGetAttribute",
                                           "asking for the device's compute capability"));
  }
  capability_ = 10 * major + minor;
  return {};
}

CudaWorkplace::CudaWorkplace(CudaWorkplace&& other) noexcept
    : driver_(other.driver_),
      device_(other.device_),
      capability_(other.capability_),
      context_(other.context_),
      is_retained_(std::exchange(other.is_retained_, false)) {}

CudaWorkplace::~CudaWorkplace() { static_cast<void>(release()); }

Status CudaWorkplace::release() {
  if (!std::exchange(is_retained_, false)) return {};
  return driver_.check(driver_->cuDevicePrimaryCtxRelease_v2(device_), "cuDevicePrimaryCtxRelease",
                       "giving the device's primary context back");
}

Result<std::string> CudaWorkplace::device_name() const {
  std::array<char, 256> name{};
  LOCKSTEP_RETURN_IF_ERROR(driver_.check(
      driver_->cuDeviceGetName(name.data(), static_cast<int>(name.size()) - 1, device_),
      "cuDeviceGetName", "asking for the device's name"));
  return std::string(name.data());
}

Result<int> CudaWorkplace::attribute(int which) const {
  int value = 0;
  const CudaCode code = driver_->cuDeviceGetAttribute(&value, which, device_);
  if (code == kCudaInvalidValue) return 0;
  LOCKSTEP_RETURN_IF_ERROR(
      driver_.check(code, "cuDeviceGetAttribute", "asking for a fact of the device"));
  return value;
}

std::string CudaWorkplace::arch() const { return fmt::format("sm_{}", capability()); }

CudaContextScope::CudaContextScope(const CudaWorkplace& workplace)
    : driver_(workplace.driver()),
      status_(driver_.check(driver_->cuCtxPushCurrent_v2(workplace.context()), "cuCtxPushCurrent",
                            "entering the device's context")),
      is_inside_(status_.ok()) {}

CudaContextScope::~CudaContextScope() { static_cast<void>(leave()); }

Status CudaContextScope::leave() {
  if (!std::exchange(is_inside_, false)) return {};
  CudaContext popped = nullptr;
  return driver_.check(driver_->cuCtxPopCurrent_v2(&popped), "cuCtxPopCurrent",
                       "leaving the device's context");
}

}  // namespace lockstep::device

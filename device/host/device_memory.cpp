// Owners of device memory and modules.
#include "host/device_memory.h"

#include <utility>

#include <fmt/format.h>

#include "base/text.h"

namespace lockstep::device {
namespace {

// In the context, and tried also where that cannot be entered. The first error.
template <typename Call>
Status give_back(const CudaWorkplace& place, Call&& call) {
  CudaContextScope scope(place);
  Status status = call();
  if (status.ok()) status = scope.status();
  if (status.ok()) status = scope.leave();
  return status;
}

}  // namespace

DeviceMemory::~DeviceMemory() { static_cast<void>(free()); }

Status DeviceMemory::allocate(std::uint64_t bytes, std::string_view what) {
  const CudaDriver& driver = place_.driver();
  const CudaCode code = driver->cuMemAlloc_v2(&address_, bytes);
  if (code == kCudaSuccess) return {};
  address_ = 0;
  if (code != kCudaOutOfMemory) {
    return driver.check(code, "cuMemAlloc",
                        fmt::format("allocating {} on the device", human_bytes(bytes)));
  }
  return input_error({},
                     fmt::format("the device has no {} left for {}: {}", human_bytes(bytes), what,
                                 driver.answer(code, "cuMemAlloc")),
                     what == kForRecords ? "Record fewer blocks, records or launches" : "");
}

Status DeviceMemory::free() {
  const CudaAddress address = std::exchange(address_, 0);
  if (address == 0) return {};
  return give_back(place_, [&] {
    return place_.driver().check(place_.driver()->cuMemFree_v2(address), "cuMemFree",
                                 "freeing memory of the device");
  });
}

Status DeviceMemory::read(std::uint64_t offset, std::span<std::byte> into) const {
  return copy_from_device(place_.driver(), address_ + offset, into, "copying from the device");
}

Status DeviceMemory::write(std::span<const std::byte> bytes) const {
  return copy_to_device(place_.driver(), address_, bytes, "copying to the device");
}

Status copy_from_device(const CudaDriver& driver, CudaAddress from, std::span<std::byte> into,
                        const char* what) {
  return driver.check(driver->cuMemcpyDtoH_v2(into.data(), from, into.size()), "cuMemcpyDtoH",
                      what);
}

Status copy_to_device(const CudaDriver& driver, CudaAddress into, std::span<const std::byte> from,
                      const char* what) {
  return driver.check(driver->cuMemcpyHtoD_v2(into, from.data(), from.size()), "cuMemcpyHtoD",
                      what);
}

LoadedPtx::~LoadedPtx() { static_cast<void>(unload()); }

Status LoadedPtx::load(const char* ptx, const char* what) {
  const CudaCode code = place_.driver()->cuModuleLoadDataEx(&module_, ptx, 0, nullptr, nullptr);
  if (code != kCudaSuccess) module_ = nullptr;
  return place_.driver().check(code, "cuModuleLoadDataEx", what);
}

Status LoadedPtx::unload() {
  CudaModule const module = std::exchange(module_, nullptr);
  if (module == nullptr) return {};
  return give_back(place_, [&] {
    return place_.driver().check(place_.driver()->cuModuleUnload(module), "cuModuleUnload",
                                 "unloading kernels");
  });
}

Result<CudaFunction> LoadedPtx::function(const std::string& name) const {
  CudaFunction found = nullptr;
  LOCKSTEP_RETURN_IF_ERROR(
      place_.driver().check(place_.driver()->cuModuleGetFunction(&found, module_, name.c_str()),
                            "cuModuleGetFunction", fmt::format("finding the kernel {}", name)));
  return found;
}

}  // namespace lockstep::device

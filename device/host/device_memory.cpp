// Owners of device memory and modules.
#include "host/device_memory.h"

#include <fmt/format.h>

#include "base/text.h"

namespace lockstep {

DeviceMemory::~DeviceMemory() {
  const CudaContextScope scope(place_);
  if (address_ != 0) place_.driver()->cuMemFree_v2(address_);
}

Status DeviceMemory::allocate(std::uint64_t bytes) {
  if (place_.driver()->cuMemAlloc_v2(&address_, bytes) == 0) return {};
  return input_error({}, fmt::format("the device has no {} left for records", human_bytes(bytes)),
                     "Record fewer blocks, records or launches");
}

Status DeviceMemory::read(std::uint64_t offset, std::span<std::byte> into) const {
  return copy_from_device(place_.driver(), address_ + offset, into, "copying from the device");
}

Status DeviceMemory::write(std::span<const std::byte> bytes) const {
  return copy_to_device(place_.driver(), address_, bytes, "copying to the device");
}

Status copy_from_device(const CudaDriver& driver, CudaAddress from, std::span<std::byte> into,
                        const char* what) {
  return driver.check(driver->cuMemcpyDtoH_v2(into.data(), from, into.size()), what);
}

Status copy_to_device(const CudaDriver& driver, CudaAddress into, std::span<const std::byte> from,
                      const char* what) {
  return driver.check(driver->cuMemcpyHtoD_v2(into, from.data(), from.size()), what);
}

LoadedPtx::~LoadedPtx() {
  const CudaContextScope scope(place_);
  if (module_ != nullptr) place_.driver()->cuModuleUnload(module_);
}

Status LoadedPtx::load(const char* ptx, const char* what) {
  return place_.driver().check(
      place_.driver()->cuModuleLoadDataEx(&module_, ptx, 0, nullptr, nullptr), what);
}

Result<CudaFunction> LoadedPtx::function(const std::string& name) const {
  CudaFunction found = nullptr;
  LOCKSTEP_RETURN_IF_ERROR(place_.driver().check(
      place_.driver()->cuModuleGetFunction(&found, module_, name.c_str()), name.c_str()));
  return found;
}

}  // namespace lockstep

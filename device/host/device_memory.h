// Memory and kernels on a CUDA device that go away with their owner. A context scope must be open
// while they are used.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "host/cuda_driver.h"

namespace lockstep::device {

// What most memory is for.
inline constexpr std::string_view kForRecords = "records";

class DeviceMemory {
 public:
  explicit DeviceMemory(const CudaWorkplace& place) : place_(place) {}
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;
  ~DeviceMemory();

  // `what` it is for: "records".
  [[nodiscard]] Status allocate(std::uint64_t bytes, std::string_view what);
  // The destructor does it in silence.
  [[nodiscard]] Status free();
  [[nodiscard]] CudaAddress address() const { return address_; }
  [[nodiscard]] Status read(std::uint64_t offset, std::span<std::byte> into) const;
  [[nodiscard]] Status write(std::span<const std::byte> bytes) const;

 private:
  const CudaWorkplace& place_;
  CudaAddress address_ = 0;
};

// Copies between host and device that say what they were for when they fail.
[[nodiscard]] Status copy_from_device(const CudaDriver& driver, CudaAddress from,
                                      std::span<std::byte> into, const char* what);
[[nodiscard]] Status copy_to_device(const CudaDriver& driver, CudaAddress into,
                                    std::span<const std::byte> from, const char* what);

// PTX, compiled by the driver for the device.
class LoadedPtx {
 public:
  explicit LoadedPtx(const CudaWorkplace& place) : place_(place) {}
  LoadedPtx(const LoadedPtx&) = delete;
  LoadedPtx& operator=(const LoadedPtx&) = delete;
  ~LoadedPtx();

  [[nodiscard]] Status load(const char* ptx, const char* what);
  // The destructor does it in silence.
  [[nodiscard]] Status unload();
  [[nodiscard]] Result<CudaFunction> function(const std::string& name) const;

 private:
  const CudaWorkplace& place_;
  CudaModule module_ = nullptr;
};

}  // namespace lockstep::device

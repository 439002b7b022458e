// The header of a .npy file (versions 1 to 3): which bytes are the array.
#pragma once

#include <cstddef>
#include <span>

#include "base/diagnostics.h"
#include "base/result.h"

namespace lockstep::formats::kernel_profile {

[[nodiscard]] bool is_npy(std::span<const std::byte> bytes);

// The bytes of the array. Integers of any width, little-endian, in C order; everything else is an
// error. An array that is cut short gives what is there.
[[nodiscard]] Result<std::span<const std::byte>> npy_array(std::span<const std::byte> bytes,
                                                           Diagnostics& findings);

}  // namespace lockstep::formats::kernel_profile

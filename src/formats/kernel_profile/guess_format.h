// Which in-kernel format a buffer without a name seems to have.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "formats/kernel_profile/kernel_profile_formats.h"

namespace lockstep::formats::kernel_profile {

// From the plausibility of headers and tags at the front; none where nothing fits.
[[nodiscard]] std::optional<KernelFormat> guess_kernel_format(std::span<const std::byte> bytes);

}  // namespace lockstep::formats::kernel_profile

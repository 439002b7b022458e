// Buffers of JAX's Mosaic GPU profiler: u32 words, the same number for every warp group:
// {timer (low half), multiprocessor, words used, then {name | exit << 31, clock} ...}.
#pragma once

#include <cstddef>
#include <span>

#include "base/diagnostics.h"
#include "base/result.h"
#include "formats/kernel_profile/kernel_profile_formats.h"
#include "formats/kernel_profile/profile_meta.h"
#include "trace/kernel_profile.h"

namespace lockstep::formats::kernel_profile {

[[nodiscard]] Result<trace::KernelProfile> decode_mosaic(std::span<const std::byte> bytes,
                                                         const KernelDecodeOptions& options,
                                                         const ProfileMeta& meta,
                                                         Diagnostics& findings);

}  // namespace lockstep::formats::kernel_profile

// The scratch memory of Triton's Proton intra-kernel profiler: one part per block, {preamble,
// block, multiprocessor, bytes of records, times of init, pre-final and post-final}, a count of
// words per warp, then a ring per selected warp.
#pragma once

#include <cstddef>
#include <span>

#include "base/diagnostics.h"
#include "base/result.h"
#include "formats/kernel_profile/kernel_profile_formats.h"
#include "formats/kernel_profile/profile_meta.h"
#include "trace/kernel_profile.h"

namespace lockstep::formats::kernel_profile {

inline constexpr std::uint32_t kProtonPreamble = 0xDEAD'BEEF;

[[nodiscard]] Result<trace::KernelProfile> decode_proton(std::span<const std::byte> bytes,
                                                         const KernelDecodeOptions& options,
                                                         const ProfileMeta& meta,
                                                         Diagnostics& findings);

}  // namespace lockstep::formats::kernel_profile

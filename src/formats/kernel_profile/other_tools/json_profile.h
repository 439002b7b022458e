// In-kernel profiles that are JSON: run-iket, intra-kernel-profiler, Proton.
#pragma once

#include <cstddef>
#include <span>

#include "base/diagnostics.h"
#include "base/result.h"
#include "formats/kernel_profile/kernel_profile_formats.h"
#include "trace/kernel_profile.h"

namespace lockstep::formats::kernel_profile {

[[nodiscard]] bool is_json(std::span<const std::byte> bytes);

// Errors: no JSON, JSON of something else, a trace of a whole run. Of a list that is cut what
// stands before the cut is read.
[[nodiscard]] Result<trace::KernelProfile> decode_json(std::span<const std::byte> bytes,
                                                       const KernelDecodeOptions& options,
                                                       Diagnostics& findings);

}  // namespace lockstep::formats::kernel_profile

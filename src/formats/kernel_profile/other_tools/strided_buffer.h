// Buffers of TVM's CudaProfiler and of FlashInfer's profiler: u64 words, a header in slot 0, then
// the records of all lanes interleaved by a stride.
#pragma once

#include <cstddef>
#include <span>

#include "base/diagnostics.h"
#include "base/result.h"
#include "formats/kernel_profile/kernel_profile_formats.h"
#include "trace/kernel_profile.h"

namespace lockstep::formats::kernel_profile {

// `format` is kTvm, kFlashInfer or kFlashInferOld.
[[nodiscard]] Result<trace::KernelProfile> decode_strided(std::span<const std::byte> bytes,
                                                          KernelFormat format,
                                                          const KernelDecodeOptions& options,
                                                          Diagnostics& findings);

}  // namespace lockstep::formats::kernel_profile

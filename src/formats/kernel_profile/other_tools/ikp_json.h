// In-kernel profiles of intra-kernel-profiler: its Chrome trace.
#pragma once

#include "base/diagnostics.h"
#include "base/result.h"
#include "formats/kernel_profile/other_tools/kernel_json.h"
#include "trace/kernel_profile.h"

namespace lockstep::formats::kernel_profile {

[[nodiscard]] bool is_ikp_json(simdjson::dom::element root);
[[nodiscard]] Result<trace::KernelProfile> decode_ikp_json(simdjson::dom::element root,
                                                           Diagnostics& findings);

}  // namespace lockstep::formats::kernel_profile

// In-kernel profiles of intra-kernel-profiler: its Chrome trace.
#pragma once

#include "base/diagnostics.h"
#include "formats/kernel_profile/other_tools/kernel_json.h"
#include "trace/kernel_profile.h"

namespace lockstep::formats::kernel_profile {

// By the block and warp in its arguments.
[[nodiscard]] bool is_ikp_marker(simdjson::dom::element event);
[[nodiscard]] trace::KernelProfile decode_ikp_json(simdjson::dom::array events,
                                                   Diagnostics& findings);

}  // namespace lockstep::formats::kernel_profile

// In-kernel profiles of NVIDIA's run-iket, which are JSON.
#pragma once

#include "base/diagnostics.h"
#include "formats/kernel_profile/other_tools/kernel_json.h"
#include "trace/kernel_profile.h"

namespace lockstep::formats::kernel_profile {

[[nodiscard]] bool is_iket_json(simdjson::dom::element root);
[[nodiscard]] trace::KernelProfile decode_iket_json(simdjson::dom::element root,
                                                    Diagnostics& findings);

}  // namespace lockstep::formats::kernel_profile

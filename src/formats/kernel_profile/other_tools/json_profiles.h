// In-kernel profiles that are JSON: what NVIDIA's run-iket writes, and the Chrome trace of
// intra-kernel-profiler. Both say what they are.
#pragma once

#include <optional>

#include "base/diagnostics.h"
#include "base/result.h"
#include "formats/kernel_profile/kernel_profile_formats.h"
#include "formats/kernel_profile/other_tools/kernel_json.h"
#include "trace/kernel_profile.h"

namespace lockstep::formats::kernel_profile {

// Which of the two the object is: kIket, kIkp or none.
[[nodiscard]] std::optional<KernelFormat> json_format_of(simdjson::dom::element root);

[[nodiscard]] trace::KernelProfile decode_iket_json(simdjson::dom::element root,
                                                    Diagnostics& findings);
[[nodiscard]] Result<trace::KernelProfile> decode_ikp_json(simdjson::dom::element root,
                                                           Diagnostics& findings);

}  // namespace lockstep::formats::kernel_profile

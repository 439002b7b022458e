// In-kernel profiles of Triton's Proton: the Chrome trace of its instrumentation backend.
#pragma once

#include "base/diagnostics.h"
#include "base/result.h"
#include "formats/kernel_profile/other_tools/kernel_json.h"
#include "formats/kernel_profile/profile_meta.h"
#include "trace/kernel_profile.h"

namespace lockstep::formats::kernel_profile {

// A scope of a warp, by its tid: "warp 3 (line 0)".
[[nodiscard]] bool is_proton_scope(simdjson::dom::element event);

// Of the rates, names and device that `meta` states those take the place of the file's.
[[nodiscard]] Result<trace::KernelProfile> decode_proton_json(simdjson::dom::array events,
                                                              const ProfileMeta& meta,
                                                              Diagnostics& findings);

}  // namespace lockstep::formats::kernel_profile

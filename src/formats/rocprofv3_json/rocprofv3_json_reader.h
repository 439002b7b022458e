// rocprofv3's JSON: one object for every profiled process, with lists of records by domain.
#pragma once

#include "formats/shared/format.h"

namespace lockstep::formats::rocprofv3_json {

// Must be asked before Chrome JSON, which takes any JSON for what it may be.
[[nodiscard]] shared::Format rocprofv3_json_format();

}  // namespace lockstep::formats::rocprofv3_json

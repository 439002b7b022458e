// The dialect of Proton, Triton's profiler: .chrome_trace files of launches, and of what warps do
// inside one kernel.
#pragma once

#include "formats/chrome_json/dialects/dialect.h"

namespace lockstep::formats::chrome_json {

[[nodiscard]] const Dialect& proton_dialect();

}  // namespace lockstep::formats::chrome_json

// The measurement of markers on the device of this machine: where the program meets device/host.
#pragma once

#include "base/result.h"
#include "report/kernel/kernel_overhead.h"

namespace lockstep::cli {

// An input error where there is no driver or no device.
[[nodiscard]] Result<report::kernel::MarkerCosts> measure_markers();

}  // namespace lockstep::cli

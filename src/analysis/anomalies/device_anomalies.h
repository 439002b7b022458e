// All that is known and said of one device.
#pragma once

#include "analysis/anomalies/judged_device.h"
#include "analysis/anomalies/verdict/conclusion.h"

namespace lockstep::analysis::anomalies {

struct DeviceAnomalies : JudgedDevice, Conclusion {};

}  // namespace lockstep::analysis::anomalies

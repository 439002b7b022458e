// Times of in-kernel profiles in JSON: cycles are shorter than a nanosecond.
#pragma once

#include <string>

#include "analysis/kernel_profile/time_base.h"
#include "base/time.h"

namespace lockstep {

// Nanoseconds with the decimals that there are, at most three: "8704", "0.505".
[[nodiscard]] inline std::string exact_ns(Time time) {
  return format_decimal(WideTime{time.ps}, kNanosecondsToPicoseconds, 0);
}

// The same of how far a time may be off: null where nothing ties it.
[[nodiscard]] inline std::string band_ns(Time uncertainty) {
  return uncertainty == kUnknownUncertainty ? "null" : exact_ns(uncertainty);
}

}  // namespace lockstep

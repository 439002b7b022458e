// Shares of times, for all rooms of `anomalies`.
#pragma once

#include "base/time.h"

namespace lockstep::analysis::anomalies {

// part / whole, 0 of nothing.
[[nodiscard]] constexpr double ratio_of(WideTime part, WideTime whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0.0;
}
[[nodiscard]] constexpr double ratio_of(Time part, Time whole) {
  return ratio_of(WideTime{part.ps}, WideTime{whole.ps});
}

}  // namespace lockstep::analysis::anomalies

// Whether the stated band is true: anchors that were left out of the fit should lie inside it.
#pragma once

#include <cstdint>

#include "analysis/kernel_profile/clocks/time_base.h"
#include "base/time.h"
#include "trace/kernel_profile.h"

namespace lockstep::analysis::kernel_profile {

struct BandCheck {
  std::uint64_t held_out = 0;  // anchors that were left out
  std::uint64_t inside = 0;    // those that the band holds
  // How far the others lie outside.
  Time excess_p50, excess_p95, excess_max;
  Time stated_p50, stated_max;  // the uncertainty where they were taken

  [[nodiscard]] double share() const {
    return held_out == 0 ? 1 : static_cast<double>(inside) / static_cast<double>(held_out);
  }
};

// Fits with every n-th knot left out (TimeBaseOptions::hold_out) and looks at its anchors: the time
// of the step must lie within the band of some tick between the anchor's two readings.
[[nodiscard]] BandCheck check_band(const trace::KernelProfile& profile, std::uint32_t hold_out);

}  // namespace lockstep::analysis::kernel_profile

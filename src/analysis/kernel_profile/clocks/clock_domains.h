// Which multiprocessors share a counter. Those of one graphics cluster run on one clock and were
// reset together: their counters show the same number, while those of different clusters are far
// apart. Their anchors then describe one clock and are pooled, which makes knots many times
// narrower than the brackets of a single multiprocessor, and more of them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/kernel_profile/clocks/anchored_clock.h"

namespace lockstep::analysis::kernel_profile {

// Pools the clocks of one launch that share a counter. Clocks whose anchors would contradict each
// other in a pool stay alone, as do those without anchors and those that may jump. Knots are tied.
struct ClockPools {
  struct Place {
    std::uint32_t pool = 0;
    std::uint32_t member = 0;  // index into the pool's skews, where it has any
  };
  std::vector<AnchoredClock> pools;
  std::vector<Place> pool_of_clock;
};
[[nodiscard]] ClockPools pool_clocks(std::vector<AnchoredClock> clocks, double usual_ticks_per_ns);

}  // namespace lockstep::analysis::kernel_profile

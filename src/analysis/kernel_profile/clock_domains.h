// Which multiprocessors share a counter. Those of one graphics cluster run on one clock and were
// reset together: their counters show the same number, while those of different clusters are far
// apart. Their anchors then describe one clock and are pooled, which makes knots many times
// narrower than the brackets of a single multiprocessor.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/kernel_profile/clock_knots.h"

namespace lockstep {

// Counters that show the same number may differ by this much either way: the ways of the timer and
// of the reset to each multiprocessor differ. Measured on an H200: 5.
inline constexpr std::int64_t kSkewTicks = 6;

// Pools the clocks of one launch that share a counter. The result has the pooled clocks;
// `pool_of_clock[i]` says which one is that of clock i. Clocks whose anchors would contradict each
// other in a pool stay alone, as do those without anchors and those that may jump.
struct ClockPools {
  std::vector<AnchoredClock> pools;
  std::vector<std::uint32_t> pool_of_clock;
};
[[nodiscard]] ClockPools pool_clocks(std::vector<AnchoredClock> clocks, double usual_ticks_per_ns);

}  // namespace lockstep

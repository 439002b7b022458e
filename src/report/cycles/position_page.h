// The kernels of a loop's body that take the time; positions with one kernel are one row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "analysis/cycles/cycles.h"
#include "report/layout/page.h"

namespace lockstep::report::cycles {

// Positions of a body that have one name.
struct PositionGroup {
  std::size_t first = 0;  // position, from 0
  std::size_t positions = 0;
  std::uint64_t count = 0;  // kernels, over all iterations
  WideTime sum = 0;
  double stddev_ps = 0;  // of all those kernels
  Time min;
  Time max;
  double share = 0;

  [[nodiscard]] double mean_ps() const;  // of a kernel
};

// Those that take the most time first.
[[nodiscard]] std::vector<PositionGroup> grouped_positions(
    const std::vector<analysis::cycles::Position>& positions);

// Of the main loop, and of the layers that it is made of; `top` rows of each, 0 for all.
void add_positions(const analysis::cycles::StreamCycles& cycles, std::size_t top,
                   layout::Page& page);

}  // namespace lockstep::report::cycles

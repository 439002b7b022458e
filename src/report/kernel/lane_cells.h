// Regions of a lane as cells of a row of text: which event a cell shows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/time.h"

namespace lockstep::report::kernel {

struct CellRegion {
  Time start;
  Time end;
  std::uint32_t event = 0;
};

// A cell of less than this part of it inside regions shows none.
inline constexpr std::int64_t kLeastPartOfCell = 8;

// [start, start + length) in `columns` cells of equal length. Of regions that lie in each other the
// one that began last counts; a cell shows the event that counts for the longest part of it, of
// equal ones the one that comes first. `regions` are by start, the longer first. O(regions +
// columns).
[[nodiscard]] std::vector<std::optional<std::uint32_t>> cells_of_lane(
    std::span<const CellRegion> regions, Time start, Time length, std::size_t columns);

}  // namespace lockstep::report::kernel

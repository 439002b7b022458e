// A sweep from the last start to the first.
#include "formats/shared/leaf_spans.h"

#include <algorithm>
#include <ranges>
#include <tuple>

namespace lockstep::formats::shared {

// With rows in the order of start, longest first, one contains a later row exactly when one of
// those ends no later than itself.
std::vector<std::uint32_t> rows_around_others(const trace::EventTable& events,
                                              std::vector<std::uint32_t> rows) {
  std::ranges::sort(rows, {}, [&](std::uint32_t row) {
    return std::tuple(events.start[row], -events.duration[row].ps, row);
  });
  std::vector<std::uint32_t> around;
  Time earliest_end{INT64_MAX};
  for (const std::uint32_t row : std::ranges::reverse_view(rows)) {
    if (events.duration[row].ps == 0) continue;
    if (earliest_end <= events.end(row)) around.push_back(row);
    earliest_end = std::min(earliest_end, events.end(row));
  }
  return around;
}

}  // namespace lockstep::formats::shared

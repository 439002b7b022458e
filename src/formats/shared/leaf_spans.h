// Which spans of a lane contain others: on lanes of operations such a span is a loop or a call, and
// only the leaves are work.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/trace.h"

namespace lockstep::formats::shared {

// Those of `rows` that contain another one: its start and end lie within theirs, bounds included.
// Of equal ones the first by row contains the others. Rows without a duration contain nothing and
// count for nothing inside others. `rows` are of one lane, in any order.
[[nodiscard]] std::vector<std::uint32_t> rows_around_others(const trace::EventTable& events,
                                                            std::vector<std::uint32_t> rows);

}  // namespace lockstep::formats::shared

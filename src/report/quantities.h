// Exact sums of picoseconds as sinks print them.
#pragma once

#include <cstdint>
#include <string>

#include "base/time.h"

namespace lockstep {

// Whole nanoseconds, rounded towards minus infinity; sums beyond 64 bits become the largest value.
[[nodiscard]] std::int64_t floored_ns(WideTime ps);

[[nodiscard]] std::string human_time_of(WideTime ps);

// "66.7 %"; "-" of nothing.
[[nodiscard]] std::string share_of(WideTime part, WideTime whole);

}  // namespace lockstep

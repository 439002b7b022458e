// Exact sums of picoseconds as sinks print them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/text.h"
#include "base/time.h"

namespace lockstep::report::layout {

// Whole nanoseconds, rounded towards minus infinity; sums beyond 64 bits become the largest value.
[[nodiscard]] std::int64_t floored_ns(WideTime ps);

// The same of a mean or a deviation: every sink that prints whole nanoseconds rounds alike.
[[nodiscard]] std::int64_t floored_ns_of(double ps);

[[nodiscard]] std::string human_time_of(WideTime ps);

// For files whose columns are in microseconds.
[[nodiscard]] constexpr double microseconds(double ps) {
  return ps / static_cast<double>(kPicosecondsPerMicrosecond);
}
[[nodiscard]] constexpr double microseconds(Time time) {
  return microseconds(static_cast<double>(time.ps));
}

// "66.7 %"; "-" of nothing.
[[nodiscard]] std::string share_of(WideTime part, WideTime whole);

}  // namespace lockstep::report::layout

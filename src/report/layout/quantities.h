// Times, shares and names as sinks print them.
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
// Of a mean or a deviation.
[[nodiscard]] std::string mean_time(double ps);
// "+12.400 us", "-1 ns", "0 ns"
[[nodiscard]] std::string signed_time(Time change);

// For files whose columns are in microseconds.
[[nodiscard]] constexpr double microseconds(double ps) {
  return ps / static_cast<double>(kPicosecondsPerMicrosecond);
}
[[nodiscard]] constexpr double microseconds(Time time) {
  return microseconds(static_cast<double>(time.ps));
}

// "66.7 %"; "-" of nothing.
[[nodiscard]] std::string share_of(WideTime part, WideTime whole);
// The same of a share from 0 to 1, and of one that is in hundredths already.
[[nodiscard]] std::string percent_of(double share);
[[nodiscard]] std::string percent_words(double percent);
// "+1.5 %"
[[nodiscard]] std::string signed_percent(double percent);

// What has no name is told so.
[[nodiscard]] std::string named(const std::string& name);
// "device 0"; "device" where the trace has no id for it.
[[nodiscard]] std::string with_id(std::string_view what, std::string_view id);
// Of a cell: what is not known is a dash.
[[nodiscard]] std::string or_dash(std::string text);
// "Stream 7", of words.
[[nodiscard]] std::string capitalised(std::string words);

}  // namespace lockstep::report::layout

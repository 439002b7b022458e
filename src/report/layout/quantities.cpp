// Narrowing of wide sums for output.
#include "report/layout/quantities.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "base/text.h"

namespace lockstep::report::layout {
namespace {

std::int64_t saturated(WideTime value) {
  constexpr WideTime kLow = std::numeric_limits<std::int64_t>::min();
  constexpr WideTime kHigh = std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(std::clamp(value, kLow, kHigh));
}

}  // namespace

std::int64_t floored_ns(WideTime ps) {
  return saturated(floor_to_ns(ps) / kPicosecondsPerNanosecond);
}

std::int64_t floored_ns_of(double ps) {
  return floor_ns(Time{static_cast<std::int64_t>(std::floor(ps))});
}

std::string human_time_of(WideTime ps) { return human_time(Time{saturated(ps)}); }

std::string share_of(WideTime part, WideTime whole) {
  if (whole <= 0) return "-";
  return fmt::format("{:.1f} %", 100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

}  // namespace lockstep::report::layout

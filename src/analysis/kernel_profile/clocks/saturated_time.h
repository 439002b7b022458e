// Sums and differences that stay inside 64 bits whatever a hostile file says.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "base/time.h"

namespace lockstep::analysis::kernel_profile {

[[nodiscard]] constexpr std::int64_t saturated(WideTime value) {
  using Limits = std::numeric_limits<std::int64_t>;
  return static_cast<std::int64_t>(
      std::clamp<WideTime>(value, WideTime{Limits::min()}, WideTime{Limits::max()}));
}

[[nodiscard]] constexpr Time saturated_time(WideTime ps) { return {saturated(ps)}; }

[[nodiscard]] constexpr std::int64_t saturated(std::uint64_t value) {
  constexpr auto kLargest = std::numeric_limits<std::int64_t>::max();
  return value > static_cast<std::uint64_t>(kLargest) ? kLargest : static_cast<std::int64_t>(value);
}

// `ps` after `time`, but no further from the origin than a time may be.
[[nodiscard]] constexpr Time time_near_origin(Time time, std::int64_t ps) {
  return {static_cast<std::int64_t>(std::clamp<WideTime>(
      WideTime{time.ps} + ps, -kMaxDistanceFromOriginPs, kMaxDistanceFromOriginPs))};
}

// From `begin` to `end`; nothing where that is earlier.
[[nodiscard]] constexpr Time time_between(Time begin, Time end) {
  if (end <= begin) return {};
  return {saturated(static_cast<std::uint64_t>(end.ps) - static_cast<std::uint64_t>(begin.ps))};
}

}  // namespace lockstep::analysis::kernel_profile

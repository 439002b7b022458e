// What a bare time tells: whether it counts from 1970, and whether it is one at all.
#pragma once

#include <cstdint>

#include "base/time.h"

namespace lockstep::formats::shared {

// Nanoseconds since 1970 in 2001 and in 2100. Times since boot or since the start of a profiler are
// far below the first.
inline constexpr std::int64_t kFirstSince1970Ns = 1'000'000'000'000'000'000;
inline constexpr std::int64_t kLastSince1970Ns = 4'102'444'800'000'000'000;

[[nodiscard]] constexpr bool is_since_1970(WideTime ns) {
  return ns >= kFirstSince1970Ns && ns <= kLastSince1970Ns;
}

// A record at time 0, or before it, has lost its time when the zero of its rank is further away
// than this; nearer, the file may count from its own start.
inline constexpr std::int64_t kLostZeroDistancePs = std::int64_t{3'600} * 1'000'000'000'000;

[[nodiscard]] constexpr bool is_lost_zero(WideTime absolute_ps, WideTime origin_ps) {
  if (origin_ps < -kLostZeroDistancePs) return absolute_ps == 0;
  return absolute_ps <= 0 && origin_ps > kLostZeroDistancePs;
}

}  // namespace lockstep::formats::shared

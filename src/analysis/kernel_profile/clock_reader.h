// Times of ascending ticks of one clock, without their bands: what a summary asks a million times.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <vector>

#include "analysis/kernel_profile/saturated_time.h"
#include "analysis/kernel_profile/time_base.h"

namespace lockstep {

// Gives what ClockFit::at gives. Remembers the piece of the last tick, which mostly is that of the
// next one too.
class ClockReader {
 public:
  explicit ClockReader(const ClockFit& fit) : pieces_(fit.pieces) { look_up(0); }

  [[nodiscard]] Time operator()(std::int64_t tick) {
    if (tick < first_ || tick > last_) look_up(tick);
    const auto distance = static_cast<std::int64_t>(static_cast<std::uint64_t>(tick) - from_tick_);
    return time_near_origin(at_first_, rounded(static_cast<double>(distance) * ps_per_tick_));
  }

 private:
  // std::llround of what is not too far away, without a call. The number added is the one below a
  // half, so that what is just below a half does not round up.
  static std::int64_t rounded(double ps) {
    constexpr auto kLimit = static_cast<double>(kMaxDistanceFromOriginPs);
    constexpr double kBelowHalf = 0.49999999999999994;
    ps = ps < -kLimit ? -kLimit : ps;
    ps = ps > kLimit ? kLimit : ps;
    return static_cast<std::int64_t>(ps + std::copysign(kBelowHalf, ps));
  }

  void look_up(std::int64_t tick) {
    first_ = std::numeric_limits<std::int64_t>::min();
    last_ = std::numeric_limits<std::int64_t>::max();
    if (pieces_.empty()) return;
    auto next = std::ranges::upper_bound(pieces_, tick, {}, &ClockPiece::first_tick);
    if (next == pieces_.begin()) {
      ++next;
    } else {
      first_ = std::prev(next)->first_tick;
    }
    if (next != pieces_.end()) last_ = next->first_tick - 1;
    const ClockPiece& piece = *std::prev(next);
    from_tick_ = static_cast<std::uint64_t>(piece.first_tick);
    at_first_ = piece.at_first;
    ps_per_tick_ = piece.ps_per_tick;
  }

  const std::vector<ClockPiece>& pieces_;
  std::int64_t first_ = 0;  // ticks of the piece
  std::int64_t last_ = 0;
  std::uint64_t from_tick_ = 0;
  Time at_first_;
  double ps_per_tick_ = 0;
};

}  // namespace lockstep

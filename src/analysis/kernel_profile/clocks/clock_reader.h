// Times of ascending ticks of one clock, without their bands: what a summary asks a million times.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>

#include "analysis/kernel_profile/clocks/saturated_time.h"
#include "analysis/kernel_profile/clocks/time_base.h"

namespace lockstep::analysis::kernel_profile {

// Gives what ClockFit::at gives. Remembers the piece of the last tick, which mostly is that of the
// next one too, and for which ticks of it nothing can overflow.
class ClockReader {
 public:
  explicit ClockReader(const ClockFit& fit) : fit_(fit) {}

  [[nodiscard]] Time operator()(std::int64_t tick) {
    if (tick < first_ || tick > last_) return look_up(tick);
    return at_first_ + Time{rounded(static_cast<double>(tick - from_tick_) * ps_per_tick_)};
  }

 private:
  // Half of what a time may be; two such halves are a time.
  static constexpr std::int64_t kHalf = kMaxDistanceFromOriginPs / 2;

  // std::llround without a call. The number added is the one below a half, so that what is just
  // below a half does not round up.
  static std::int64_t rounded(double ps) {
    constexpr double kBelowHalf = 0.49999999999999994;
    return static_cast<std::int64_t>(ps + std::copysign(kBelowHalf, ps));
  }

  Time look_up(std::int64_t tick) {
    const auto& pieces = fit_.pieces;
    if (pieces.empty()) return fit_.at(tick).time;
    auto next = std::ranges::upper_bound(pieces, tick, {}, &ClockPiece::first_tick);
    const bool is_before = next == pieces.begin();
    if (is_before) ++next;
    const ClockPiece& piece = *std::prev(next);
    from_tick_ = piece.first_tick;
    at_first_ = piece.at_first;
    ps_per_tick_ = piece.ps_per_tick;
    const double reach = static_cast<double>(kHalf) / ps_per_tick_;
    const bool is_safe = reach >= 1 && std::abs(at_first_.ps) <= kHalf;
    const std::int64_t ticks =
        is_safe ? static_cast<std::int64_t>(std::min(reach, static_cast<double>(kHalf))) : -1;
    first_ = is_before ? saturated(WideTime{from_tick_} - ticks) : from_tick_;
    last_ = saturated(WideTime{from_tick_} + ticks);
    if (next != pieces.end()) last_ = std::min(last_, next->first_tick - 1);
    return fit_.at(tick).time;
  }

  const ClockFit& fit_;
  std::int64_t first_ = 0;  // ticks of the piece that are read without looking up; none at first
  std::int64_t last_ = -1;
  std::int64_t from_tick_ = 0;
  Time at_first_;
  double ps_per_tick_ = 0;
};

}  // namespace lockstep::analysis::kernel_profile

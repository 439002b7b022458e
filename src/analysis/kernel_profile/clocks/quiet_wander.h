// How far cycle counters stray from a chord while nothing happens, learned from the knots of a
// profile: chords over several knots, by octaves of their length, and how far the knots between
// their ends lie off.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "analysis/kernel_profile/clocks/anchored_clock.h"

namespace lockstep::analysis::kernel_profile {

class QuietWander {
 public:
  explicit QuietWander(std::span<const AnchoredClock> clocks);

  // Over a gap of this length, either way; a quantile of 99 % with a margin.
  [[nodiscard]] double inside_ns(double gap_ns) const;

 private:
  static constexpr std::size_t kOctaves = 24;  // from 1 us to 16 s

  std::array<double, kOctaves> by_octave_{};
};

}  // namespace lockstep::analysis::kernel_profile

// Residuals of knots under chords, octave by octave.
#include "analysis/kernel_profile/clocks/quiet_wander.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace lockstep::analysis::kernel_profile {
namespace {

constexpr std::int64_t kFirstOctaveNs = 1'000;
// Octaves without enough chords are taken from their neighbours. On an H200 straying grows by this
// much an octave, a little faster than a walk of random steps.
constexpr double kGrowth = 1.6;
constexpr std::size_t kFewChords = 12;
constexpr double kQuantile = 0.99;
constexpr double kMargin = 1.25;
// Never believed to be less.
constexpr double kLeastNs = 2;
// Where no octave has enough chords: the most that was seen on an H200 over this gap.
constexpr double kUsualNs = 4;
constexpr std::size_t kUsualOctave = 4;  // 16 to 32 us

// The farthest that a knot between [first, last] lies off their chord, beyond what their widths
// explain.
double residual_ns(std::span<const ClockKnot> knots, std::size_t first, std::size_t last) {
  const ClockKnot& a = knots[first];
  const ClockKnot& b = knots[last];
  const double rate = (b.ticks - a.ticks) / static_cast<double>(b.timer_ns - a.timer_ns);
  const double explained = std::max(a.half_width_ticks, b.half_width_ticks);
  double most = 0;
  for (std::size_t i = first + 1; i < last; ++i) {
    const double chord = a.ticks + rate * static_cast<double>(knots[i].timer_ns - a.timer_ns);
    most = std::max(most, std::abs(knots[i].ticks - chord) - explained);
  }
  return most / rate;
}

// Chords of one octave, one after the other. The first and last gap tell of the start and the end
// of the kernel instead.
void add_residuals(std::span<const ClockKnot> knots, std::int64_t least_ns,
                   std::vector<double>& residuals) {
  if (knots.size() < 5) return;
  const std::size_t end = knots.size() - 1;
  for (std::size_t first = 1; first < end;) {
    std::size_t last = first + 1;
    while (last < end && knots[last].timer_ns - knots[first].timer_ns < least_ns) ++last;
    if (last >= end) return;
    const bool is_octave = knots[last].timer_ns - knots[first].timer_ns < 2 * least_ns;
    if (is_octave && last > first + 1) {
      const double residual = residual_ns(knots, first, last);
      if (std::isfinite(residual) && residual >= 0) residuals.push_back(residual);
    }
    first = last;
  }
}

// A quantile, with a margin; of few values even the largest is below it: with an exponential tail,
// so far.
double high_quantile(std::vector<double>& values) {
  const auto count = static_cast<double>(values.size());
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(count * kQuantile);
  std::ranges::nth_element(values, at);
  return *at * std::max(kMargin, std::log(1 / (1 - kQuantile)) / std::log(count));
}

}  // namespace

QuietWander::QuietWander(std::span<const AnchoredClock> clocks) {
  std::int64_t least_ns = kFirstOctaveNs;
  std::size_t known = kOctaves;
  std::vector<double> residuals;
  for (std::size_t octave = 0; octave < kOctaves; ++octave, least_ns *= 2) {
    residuals.clear();
    for (const AnchoredClock& clock : clocks) {
      if (!clock.may_jump) add_residuals(clock.knots, least_ns, residuals);
    }
    const bool is_known = residuals.size() >= kFewChords;
    if (is_known) by_octave_[octave] = std::max(kLeastNs, high_quantile(residuals));
    if (is_known && known == kOctaves) known = octave;
    if (octave > known) {
      // What holds over a time holds over less.
      by_octave_[octave] = std::max(
          by_octave_[octave], is_known ? by_octave_[octave - 1] : by_octave_[octave - 1] * kGrowth);
    }
  }
  if (known == kOctaves) {
    known = kUsualOctave;
    by_octave_[known] = kUsualNs;
    for (std::size_t octave = known + 1; octave < kOctaves; ++octave) {
      by_octave_[octave] = by_octave_[octave - 1] * kGrowth;
    }
  }
  for (std::size_t octave = known; octave > 0; --octave) {
    by_octave_[octave - 1] = std::max(kLeastNs, by_octave_[octave] / kGrowth);
  }
}

double QuietWander::inside_ns(double gap_ns) const {
  // Chords of an octave are hardly longer than its begin.
  const double octaves = std::log2(std::max(gap_ns / kFirstOctaveNs, 1.0));
  const auto octave = static_cast<std::size_t>(octaves);
  if (octave + 1 >= kOctaves) return by_octave_.back();
  return std::lerp(by_octave_[octave], by_octave_[octave + 1], octaves - std::floor(octaves));
}

}  // namespace lockstep::analysis::kernel_profile

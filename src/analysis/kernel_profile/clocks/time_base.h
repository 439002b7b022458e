// Ties the ticks of every lane to one time axis, with a band that the truth lies in.
//
// Ticks of the device's timer are ns already, uncertain by its step. Cycles are fitted per launch
// and multiprocessor (or all that share a counter) to the anchors of all its lanes, piecewise
// between them. Without anchors cycles stay cycles (docs/design/kernel-time.md).
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "base/time.h"
#include "trace/kernel_profile.h"

namespace lockstep::analysis::kernel_profile {

enum class TimeSource : std::uint8_t { kGlobalTimer, kAnchoredCycles, kCycles };
// "globaltimer", "cycles+anchors", "cycles".
[[nodiscard]] std::string_view name_of(TimeSource source);

// Of times that nothing ties to the device's timer: not comparable across multiprocessors.
inline constexpr Time kUnknownUncertainty{std::numeric_limits<std::int64_t>::max()};

// A time and how far it may be off, either way.
struct BandedTime {
  Time time;  // from the profile's origin
  Time uncertainty;
};

// However fast a clock slows down: next to a knot its deviation from the chord is no more than this
// share of the distance.
inline constexpr double kSteepestDeviation = 0.1;

// One straight piece of a clock: ticks from `first_tick` on.
struct ClockPiece {
  std::int64_t first_tick = 0;
  Time at_first;  // time of first_tick
  double ps_per_tick = 0;
  Time uncertainty_at_first;  // at the knot; between knots it grows towards the middle
  Time uncertainty_inside;    // the largest inside the piece
};

// The clock of one multiprocessor in one launch, or of several that share a counter (or of one lane
// where the multiprocessor is not known or changed).
struct ClockFit {
  std::vector<ClockPiece> pieces;  // ascending; the first also serves what lies before it
  // How fast the uncertainty grows before the first and after the last knot: a share of the
  // distance.
  double drift = 0;
  // Of a lane that changed to a counter of which nothing is known: what lies beyond the knots may
  // be of either and happened some time in the launch.
  bool is_closed = false;
  Time launch_begin;
  Time launch_end;
  TimeSource source = TimeSource::kCycles;
  std::vector<std::int64_t> held_out_ns;  // device times of knots left out by `hold_out`

  [[nodiscard]] BandedTime at(std::int64_t tick) const;
};

struct TimeBase {
  TimeSource source = TimeSource::kCycles;  // the weakest that any lane has
  double tick_ns = 0;                       // resolution: step of the timer, or of one cycle
  Time uncertainty;                         // the largest over all lanes
  std::int64_t origin_ns = 0;               // device time of zero
  std::vector<ClockFit> fits;
  std::vector<std::uint32_t> fit_of_lane;  // by lane

  [[nodiscard]] const ClockFit& of(std::size_t lane) const { return fits[fit_of_lane[lane]]; }
};

struct TimeBaseOptions {
  // For checks of the stated band: leave every n-th knot between the first and the last of a clock
  // out of the fit, with all its anchors. 0: none.
  std::uint32_t hold_out = 0;
};

[[nodiscard]] TimeBase fit_time_base(const trace::KernelProfile& profile,
                                     const TimeBaseOptions& options, Diagnostics& findings);

}  // namespace lockstep::analysis::kernel_profile

// One straight piece behind a reading of the timer.
#include "analysis/kernel_profile/clocks/stamped_clock.h"

#include <cmath>

#include "analysis/kernel_profile/clocks/anchored_clock.h"
#include "analysis/kernel_profile/clocks/timer_ticks.h"

namespace lockstep::analysis::kernel_profile {

ClockFit fit_stamp(const trace::KernelProfile& profile, std::int64_t stamp_ns,
                   const PieceOptions& options) {
  const double step_ns = profile.timer_tick_ns > 0 ? profile.timer_tick_ns : kUsualTimerTickNs;
  const Time step{std::llround(step_ns * kPicosecondsPerNanosecond)};
  ClockFit fit;
  fit.source = TimeSource::kAnchoredCycles;
  fit.drift = profile.clock_ghz > 0 ? kRateTolerance : 1;
  fit.pieces.push_back({.first_tick = stamp_ns,
                        .at_first = {(stamp_ns - options.origin_ns) * kPicosecondsPerNanosecond},
                        .ps_per_tick = kPicosecondsPerNanosecond / options.usual_ticks_per_ns,
                        .uncertainty_at_first = step,
                        .uncertainty_inside = step});
  return fit;
}

}  // namespace lockstep::analysis::kernel_profile

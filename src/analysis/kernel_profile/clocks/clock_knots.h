// Draws the brackets of a clock together to knots: moments at which the counter is known well.
#pragma once

#include <cstddef>
#include <cstdint>

#include "analysis/kernel_profile/clocks/anchored_clock.h"

namespace lockstep::analysis::kernel_profile {

// Anchors closer than this are one knot: over so short a time no rate matters.
inline constexpr std::int64_t kKnotSpanNs = 300;
// Of two knots nearer than this the wider adds nothing but noise to the rates beside them.
inline constexpr std::int64_t kKnotDistanceNs = 1'000;

// A knot is the mean of its brackets, each weighted by its width, and as wide as the error of that
// mean or the narrowest of them. Brackets of members are taken less their skews, which are found on
// the way. A clock with too few brackets takes its rate from `usual_ticks_per_ns`. Returns the
// share of brackets that no knot agrees with.
double tie_knots(AnchoredClock& clock, double usual_ticks_per_ns);
// Leaves every n-th knot between the first and the last out, for a check of the band.
void hold_out_knots(AnchoredClock& clock, std::uint32_t every);

}  // namespace lockstep::analysis::kernel_profile

// What the names of lanes say where categories say nothing: JAX's device lanes, Proton's lanes, and
// timelines inside one kernel.
#pragma once

#include <cstddef>

#include "base/diagnostics.h"
#include "formats/chrome_json/map/track_lookup.h"
#include "trace/trace.h"

namespace lockstep::formats::chrome_json {

enum class Dialect { kPlain, kJax, kProton, kInKernel, kAscend };

// Moves lanes of the rank's events (rows from `first_row`, tracks from `first_track`) to the device
// side and gives their events kinds. Returns what the names gave away.
Dialect apply_lane_roles(trace::Trace& trace, TrackLookup& tracks, std::size_t first_row,
                         std::size_t first_track, Diagnostics& diagnostics);

}  // namespace lockstep::formats::chrome_json

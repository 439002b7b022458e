// The reader of Chrome-JSON traces: Kineto of all vendors and years, JAX's trace.json, Proton's
// .chrome_trace, and plain Chrome traces.
//
// Clock: microseconds as decimal text; since the epoch, or from baseTimeNanoseconds, or from the
// start of the session. Kinds: event_categories.h. Dropped: phases that mark nothing on a timeline.
#pragma once

#include "formats/shared/format.h"

namespace lockstep::formats::chrome_json {

[[nodiscard]] shared::Format chrome_json_format();

}  // namespace lockstep::formats::chrome_json

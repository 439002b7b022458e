// The reader of Chrome-JSON traces: Kineto of all vendors and years, Ascend's timelines, rocprof
// v1, JAX's trace.json, Proton's .chrome_trace, and plain Chrome traces. What is special to each of
// them is in dialects.
//
// Clock: microseconds as decimal text; since the epoch, or from baseTimeNanoseconds, or from the
// start of the session. Kinds: shared/event_categories.h. Dropped: phases that mark nothing on a
// timeline.
#pragma once

#include "formats/shared/format.h"

namespace lockstep::formats::chrome_json {

[[nodiscard]] shared::Format chrome_json_format();

}  // namespace lockstep::formats::chrome_json

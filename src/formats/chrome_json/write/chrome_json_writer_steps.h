// Steps that no event of the trace marks: databases and tables have them as rows of their own.
#pragma once

#include <cstddef>
#include <vector>

#include "trace/trace.h"

namespace lockstep::formats::chrome_json {

// Whether a span with the times of the step would be read: it ends behind its start and lies within
// reach of the origin. Files of our own may say anything.
[[nodiscard]] bool can_be_written(const trace::Step& step);

// Those of trace.steps, by index, that a reader of the written events would not find.
[[nodiscard]] std::vector<std::size_t> unmarked_steps(const trace::Trace& trace);

}  // namespace lockstep::formats::chrome_json

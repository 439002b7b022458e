// What readers of Chrome JSON would join otherwise than the trace has it.
#pragma once

#include <cstdint>
#include <unordered_set>
#include <vector>

#include "trace/trace.h"

namespace lockstep::formats::chrome_json {

// Correlations of launches in several processes. In merged traces each counts them from 1; as ids
// of arrows they would mean several launches at once.
[[nodiscard]] std::unordered_set<std::int64_t> shared_correlations(const trace::Trace& trace);

// Device events, by row, whose correlation would join them to a call that did not launch them. A
// stream of a database has a process, and correlations are those of the process; a stream of Chrome
// JSON has none, so that a call of another process would seem to be the launch.
[[nodiscard]] std::vector<bool> misleading_correlations(const trace::Trace& trace);

}  // namespace lockstep::formats::chrome_json

// The lanes of Ascend's timelines (trace_view.json of torch_npu, msprof_*.json): which process is
// hardware, collectives, runtime calls or a repetition, told by its name.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "base/diagnostics.h"
#include "formats/chrome_json/map/track_lookup.h"
#include "trace/trace.h"

namespace lockstep::formats::chrome_json {

// What the arguments of an event without a category say, where they say it.
struct AscendTask {
  trace::EventId event = trace::kNoEvent;
  StringId task_type{};  // of a hardware task: "AI_CORE"
  StringId data_type{};  // of a collective
  std::optional<std::int64_t> elements;
};

// The rows, tracks and processes of a rank, which are the last of the trace.
struct RankStart {
  std::size_t row = 0;
  std::size_t track = 0;
  std::size_t process = 0;
};

// Gives lanes their sides, devices and processes and events their kinds. False, with nothing done,
// when no lane is Ascend's.
bool apply_ascend_lanes(trace::Trace& trace, TrackLookup& tracks, const RankStart& start,
                        const std::vector<AscendTask>& tasks, Diagnostics& diagnostics);

// Forgets tracks without events and processes without tracks, which moving lanes leaves behind.
// Ends of flows must be bound by then.
void drop_empty_lanes(trace::Trace& trace, const RankStart& start);

}  // namespace lockstep::formats::chrome_json

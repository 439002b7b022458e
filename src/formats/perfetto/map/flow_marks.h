// Ends of flows as track events carry them: a number on every event that the flow goes through.
#pragma once

#include <cstdint>
#include <vector>

#include "base/column.h"
#include "base/diagnostics.h"
#include "formats/perfetto/map/event_rows.h"
#include "trace/trace.h"

namespace lockstep::formats::perfetto {

class FlowMarks {
 public:
  // `time` orders the marks of one flow; after a terminating one its number may be used again.
  void add(std::uint64_t id, trace::EventId event, std::int64_t time, bool is_terminating) {
    if (event != trace::kNoEvent)
      marks_.push_back({id, time, static_cast<std::uint32_t>(event), is_terminating});
  }

  // Arrows from each event to the next of the same flow, in the order of time. One that repeats
  // what a join by correlation says is left out.
  void bind_by_time(const EventRows& rows, trace::Trace& trace, Diagnostics& diagnostics);
  // Arrows of a file of our own, whose numbers say everything (own_ids.h).
  void bind_own(const EventRows& rows, const std::vector<StringId>& names, trace::Trace& trace,
                Diagnostics& diagnostics);

 private:
  struct Mark {
    std::uint64_t id = 0;
    std::int64_t time = 0;
    std::uint32_t row = 0;
    bool is_terminating = false;
  };

  Column<Mark> marks_;  // in the order of the file
};

}  // namespace lockstep::formats::perfetto

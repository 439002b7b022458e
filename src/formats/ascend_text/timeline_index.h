// Finds the device event of a timeline that a row of a table tells of.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/trace.h"

namespace lockstep::ascend_text {

class TimelineIndex {
 public:
  // Over the kernels among the rows from `first_row` on.
  TimelineIndex(const Trace& trace, std::size_t first_row);

  // The event of this name that starts at `start`, or next to it by less than the tables' own
  // rounding; of several, one on `track`. Each event is found once. kNoEvent when there is none.
  [[nodiscard]] EventId take(StringId name, Time start, DeviceId device, TrackId track);

  // Kernels of the timeline that no row told of.
  [[nodiscard]] std::vector<EventId> left() const;

 private:
  struct Entry {
    StringId name;
    Time start;
    std::uint32_t row;
    bool taken;
  };

  const Trace& trace_;
  std::vector<Entry> entries_;  // by name, start, row
};

}  // namespace lockstep::ascend_text

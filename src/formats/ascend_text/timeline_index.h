// Finds the device event of a timeline that a row of a table tells of.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/trace.h"

namespace lockstep::formats::ascend_text {

inline constexpr trace::TrackId kNoTrack{0xFFFF'FFFF};

class TimelineIndex {
 public:
  // Over the kernels among the rows from `first_row` on.
  TimelineIndex(const trace::Trace& trace, std::size_t first_row);

  // The event of this name that starts at `start`, or next to it by less than the tables' own
  // rounding; of several, one on `track` (may be kNoTrack). Each event is found once. kNoEvent when
  // there is none.
  [[nodiscard]] trace::EventId take(StringId name, Time start, trace::DeviceId device,
                                    trace::TrackId track);

  // Kernels of the timeline that no row told of.
  [[nodiscard]] std::vector<trace::EventId> left() const;

 private:
  struct Entry {
    StringId name;
    Time start;
    std::uint32_t row;
  };

  // The first entry from this one on that was not taken; entries_.size() when there is none.
  [[nodiscard]] std::size_t free_from(std::size_t entry);

  const trace::Trace& trace_;
  std::vector<Entry> entries_;       // by name, start, row
  std::vector<std::uint32_t> next_;  // by entry: itself, or one behind it when it was taken
};

}  // namespace lockstep::formats::ascend_text

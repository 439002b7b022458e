// Joins begin and end events (B/E on a thread, b/e by id) into spans.
#pragma once

#include <cstdint>
#include <vector>

#include "base/diagnostics.h"
#include "trace/trace.h"

namespace lockstep::chrome_json {

// Ends are collected while reading and joined at the end of the file, in time order, because
// writers do not promise any order.
class SpanPairs {
 public:
  struct End {
    std::uint64_t lane = 0;  // what pairs with what: a track, or an id of async events
    Event event;             // start is its time; the end of a pair needs only time and name
    bool is_begin = true;
    std::vector<Argument> arguments;
    std::uint64_t offset = 0;
  };

  void add(End end) { ends_.push_back(std::move(end)); }
  void join(Trace& trace, Diagnostics& diagnostics);

 private:
  void join_lane(std::size_t first, std::size_t last, Trace& trace, Diagnostics& diagnostics);

  std::vector<End> ends_;
};

}  // namespace lockstep::chrome_json

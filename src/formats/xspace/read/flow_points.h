// Arrows that an XSpace writes as stats of the events at their ends.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "formats/shared/rank_builder.h"

namespace lockstep::formats::xspace {

// One end of an arrow. Ends with the same context and id belong together.
struct FlowPoint {
  std::int64_t context = 0;
  std::uint64_t id = 0;
  trace::EventId event = trace::kNoEvent;
  bool is_start = false;
  StringId name{};
  std::optional<trace::Flow::Kind> kind;  // where the file says
};

class FlowPoints {
 public:
  void add(const FlowPoint& point) { points_.push_back(point); }

  // Appends arrows to the trace: every end hangs on the last start at or before it, or on the first
  // start when all are later. Unless the file says what an arrow is, one from the host to the
  // device is a launch, left out when the launch of that device event is known. Ends without a
  // partner are counted. Call after RankBuilder::finish().
  void join(shared::RankBuilder& builder, Diagnostics& defects);

 private:
  std::vector<FlowPoint> points_;
};

}  // namespace lockstep::formats::xspace

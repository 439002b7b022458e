// Joining of arrows by context and id.
#include "formats/xspace/read/flow_points.h"

#include <algorithm>
#include <tuple>

namespace lockstep::formats::xspace {

void FlowPoints::join(shared::RankBuilder& builder, Diagnostics& defects) {
  trace::Trace& trace = builder.trace();
  const std::size_t first_row = builder.first_row();
  std::vector<bool> launched(trace.events.size() - first_row);
  for (const trace::Flow& flow : trace.flows) {
    if (trace::index_of(flow.to) >= first_row && flow.kind == trace::Flow::Kind::kLaunch) {
      launched[trace::index_of(flow.to) - first_row] = true;
    }
  }
  const auto key = [&](const FlowPoint& point) {
    // A start before the ends at the same time.
    return std::tuple(point.context, point.id, trace.events.start[trace::index_of(point.event)],
                      !point.is_start, point.event);
  };
  std::ranges::sort(points_, {}, key);
  std::uint64_t unmatched = 0;
  for (std::size_t first = 0; first < points_.size();) {
    std::size_t last = first + 1;
    while (last < points_.size() && points_[last].context == points_[first].context &&
           points_[last].id == points_[first].id) {
      ++last;
    }
    const auto group = std::span(points_).subspan(first, last - first);
    const auto start = std::ranges::find_if(group, &FlowPoint::is_start);
    const FlowPoint* source = start == group.end() ? nullptr : &*start;
    if (source == nullptr || group.size() == 1) unmatched += group.size();
    for (const FlowPoint& point : group) {
      if (source == nullptr) break;
      if (point.is_start) {
        source = &point;
        continue;
      }
      if (point.event == source->event) continue;
      const std::size_t to = trace::index_of(point.event);
      const bool crosses = !trace.on_device(trace::index_of(source->event)) && trace.on_device(to);
      const trace::Flow::Kind kind =
          point.kind.value_or(crosses ? trace::Flow::Kind::kLaunch : trace::Flow::Kind::kOther);
      if (!point.kind && crosses && launched[to - first_row]) continue;
      if (kind == trace::Flow::Kind::kLaunch) launched[to - first_row] = true;
      builder.add_flow(source->event, point.event, kind,
                       point.name != kEmptyString ? point.name : source->name);
    }
    first = last;
  }
  if (unmatched > 0) defects.add(trace::kUnmatchedFlow, Place::none(), {}, unmatched);
}

}  // namespace lockstep::formats::xspace

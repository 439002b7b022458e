// Binding of flow marks.
#include "formats/perfetto/map/flow_marks.h"

#include <algorithm>
#include <tuple>

#include "formats/perfetto/defects.h"
#include "formats/perfetto/map/own_ids.h"

namespace lockstep::formats::perfetto {
namespace {

bool joined_by_correlation(const trace::Trace& trace, std::size_t from, std::size_t to) {
  const trace::EventTable& events = trace.events;
  return events.correlation[from] >= 0 && events.correlation[from] == events.correlation[to] &&
         trace.on_device(to) && events.kind[from] == trace::Kind::kRuntimeCall;
}

void add_arrow(trace::Trace& trace, std::size_t from, std::size_t to) {
  const bool is_launch = !trace.on_device(from) && trace.on_device(to);
  trace.flows.push_back({trace::EventId{static_cast<std::uint32_t>(from)},
                         trace::EventId{static_cast<std::uint32_t>(to)},
                         is_launch ? trace::Flow::Kind::kLaunch : trace::Flow::Kind::kOther,
                         {}});
}

}  // namespace

void FlowMarks::bind_by_time(const EventRows& rows, trace::Trace& trace, Diagnostics& diagnostics) {
  std::ranges::stable_sort(marks_, [](const Mark& a, const Mark& b) {
    return std::tuple(a.id, a.time) < std::tuple(b.id, b.time);
  });
  for (std::size_t i = 0; i < marks_.size();) {
    std::size_t last = i;  // of this flow
    while (last + 1 < marks_.size() && marks_[last + 1].id == marks_[i].id &&
           !marks_[last].is_terminating) {
      ++last;
    }
    if (last == i) diagnostics.add(kUnboundFlow);
    for (; i < last; ++i) {
      const auto from = rows.moved_to(marks_[i].row);
      const auto to = rows.moved_to(marks_[i + 1].row);
      if (!from || !to || *from == *to || joined_by_correlation(trace, *from, *to)) continue;
      add_arrow(trace, *from, *to);
    }
    ++i;
  }
  marks_ = {};
}

void FlowMarks::bind_own(const EventRows& rows, const std::vector<StringId>& names,
                         trace::Trace& trace, Diagnostics& diagnostics) {
  std::ranges::stable_sort(marks_, [](const Mark& a, const Mark& b) {
    return std::tuple(static_cast<std::uint32_t>(a.id), a.id) <
           std::tuple(static_cast<std::uint32_t>(b.id), b.id);
  });
  for (std::size_t i = 0; i < marks_.size(); ++i) {
    if (i + 1 == marks_.size() || marks_[i + 1].id != marks_[i].id) {
      diagnostics.add(kUnboundFlow);
      continue;
    }
    const FlowId id = FlowId::decoded(marks_[i].id);
    auto from = rows.moved_to(marks_[i].row);
    auto to = rows.moved_to(marks_[++i].row);
    if (id.is_reversed) std::swap(from, to);
    if (!from || !to || *from == *to) continue;
    const StringId name = id.name < names.size() ? names[id.name] : kEmptyString;
    trace.flows.push_back({trace::EventId{static_cast<std::uint32_t>(*from)},
                           trace::EventId{static_cast<std::uint32_t>(*to)}, id.kind, name});
  }
  marks_ = {};
}

}  // namespace lockstep::formats::perfetto

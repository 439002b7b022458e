// Which arrows are written, and by which stats.
#include "formats/xspace/write/flow_index.h"

#include <algorithm>

#include "formats/xspace/xspace_fields.h"
#include "trace/flow_binder.h"

namespace lockstep::formats::xspace {

FlowIndex::FlowIndex(const trace::Trace& trace) : trace_(trace) {
  const trace::EventTable& events = trace.events;
  const std::vector<trace::EventId> launchers = trace::launchers_by_correlation(trace);
  for (std::uint32_t i = 0; i < trace.flows.size(); ++i) {
    const trace::Flow& flow = trace.flows[i];
    const std::size_t from = trace::index_of(flow.from);
    const std::size_t to = trace::index_of(flow.to);
    if (from >= events.size() || to >= events.size()) continue;
    // Where calls of several processes share a correlation, it brings back none of them.
    const bool is_joined = flow.kind == trace::Flow::Kind::kLaunch && launchers[to] == flow.from;
    if (is_joined) continue;
    ends_.push_back({static_cast<std::uint32_t>(from), i, true});
    ends_.push_back({static_cast<std::uint32_t>(to), i, false});
  }
  std::ranges::stable_sort(ends_, {}, &End::event);
}

std::span<const FlowIndex::End> FlowIndex::of(std::uint32_t event) const {
  const auto range = std::ranges::equal_range(ends_, event, {}, &End::event);
  return {range.begin(), range.end()};
}

std::string FlowIndex::mark_of(const End& end) const {
  const trace::Flow& flow = trace_.flows[end.flow];
  std::string mark(flow.kind == trace::Flow::Kind::kLaunch ? kLaunchMark : kFlowMark);
  return mark.append(trace_.text(flow.name));
}

}  // namespace lockstep::formats::xspace

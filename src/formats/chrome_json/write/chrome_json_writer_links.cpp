// Correlations as readers join them, against the flows of the trace.
#include "formats/chrome_json/write/chrome_json_writer_links.h"

#include <algorithm>
#include <unordered_map>

namespace lockstep::formats::chrome_json {
namespace {

bool is_event(const trace::Trace& trace, trace::EventId id) {
  return trace::index_of(id) < trace.events.size();
}

// The calls with one correlation: the earliest, and whether several processes have some.
struct Calls {
  trace::EventId first = trace::kNoEvent;
  trace::ProcessId process{};
  bool are_of_several = false;
};

std::unordered_map<std::int64_t, Calls> calls_by_correlation(const trace::Trace& trace) {
  const trace::EventTable& events = trace.events;
  std::unordered_map<std::int64_t, Calls> calls;
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (events.kind[i] != trace::Kind::kRuntimeCall || events.correlation[i] < 0) continue;
    if (trace.on_device(i)) continue;
    const trace::EventId id{static_cast<std::uint32_t>(i)};
    const trace::ProcessId process = trace.track_of(i).process;
    const auto [entry, is_new] =
        calls.try_emplace(events.correlation[i], Calls{id, process, false});
    if (is_new) continue;
    Calls& known = entry->second;
    known.are_of_several |= known.process != process;
    if (events.start[i] < events.start[trace::index_of(known.first)]) known.first = id;
  }
  return calls;
}

}  // namespace

std::unordered_set<std::int64_t> shared_correlations(const trace::Trace& trace) {
  const auto& events = trace.events;
  const auto process_of = [&](const trace::Flow& flow) {
    return trace.track_of(trace::index_of(flow.from)).process;
  };
  const auto is_used = [&](const trace::Flow& flow) {
    if (!is_event(trace, flow.from) || !is_event(trace, flow.to)) return false;
    const std::int64_t correlation = events.correlation[trace::index_of(flow.from)];
    return flow.kind == trace::Flow::Kind::kLaunch && correlation >= 0 &&
           correlation == events.correlation[trace::index_of(flow.to)];
  };
  const auto* const first = std::ranges::find_if(trace.flows, is_used);
  const bool is_merged = std::any_of(first, trace.flows.end(), [&](const trace::Flow& flow) {
    return is_used(flow) && process_of(flow) != process_of(*first);
  });
  std::unordered_set<std::int64_t> shared;
  if (!is_merged) return shared;
  std::unordered_map<std::int64_t, trace::ProcessId> owners;
  for (const trace::Flow& flow : trace.flows) {
    if (!is_used(flow)) continue;
    const std::int64_t correlation = events.correlation[trace::index_of(flow.from)];
    const auto [owner, is_new] = owners.try_emplace(correlation, process_of(flow));
    if (!is_new && owner->second != process_of(flow)) shared.insert(correlation);
  }
  return shared;
}

std::vector<bool> misleading_correlations(const trace::Trace& trace) {
  const trace::EventTable& events = trace.events;
  const auto calls = calls_by_correlation(trace);
  std::vector<trace::EventId> launchers(events.size(), trace::kNoEvent);
  for (const trace::Flow& flow : trace.flows) {
    if (flow.kind != trace::Flow::Kind::kLaunch || !is_event(trace, flow.to)) continue;
    launchers[trace::index_of(flow.to)] = flow.from;
  }
  std::vector<bool> misleads(events.size());
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (events.correlation[i] < 0 || !trace.on_device(i)) continue;
    const auto known = calls.find(events.correlation[i]);
    // Readers do not choose between processes.
    if (known == calls.end() || known->second.are_of_several) continue;
    misleads[i] = launchers[i] != known->second.first;
  }
  return misleads;
}

}  // namespace lockstep::formats::chrome_json

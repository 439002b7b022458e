// Launches, waits and collectives, sorted by device.
#include "analysis/anomalies/timeline/device_index.h"

#include <algorithm>
#include <cstdint>

#include "analysis/anomalies/evidence/host_calls.h"
#include "analysis/summary/launch_calls.h"

namespace lockstep::analysis::anomalies {
namespace {

constexpr std::string_view kQueueArrow = "async_task_queue";
constexpr std::string_view kNotifyWait = "Notify_Wait";
constexpr std::string_view kNotifyWaitInTables = "Notify Wait";

bool has_graph_launches(const StringPool& strings) {
  for (std::uint32_t id = 0; id < strings.size(); ++id) {
    if (summary::launch_call_named(strings.view(StringId{id})) == summary::LaunchCall::kGraph)
      return true;
  }
  return false;
}

template <typename Key, typename Value>
std::span<const Value> found_in(const std::map<Key, std::vector<Value>>& lists, const Key& key) {
  const auto found = lists.find(key);
  return found == lists.end() ? std::span<const Value>() : std::span<const Value>(found->second);
}

}  // namespace

DeviceIndex::DeviceIndex(const trace::Trace& trace) {
  if (has_graph_launches(trace.strings)) find_launches(trace);
  find_notify_waits(trace);
  for (const trace::Collective& one : trace.collectives)
    collectives_.try_emplace(static_cast<std::uint32_t>(one.event), &one);
  for (const trace::Flow& flow : trace.flows) {
    if (flow.kind != trace::Flow::Kind::kOther || trace.text(flow.name) != kQueueArrow) continue;
    if (flow.from != trace::kNoEvent && flow.to != trace::kNoEvent)
      enqueue_of_.try_emplace(static_cast<std::uint32_t>(flow.to), flow.from);
  }
}

// Which devices calls asked for work: one host may feed several.
std::vector<DeviceIndex::Asked> DeviceIndex::asked_devices(const trace::Trace& trace) {
  std::vector<Asked> asked;
  for (const trace::Flow& flow : trace.flows) {
    if (flow.kind != trace::Flow::Kind::kLaunch || flow.from == trace::kNoEvent ||
        flow.to == trace::kNoEvent)
      continue;
    const trace::Track& track = trace.track_of(trace::index_of(flow.to));
    if (track.side != trace::Track::Side::kDevice) continue;
    asked.push_back({flow.from, {trace.rank_of(track), track.device}});
  }
  std::ranges::sort(asked);
  const auto repeated = std::ranges::unique(asked);
  asked.erase(repeated.begin(), repeated.end());
  return asked;
}

void DeviceIndex::find_launches(const trace::Trace& trace) {
  summary::LaunchCalls calls(trace.strings);
  HostCalls host_calls(trace.strings);
  const std::vector<Asked> all = asked_devices(trace);
  auto asked = all.begin();
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    const trace::Kind kind = trace.events.kind[i];
    if (kind != trace::Kind::kRuntimeCall) continue;
    const summary::LaunchCall call = calls.of(trace.events.name[i]);
    if (call != summary::LaunchCall::kSingle && call != summary::LaunchCall::kGraph) continue;
    if (host_calls.of(trace.events.name[i], kind) == HostCall::kCopy) continue;
    const trace::EventId event{static_cast<std::uint32_t>(i)};
    const Launch launch{trace.events.start[i], event, call == summary::LaunchCall::kGraph};
    const trace::RankId rank = trace.rank_of(trace.track_of(i));
    while (asked != all.end() && asked->call < event) ++asked;
    if (asked == all.end() || asked->call != event) unplaced_[rank].push_back(launch);
    for (; asked != all.end() && asked->call == event; ++asked) {
      if (asked->place.first == rank) launches_[asked->place].push_back(launch);
    }
  }
  const auto order = [](const Launch& launch) { return std::pair(launch.start, launch.call); };
  for (auto& [place, launches] : launches_) std::ranges::sort(launches, {}, order);
  for (auto& [rank, launches] : unplaced_) std::ranges::sort(launches, {}, order);
}

void DeviceIndex::find_notify_waits(const trace::Trace& trace) {
  std::vector<std::int8_t> is_wait(trace.strings.size(), -1);  // by StringId; -1: not looked at
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    if (trace.events.kind[i] != trace::Kind::kEventWait) continue;
    std::int8_t& known = is_wait[static_cast<std::size_t>(trace.events.name[i])];
    const std::string_view name = trace.text(trace.events.name[i]);
    if (known < 0) known = name == kNotifyWait || name == kNotifyWaitInTables ? 1 : 0;
    if (known == 0) continue;
    const trace::Track& track = trace.track_of(i);
    notify_waits_[{trace.rank_of(track), track.device}].push_back(
        {trace.events.start[i].ps, trace.events.end(i).ps});
  }
  for (auto& [place, waits] : notify_waits_) algo::reduce_to_covering(waits);
}

std::span<const DeviceIndex::Launch> DeviceIndex::launches(const DeviceTimeline& timeline) const {
  return found_in(launches_, Place(timeline.rank, timeline.device));
}

std::span<const DeviceIndex::Launch> DeviceIndex::unplaced_launches(trace::RankId rank) const {
  return found_in(unplaced_, rank);
}

std::span<const algo::Interval> DeviceIndex::notify_waits(const DeviceTimeline& timeline) const {
  return found_in(notify_waits_, Place(timeline.rank, timeline.device));
}

trace::EventId DeviceIndex::enqueue_of(trace::EventId dequeue) const {
  const auto found = enqueue_of_.find(static_cast<std::uint32_t>(dequeue));
  return found == enqueue_of_.end() ? trace::kNoEvent : found->second;
}

const trace::Collective* DeviceIndex::collective_of(trace::EventId event) const {
  const auto found = collectives_.find(static_cast<std::uint32_t>(event));
  return found == collectives_.end() ? nullptr : found->second;
}

}  // namespace lockstep::analysis::anomalies

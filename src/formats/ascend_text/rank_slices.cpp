// Folding of ranks.
#include "formats/ascend_text/rank_slices.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include "trace/flow_binder.h"

namespace lockstep::formats::ascend_text {
namespace {

// Slices of one capture begin minutes apart. 64-bit times end 6 days behind the last that is
// allowed.
constexpr Time kMaxSliceDistance{std::int64_t{3} * 86'400 * 1'000'000'000'000};

// The first element that belongs to `rank`; its elements are the last.
template <typename Items, typename RankOf>
std::size_t first_of(const Items& items, RankOf rank_of) {
  std::size_t first = items.size();
  while (first > 0 && rank_of(items[first - 1])) --first;
  return first;
}

class RankFold {
 public:
  explicit RankFold(trace::Trace& trace)
      : trace_(trace),
        from_{static_cast<std::uint32_t>(trace.ranks.size() - 1)},
        into_{static_cast<std::uint32_t>(trace.ranks.size() - 2)} {}

  void run(Time shift) {
    const std::size_t first_track = first_of(
        trace_.tracks, [&](const trace::Track& track) { return trace_.rank_of(track) == from_; });
    std::vector<trace::Track> tracks(
        trace_.tracks.begin() + static_cast<std::ptrdiff_t>(first_track), trace_.tracks.end());
    trace_.tracks.resize(first_track);
    fold_processes();
    fold_devices();
    fold_tracks(tracks, first_track);
    move_events(first_track, shift);
    for (trace::Step& step : trace_.steps) {
      if (step.rank != from_) continue;
      step = {step.name, into_, step.start + shift, step.end + shift};
    }
    trace_.ranks.pop_back();
  }

 private:
  void fold_processes() {
    const std::size_t first = first_of(
        trace_.processes, [&](const trace::Process& process) { return process.rank == from_; });
    std::map<StringId, trace::ProcessId> known;
    for (std::size_t p = 0; p < first; ++p) {
      const trace::Process& process = trace_.processes[p];
      if (process.rank == into_)
        known[process.id.text] = trace::ProcessId{static_cast<std::uint32_t>(p)};
    }
    std::size_t kept = first;
    first_process_ = first;
    for (std::size_t p = first; p < trace_.processes.size(); ++p) {
      trace::Process process = trace_.processes[p];
      const auto next = trace::ProcessId{static_cast<std::uint32_t>(kept)};
      const auto [it, is_new] = known.try_emplace(process.id.text, next);
      processes_.push_back(it->second);
      process.rank = into_;
      if (is_new) trace_.processes[kept++] = process;
    }
    trace_.processes.resize(kept);
  }

  void fold_devices() {
    const std::size_t first =
        first_of(trace_.devices, [&](const trace::Device& device) { return device.rank == from_; });
    std::map<StringId, trace::DeviceId> known;
    for (std::size_t d = 0; d < first; ++d) {
      const trace::Device& device = trace_.devices[d];
      if (device.rank == into_) known[device.id] = trace::DeviceId{static_cast<std::uint32_t>(d)};
    }
    std::size_t kept = first;
    first_device_ = first;
    for (std::size_t d = first; d < trace_.devices.size(); ++d) {
      trace::Device device = trace_.devices[d];
      const auto next = trace::DeviceId{static_cast<std::uint32_t>(kept)};
      const auto [it, is_new] = known.try_emplace(device.id, next);
      devices_.push_back(it->second);
      device.rank = into_;
      if (is_new) trace_.devices[kept++] = device;
    }
    trace_.devices.resize(kept);
  }

  void fold_tracks(const std::vector<trace::Track>& tracks, std::size_t first_track) {
    const auto key_of = [](const trace::Track& track) {
      return std::tuple(track.process, track.side, track.device, track.id.text);
    };
    std::map<decltype(key_of(tracks[0])), trace::TrackId> known;
    for (std::size_t t = 0; t < first_track; ++t) {
      known.try_emplace(key_of(trace_.tracks[t]), trace::TrackId{static_cast<std::uint32_t>(t)});
    }
    for (trace::Track track : tracks) {
      track.process = processes_[trace::index_of(track.process) - first_process_];
      if (track.device != trace::kNoDevice)
        track.device = devices_[trace::index_of(track.device) - first_device_];
      const auto next = trace::TrackId{static_cast<std::uint32_t>(trace_.tracks.size())};
      const auto [it, is_new] = known.try_emplace(key_of(track), next);
      tracks_.push_back(it->second);
      if (is_new) trace_.tracks.push_back(track);
    }
  }

  // Events of the rank are the last, and theirs are the tracks that were the last.
  void move_events(std::size_t first_track, Time shift) {
    trace::EventTable& events = trace_.events;
    for (std::size_t i = events.size(); i > 0; --i) {
      const std::size_t track = trace::index_of(events.track[i - 1]);
      if (track < first_track) break;
      events.track[i - 1] = tracks_[track - first_track];
      events.start[i - 1] += shift;
    }
  }

  trace::Trace& trace_;
  trace::RankId from_;
  trace::RankId into_;
  std::size_t first_process_ = 0;
  std::size_t first_device_ = 0;
  std::vector<trace::ProcessId> processes_;
  std::vector<trace::DeviceId> devices_;
  std::vector<trace::TrackId> tracks_;
};

}  // namespace

TraceEnd end_of(const trace::Trace& trace) {
  return {trace.ranks.size(),  trace.processes.size(),  trace.devices.size(),
          trace.tracks.size(), trace.events.size(),     trace.flows.size(),
          trace.steps.size(),  trace.collectives.size()};
}

void cut_back(trace::Trace& trace, const TraceEnd& end) {
  trace::EventTable& events = trace.events;
  for (std::size_t i = end.events; i < events.size(); ++i) {
    const trace::EventId event{static_cast<std::uint32_t>(i)};
    if (!trace.arguments.of(event).empty()) trace.arguments.set(event, {});
  }
  events.start.truncate(end.events);
  events.duration.truncate(end.events);
  events.name.truncate(end.events);
  events.category.truncate(end.events);
  events.track.truncate(end.events);
  events.kind.truncate(end.events);
  events.shape.truncate(end.events);
  events.correlation.truncate(end.events);
  trace.flows.truncate(end.flows);
  trace.ranks.resize(end.ranks);
  trace.processes.resize(end.processes);
  trace.devices.resize(end.devices);
  trace.tracks.resize(end.tracks);
  trace.steps.resize(end.steps);
  trace.collectives.resize(end.collectives);
}

SliceFit fold_last_rank(trace::Trace& trace) {
  const Origin& into = trace.ranks[trace.ranks.size() - 2].origin;
  const Origin& from = trace.ranks[trace.ranks.size() - 1].origin;
  if (into.clock != from.clock) return SliceFit::kOtherClock;
  const auto shift = narrow(WideTime{from.ns} * kPicosecondsPerNanosecond,
                            WideTime{into.ns} * kPicosecondsPerNanosecond);
  if (!shift || *shift > kMaxSliceDistance || *shift < Time{-kMaxSliceDistance.ps}) {
    return SliceFit::kFarAway;
  }
  RankFold(trace).run(*shift);
  return SliceFit::kFits;
}

void join_across_slices(trace::Trace& trace, std::size_t first_row, std::size_t first_flow,
                        Diagnostics& diagnostics) {
  const trace::EventTable& events = trace.events;
  const auto is_join = [&](const trace::Flow& flow) {
    const std::int64_t correlation = events.correlation[trace::index_of(flow.to)];
    return flow.kind == trace::Flow::Kind::kLaunch && correlation >= 0 &&
           events.correlation[trace::index_of(flow.from)] == correlation;
  };
  // What was joined slice by slice is joined again, over all of them. Launches that arrows tell of
  // stay, and go before.
  trace::Flow* const kept =
      std::remove_if(trace.flows.begin() + first_flow, trace.flows.end(), is_join);
  trace.flows.truncate(static_cast<std::size_t>(kept - trace.flows.begin()));
  std::vector<bool> is_launched(events.size() - first_row);
  for (std::size_t i = first_flow; i < trace.flows.size(); ++i) {
    const trace::Flow& flow = trace.flows[i];
    if (flow.kind == trace::Flow::Kind::kLaunch)
      is_launched[trace::index_of(flow.to) - first_row] = true;
  }
  const std::size_t first_new = trace.flows.size();
  trace::FlowBinder({}).bind(trace, first_row, diagnostics);
  trace::Flow* const last = std::remove_if(
      trace.flows.begin() + first_new, trace.flows.end(), [&](const trace::Flow& flow) {
        return static_cast<bool>(is_launched[trace::index_of(flow.to) - first_row]);
      });
  trace.flows.truncate(static_cast<std::size_t>(last - trace.flows.begin()));
}

}  // namespace lockstep::formats::ascend_text

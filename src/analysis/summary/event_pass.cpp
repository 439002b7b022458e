// One pass over the event columns.
#include "analysis/summary/event_pass.h"

#include <algorithm>

#include "analysis/summary/launch_calls.h"

namespace lockstep::analysis::summary {
namespace {

constexpr std::uint32_t kNoSlot = 0xFFFF'FFFF;

class EventPass {
 public:
  explicit EventPass(const trace::Trace& trace)
      : trace_(trace),
        launch_calls_(trace.strings),
        kernel_slot_(trace.strings.size(), kNoSlot),
        has_launch_flow_(trace.events.size()),
        trace_category_(trace.strings.find("Trace")) {
    tally_.tracks.resize(trace.tracks.size());
    tally_.ranks.resize(trace.ranks.size());
    tally_.spans.resize(trace.ranks.size());
    tally_.device_spans.resize(trace.ranks.size());
    for (const trace::Track& track : trace.tracks) {
      rank_of_track_.push_back(trace::index_of(trace.rank_of(track)));
    }
    mark_flow_targets();
  }

  TraceTally run() {
    const std::size_t count = trace_.events.size();
    for (std::size_t i = 0; i < count; ++i) take(i);
    return std::move(tally_);
  }

 private:
  void mark_flow_targets() {
    for (const trace::Flow& flow : trace_.flows) {
      if (flow.kind != trace::Flow::Kind::kLaunch || flow.to == trace::kNoEvent) continue;
      has_launch_flow_[trace::index_of(flow.to)] = true;
      tally_.ranks[rank_of(trace::index_of(flow.to))].has_launch_flow = true;
    }
  }

  [[nodiscard]] std::size_t rank_of(std::size_t event) const {
    return rank_of_track_[trace::index_of(trace_.events.track[event])];
  }

  void take(std::size_t i) {
    const trace::EventTable& events = trace_.events;
    const trace::Kind kind = events.kind[i];
    ++tally_.by_kind[static_cast<std::size_t>(kind)];
    TrackTally& track = tally_.tracks[trace::index_of(events.track[i])];
    ++track.events;
    track.derived += kind == trace::Kind::kDuplicate ? 1 : 0;
    const bool is_own_span =
        events.shape[i] == trace::Shape::kSpan && events.category[i] != trace_category_;
    if (is_own_span) {
      // Profilers put their own overhead, and what they work out themselves, on lanes that are no
      // threads.
      track.has_span |= kind != trace::Kind::kOverhead && kind != trace::Kind::kDuplicate;
      tally_.spans[rank_of(i)].include(events.start[i], events.end(i));
    }
    if (trace_.on_device(i)) {
      if (trace::is_device_work(kind)) take_work(i, track);
    } else if (kind == trace::Kind::kRuntimeCall) {
      take_runtime_call(i);
    } else if (kind == trace::Kind::kAnnotation && is_own_span) {
      ++tally_.annotations[events.name[i]];
    }
  }

  void take_work(std::size_t i, TrackTally& track) {
    const trace::EventTable& events = trace_.events;
    if (events.shape[i] == trace::Shape::kSpan) {
      tally_.device_spans[rank_of(i)].include(events.start[i], events.end(i));
      track.work.push_back({events.start[i].ps, events.end(i).ps});
      track.work_kinds.push_back(events.kind[i]);
    }
    if (trace::is_kernel(events.kind[i])) {
      ++track.kernels;
      take_kernel(events.name[i], events.duration[i]);
    }
    LaunchTally& rank = tally_.ranks[rank_of(i)];
    ++rank.work;
    if (events.correlation[i] != trace::kNoCorrelation) {
      rank.work_correlations.push_back(events.correlation[i]);
    }
    if (!has_launch_flow_[i] && ++rank.work_without_flow == 1) {
      rank.first_without_flow = trace::EventId{static_cast<std::uint32_t>(i)};
    }
  }

  void take_kernel(StringId name, Time duration) {
    std::uint32_t& slot = kernel_slot_[static_cast<std::uint32_t>(name)];
    if (slot == kNoSlot) {
      slot = static_cast<std::uint32_t>(tally_.kernels.size());
      tally_.kernels.push_back({name, 0, 0, duration, duration});
    }
    KernelTally& kernel = tally_.kernels[slot];
    ++kernel.count;
    kernel.total += duration.ps;
    kernel.min = std::min(kernel.min, duration);
    kernel.max = std::max(kernel.max, duration);
  }

  void take_runtime_call(std::size_t i) {
    const trace::EventTable& events = trace_.events;
    const LaunchCall call = launch_calls_.of(events.name[i]);
    if (call == LaunchCall::kNone) return;
    LaunchTally& rank = tally_.ranks[rank_of(i)];
    if (call == LaunchCall::kCapture) {
      rank.has_graph_capture = true;
      return;
    }
    rank.launches.push_back(trace::EventId{static_cast<std::uint32_t>(i)});
    if (call == LaunchCall::kGraph) rank.graph_launches.push_back(events.correlation[i]);
  }

  const trace::Trace& trace_;
  LaunchCalls launch_calls_;
  std::vector<std::uint32_t> kernel_slot_;  // by StringId: index into tally_.kernels
  std::vector<bool> has_launch_flow_;       // by event: a launch flow ends here
  std::optional<StringId> trace_category_;
  std::vector<std::size_t> rank_of_track_;
  TraceTally tally_;
};

}  // namespace

TraceTally tally_events(const trace::Trace& trace) { return EventPass(trace).run(); }

}  // namespace lockstep::analysis::summary

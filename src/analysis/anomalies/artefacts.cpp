// Graph launches and what they show; bubbles without an idle host.
#include "analysis/anomalies/artefacts.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include <fmt/format.h>

#include "analysis/anomalies/host_calls.h"
#include "analysis/summary/launch_calls.h"
#include "base/text.h"

namespace lockstep {
namespace {

// Calls that launch kernels on a device, by when they began, and how many different ones each one
// shows. A copy of a result is asked for behind a graph and says nothing of what ran before it.
struct LaunchLog {
  struct Entry {
    Time start;
    EventId call = kNoEvent;
    bool is_opaque = false;  // a graph that shows hardly any kernels
  };
  std::vector<Entry> entries;
  std::vector<bool> is_opaque;  // by event

  // The last launch that began before `at`; nothing before the first.
  [[nodiscard]] const Entry* last_before(Time at) const {
    const auto after = std::ranges::upper_bound(entries, at, {}, &Entry::start);
    return after == entries.begin() ? nullptr : &*std::prev(after);
  }
};

bool has_graph_launches(const StringPool& strings) {
  for (std::uint32_t id = 0; id < strings.size(); ++id) {
    if (launch_call_named(strings.view(StringId{id})) == LaunchCall::kGraph) return true;
  }
  return false;
}

// Calls, by event, that only ask other devices for work: one host may feed several.
std::vector<bool> calls_for_others(const Trace& trace, const DeviceTimeline& timeline) {
  std::vector<bool> is_for_other(trace.events.size(), false);
  std::vector<bool> is_for_this(trace.events.size(), false);
  for (const Flow& flow : trace.flows) {
    if (flow.kind != Flow::Kind::kLaunch || flow.from == kNoEvent || flow.to == kNoEvent) continue;
    const Track& track = trace.track_of(index_of(flow.to));
    if (track.side != Track::Side::kDevice) continue;
    const bool is_this = track.device == timeline.device && trace.rank_of(track) == timeline.rank;
    (is_this ? is_for_this : is_for_other)[index_of(flow.from)] = true;
  }
  for (std::size_t i = 0; i < is_for_other.size(); ++i) {
    if (is_for_this[i]) is_for_other[i] = false;
  }
  return is_for_other;
}

LaunchLog launch_log(const Trace& trace, const DeviceTimeline& timeline,
                     const Thresholds& thresholds) {
  LaunchLog log;
  if (!has_graph_launches(trace.strings)) return log;
  LaunchCalls calls(trace.strings);
  HostCalls host_calls(trace.strings);
  const std::vector<bool> is_for_other = calls_for_others(trace, timeline);
  std::map<EventId, std::set<StringId>> graphs;
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    const Kind kind = trace.events.kind[i];
    if (kind != Kind::kRuntimeCall || trace.rank_of(trace.track_of(i)) != timeline.rank) continue;
    const LaunchCall call = calls.of(trace.events.name[i]);
    if ((call != LaunchCall::kSingle && call != LaunchCall::kGraph) || is_for_other[i]) continue;
    if (host_calls.of(trace.events.name[i], kind) == HostCall::kCopy) continue;
    const EventId event{static_cast<std::uint32_t>(i)};
    log.entries.push_back({trace.events.start[i], event, false});
    if (call == LaunchCall::kGraph) graphs[event];
  }
  if (graphs.empty()) return {};
  for (const DeviceWork& work : timeline.kernels) {
    const auto graph = graphs.find(work.launched_by);
    if (graph != graphs.end()) graph->second.insert(work.name);
  }
  log.is_opaque.assign(trace.events.size(), false);
  for (const auto& [call, names] : graphs) {
    log.is_opaque[index_of(call)] =
        static_cast<double>(names.size()) <= thresholds.graph_opaque_names;
  }
  for (LaunchLog::Entry& entry : log.entries) entry.is_opaque = log.is_opaque[index_of(entry.call)];
  std::ranges::sort(log.entries, {},
                    [](const LaunchLog::Entry& e) { return std::pair(e.start, e.call); });
  return log;
}

class ArtefactFinder {
 public:
  ArtefactFinder(const Trace& trace, const DeviceTimeline& timeline, const Thresholds& thresholds)
      : trace_(trace),
        timeline_(timeline),
        thresholds_(thresholds),
        log_(launch_log(trace, timeline, thresholds)) {}

  void judge(const AnomalyStep& step, Bubble& bubble) const {
    const Time heavy =
        limit_of(thresholds_.heavy_gap_us, thresholds_.heavy_gap_share, step.end - step.start);
    // What is mostly a copy needs no other explanation; the short one of a result explains nothing.
    if (bubble.length() < heavy || 2 * bubble.copied.ps >= bubble.length().ps) return;
    const bool was_late = host_was_late(bubble);
    const LaunchLog::Entry* last = log_.last_before(bubble.start);
    const bool is_after_opaque = last != nullptr && last->is_opaque;
    // A host that waits for a graph launches nothing before it is done. Where no kernel follows,
    // only a host that waits tells that the graph still ran.
    const bool was_queued = bubble.kernel_after != kNoKernel && !was_late;
    bubble.is_opaque = is_after_opaque && (was_queued || is_waited_for(bubble));
    bubble.is_unrecorded = !bubble.is_opaque && !was_late && is_waited_for(bubble);
  }

  // Gaps inside one opaque graph; they are dispatch gaps, not bubbles.
  [[nodiscard]] Time opaque_dispatch(const AnomalyStep& step) const {
    Time total;
    if (log_.is_opaque.empty()) return total;
    const std::vector<Interval>& busy = timeline_.busy;
    for (std::size_t i = 0; i + 1 < step.kernels.size(); ++i) {
      const DeviceWork& before = timeline_.kernels[step.kernels[i]];
      const DeviceWork& after = timeline_.kernels[step.kernels[i + 1]];
      if (before.launched_by != after.launched_by || before.launched_by == kNoEvent) continue;
      if (!log_.is_opaque[index_of(before.launched_by)]) continue;
      const auto piece = std::ranges::lower_bound(busy, after.start.ps, {}, &Interval::begin);
      if (piece == busy.end() || piece->begin != after.start.ps || piece == busy.begin()) continue;
      total += after.start - Time{std::prev(piece)->end};
    }
    return total;
  }

  [[nodiscard]] std::string why(const Bubble& bubble) const {
    const std::string idle = human_time(bubble.length());
    if (bubble.is_opaque) {
      return fmt::format("for {} a replayed graph ran whose kernels the profiler did not record",
                         idle);
    }
    const std::string waits = waiting_call(bubble);
    if (bubble.kernel_after == kNoKernel) {
      return fmt::format("for {} the host sat in {} while nothing was recorded on the device", idle,
                         waits);
    }
    return fmt::format(
        "for {} the host sat in {} while nothing was recorded on the device, and the next kernel "
        "had been launched {} before it ran",
        idle, waits, human_time(time_since_launch(bubble)));
  }

 private:
  [[nodiscard]] bool host_was_late(const Bubble& bubble) const {
    if (bubble.kernel_after == kNoKernel) return false;
    if (!bubble.has_launch) return true;  // nobody knows
    return bubble.queued_part < limit_of(0, thresholds_.unrecorded_queued, bubble.length());
  }

  [[nodiscard]] bool is_waited_for(const Bubble& bubble) const {
    return bubble.sync_covered.ps > 0 &&
           bubble.sync_covered >= limit_of(0, thresholds_.unrecorded_sync, bubble.length());
  }

  [[nodiscard]] Time time_since_launch(const Bubble& bubble) const {
    const Time begun = timeline_.kernels[bubble.kernel_after].start;
    return begun - trace_.events.end(index_of(bubble.launch_call));
  }

  [[nodiscard]] std::string waiting_call(const Bubble& bubble) const {
    if (bubble.evidence_ops.empty()) return "a synchronising call";
    return std::string(trace_.text(trace_.events.name[index_of(bubble.evidence_ops.front())]));
  }

  const Trace& trace_;
  const DeviceTimeline& timeline_;
  const Thresholds& thresholds_;
  const LaunchLog log_;
};

// What heavy tags may judge: the gap without what is an artefact or at the edge.
void reset_judged(AnomalyStep& step) {
  GapMetrics& gaps = step.facts.gaps;
  gaps.judged_prelaunch = gaps.prelaunch;
  gaps.judged_tail = gaps.tail - gaps.inter_step;
  gaps.judged_largest_internal = {};
}

void judge_gap(const Bubble& bubble, GapMetrics& gaps) {
  const bool is_judged = !bubble.is_artefact() && !bubble.touches_edge;
  switch (bubble.scope) {
    case BubbleScope::kPrelaunch:
      if (!is_judged) gaps.judged_prelaunch = {};
      break;
    case BubbleScope::kTail:
      if (!is_judged) gaps.judged_tail = {};
      break;
    case BubbleScope::kInternal:
      if (is_judged)
        gaps.judged_largest_internal = std::max(gaps.judged_largest_internal, bubble.length());
      break;
    case BubbleScope::kInterStep:
      // The rulebook's tail reaches to the next step.
      if (is_judged) gaps.judged_tail += bubble.length();
      break;
  }
  if (!is_judged) gaps.artefact_idle += bubble.length();
}

}  // namespace

std::vector<Artefact> mark_artefacts(const Trace& trace, const DeviceTimeline& timeline,
                                     const Thresholds& thresholds, std::vector<AnomalyStep>& steps,
                                     std::vector<Bubble>& bubbles) {
  const ArtefactFinder finder(trace, timeline, thresholds);
  std::vector<Artefact> artefacts;
  for (AnomalyStep& step : steps) {
    reset_judged(step);
    step.facts.opaque_graph_idle = finder.opaque_dispatch(step);
  }
  for (Bubble& bubble : bubbles) {
    AnomalyStep& step = steps[bubble.step];
    finder.judge(step, bubble);
    judge_gap(bubble, step.facts.gaps);
    if (bubble.is_unrecorded) step.facts.unrecorded_idle += bubble.length();
    if (bubble.is_opaque) step.facts.opaque_graph_idle += bubble.length();
    if (!bubble.is_artefact()) continue;
    artefacts.push_back({bubble.is_opaque ? Tag::kGraphReplayOpaque : Tag::kUnrecordedWork,
                         bubble.step, bubble.length(), finder.why(bubble)});
  }
  return artefacts;
}

}  // namespace lockstep

// Graph launches and what they show; bubbles without an idle host.
#include "analysis/anomalies/evidence/artefacts.h"

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <utility>

namespace lockstep::analysis::anomalies {
namespace {

// Launches of a device and, of those that graphs made, which ones show hardly any kernels.
class LaunchLog {
 public:
  LaunchLog(const DeviceIndex& index, const DeviceTimeline& timeline, const Thresholds& thresholds)
      : own_(index.launches(timeline)), unplaced_(index.unplaced_launches(timeline.rank)) {
    std::map<trace::EventId, std::set<StringId>> graphs;  // and the names of kernels that they show
    for (const Launch& launch : own_) {
      if (launch.is_graph) graphs[launch.call];
    }
    if (!graphs.empty()) {
      for (const DeviceWork& work : timeline.kernels) {
        const auto graph = graphs.find(work.launched_by);
        if (graph != graphs.end()) graph->second.insert(work.name);
      }
    }
    for (const auto& [call, names] : graphs) {
      if (static_cast<double>(names.size()) <= thresholds.graph_opaque_names) opaque_.insert(call);
    }
    shows_unplaced_ = thresholds.graph_opaque_names < 0;
  }

  // Whether the call launched a graph that shows hardly any kernels.
  [[nodiscard]] bool is_opaque(trace::EventId call) const { return opaque_.contains(call); }
  [[nodiscard]] bool has_opaque() const { return !opaque_.empty(); }

  // Whether the last launch that began before `at` is such a graph. One of which nobody knows the
  // device shows no kernel at all.
  [[nodiscard]] bool follows_opaque(Time at) const {
    const Launch* const own = last_before(own_, at);
    const Launch* const unplaced = last_before(unplaced_, at);
    if (unplaced == nullptr || (own != nullptr && order(*unplaced) < order(*own))) {
      return own != nullptr && is_opaque(own->call);
    }
    return unplaced->is_graph && !shows_unplaced_;
  }

 private:
  using Launch = DeviceIndex::Launch;

  static std::pair<Time, trace::EventId> order(const Launch& launch) {
    return {launch.start, launch.call};
  }
  // Nothing before the first.
  static const Launch* last_before(std::span<const Launch> launches, Time at) {
    const auto after = std::ranges::upper_bound(launches, at, {}, &Launch::start);
    return after == launches.begin() ? nullptr : &*std::prev(after);
  }

  std::span<const Launch> own_;
  std::span<const Launch> unplaced_;
  std::set<trace::EventId> opaque_;
  bool shows_unplaced_ = false;
};

class ArtefactFinder {
 public:
  ArtefactFinder(const DeviceIndex& index, const DeviceTimeline& timeline,
                 const Thresholds& thresholds)
      : timeline_(timeline), thresholds_(thresholds), log_(index, timeline, thresholds) {}

  void judge(const AnomalyStep& step, Bubble& bubble) const {
    const Time heavy =
        limit_of(thresholds_.heavy_gap_us, thresholds_.heavy_gap_share, step.end - step.start);
    // What is mostly a copy needs no other explanation; the short one of a result explains nothing.
    if (bubble.length() < heavy || 2 * bubble.copied.ps >= bubble.length().ps) return;
    const bool was_late = host_was_late(bubble);
    const bool is_after_opaque = log_.follows_opaque(bubble.start);
    // A host that waits for a graph launches nothing before it is done. Where no kernel follows,
    // only a host that waits tells that the graph still ran.
    const bool was_queued = bubble.kernel_after != kNoKernel && !was_late;
    bubble.is_opaque = is_after_opaque && (was_queued || is_waited_for(bubble));
    bubble.is_unrecorded = !bubble.is_opaque && !was_late && is_waited_for(bubble);
  }

  // Gaps inside one opaque graph; they are dispatch gaps, not bubbles.
  [[nodiscard]] Time opaque_dispatch(const AnomalyStep& step) const {
    Time total;
    if (!log_.has_opaque()) return total;
    const std::vector<algo::Interval>& busy = timeline_.busy;
    for (std::size_t i = 0; i + 1 < step.kernels.size(); ++i) {
      const DeviceWork& before = timeline_.kernels[step.kernels[i]];
      const DeviceWork& after = timeline_.kernels[step.kernels[i + 1]];
      if (before.launched_by != after.launched_by || before.launched_by == trace::kNoEvent)
        continue;
      if (!log_.is_opaque(before.launched_by)) continue;
      const auto piece = std::ranges::lower_bound(busy, after.start.ps, {}, &algo::Interval::begin);
      if (piece == busy.end() || piece->begin != after.start.ps || piece == busy.begin()) continue;
      total += after.start - Time{std::prev(piece)->end};
    }
    return total;
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

std::vector<Artefact> mark_artefacts(const DeviceIndex& index, const DeviceTimeline& timeline,
                                     const Thresholds& thresholds, std::vector<AnomalyStep>& steps,
                                     std::vector<Bubble>& bubbles) {
  const ArtefactFinder finder(index, timeline, thresholds);
  std::vector<Artefact> artefacts;
  for (AnomalyStep& step : steps) {
    reset_judged(step);
    step.facts.opaque_graph_idle = finder.opaque_dispatch(step);
  }
  for (std::uint32_t b = 0; b < bubbles.size(); ++b) {
    Bubble& bubble = bubbles[b];
    AnomalyStep& step = steps[bubble.step];
    finder.judge(step, bubble);
    judge_gap(bubble, step.facts.gaps);
    if (bubble.is_unrecorded) step.facts.unrecorded_idle += bubble.length();
    if (bubble.is_opaque) step.facts.opaque_graph_idle += bubble.length();
    if (!bubble.is_artefact()) continue;
    artefacts.push_back({bubble.is_opaque ? Tag::kGraphReplayOpaque : Tag::kUnrecordedWork,
                         bubble.step, bubble.length(), b});
  }
  return artefacts;
}

}  // namespace lockstep::analysis::anomalies

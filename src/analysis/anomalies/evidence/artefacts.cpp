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

  [[nodiscard]] ArtefactMark mark(const StepFrame& step, const Gap& gap, const HostCoverage& host,
                                  const LaunchSplit& launch) const {
    const Time heavy =
        limit_of(thresholds_.heavy_gap_us, thresholds_.heavy_gap_share, step.service());
    // What is mostly a copy needs no other explanation; the short one of a result explains nothing.
    if (gap.length() < heavy || gap.is_mostly_copy()) return {};
    const bool was_late = host_was_late(gap, launch);
    const bool is_waited_for = host_waits(gap, host);
    const bool is_after_opaque = log_.follows_opaque(gap.start);
    // A host that waits for a graph launches nothing before it is done. Where no kernel follows,
    // only a host that waits tells that the graph still ran.
    const bool was_queued = gap.kernel_after != kNoKernel && !was_late;
    const bool is_opaque = is_after_opaque && (was_queued || is_waited_for);
    return {.is_unrecorded = !is_opaque && !was_late && is_waited_for, .is_opaque = is_opaque};
  }

  // Gaps inside one opaque graph; they are dispatch gaps, not bubbles.
  [[nodiscard]] Time opaque_dispatch(const StepFrame& step) const {
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
  [[nodiscard]] bool host_was_late(const Gap& gap, const LaunchSplit& launch) const {
    if (gap.kernel_after == kNoKernel) return false;
    if (!launch.has_launch) return true;  // nobody knows
    return launch.queued_part < limit_of(0, thresholds_.unrecorded_queued, gap.length());
  }

  [[nodiscard]] bool host_waits(const Gap& gap, const HostCoverage& host) const {
    return host.sync_covered.ps > 0 &&
           host.sync_covered >= limit_of(0, thresholds_.unrecorded_sync, gap.length());
  }

  const DeviceTimeline& timeline_;
  const Thresholds& thresholds_;
  const LaunchLog log_;
};

// As far as no gap is known: the tail of the rulebook reaches to the next step.
JudgedGaps judged_at_first(const MeasuredGaps& gaps) {
  return {.artefact_idle = {},
          .judged_prelaunch = gaps.prelaunch,
          .judged_tail = gaps.tail - gaps.inter_step,
          .judged_largest_internal = {}};
}

void judge_gap(const Bubble& bubble, JudgedGaps& gaps) {
  const bool is_judged = bubble.is_judged();
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
      if (is_judged) gaps.judged_tail += bubble.length();
      break;
  }
  if (!is_judged) gaps.artefact_idle += bubble.length();
}

}  // namespace

FoundArtefacts find_artefacts(const DeviceIndex& index, const DeviceTimeline& timeline,
                              const Thresholds& thresholds, std::span<const StepFrame> steps,
                              std::span<const Gap> gaps, std::span<const HostCoverage> hosts,
                              std::span<const LaunchSplit> launches) {
  const ArtefactFinder finder(index, timeline, thresholds);
  FoundArtefacts found;
  found.marks.reserve(gaps.size());
  for (std::size_t i = 0; i < gaps.size(); ++i)
    found.marks.push_back(finder.mark(steps[gaps[i].step], gaps[i], hosts[i], launches[i]));
  found.opaque_dispatch.reserve(steps.size());
  for (const StepFrame& step : steps) found.opaque_dispatch.push_back(finder.opaque_dispatch(step));
  return found;
}

std::vector<Artefact> list_artefacts(std::span<const Bubble> bubbles) {
  std::vector<Artefact> artefacts;
  for (std::uint32_t b = 0; b < bubbles.size(); ++b) {
    const Bubble& bubble = bubbles[b];
    if (!bubble.is_artefact()) continue;
    artefacts.push_back({bubble.is_opaque ? Tag::kGraphReplayOpaque : Tag::kUnrecordedWork,
                         bubble.step, bubble.length(), b});
  }
  return artefacts;
}

std::vector<StepArtefacts> judge_gaps(std::span<const MeasuredGaps> by_step,
                                      std::span<const Time> opaque_dispatch,
                                      std::span<const Bubble> bubbles) {
  std::vector<StepArtefacts> judged;
  judged.reserve(by_step.size());
  for (std::size_t s = 0; s < by_step.size(); ++s)
    judged.push_back({judged_at_first(by_step[s]), opaque_dispatch[s], {}});
  for (const Bubble& bubble : bubbles) {
    StepArtefacts& step = judged[bubble.step];
    judge_gap(bubble, step.judged);
    if (bubble.is_unrecorded) step.unrecorded_idle += bubble.length();
    if (bubble.is_opaque) step.opaque_graph_idle += bubble.length();
  }
  return judged;
}

}  // namespace lockstep::analysis::anomalies

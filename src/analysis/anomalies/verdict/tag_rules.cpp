// The rules for tags, in the order of the tags.
#include "analysis/anomalies/verdict/tag_rules.h"

#include <array>
#include <utility>
#include <vector>

#include "analysis/anomalies/timeline/ratio.h"

namespace lockstep::analysis::anomalies {
namespace {

// What a rule sees. A rule answers with its grounds, with none when it does not hold.
struct Case {
  const StepFacts& step;
  const GroupFacts& group;
  const Thresholds& thresholds;
  AnomalyRules rules;

  [[nodiscard]] Time service() const { return step.gaps.service; }
  [[nodiscard]] Time heavy() const {
    return limit_of(thresholds.heavy_gap_us, thresholds.heavy_gap_share, service());
  }
  // The reference script knows neither artefacts nor dispatch gaps.
  [[nodiscard]] Time judged(Time judged, Time raw) const {
    return rules == AnomalyRules::kScript ? raw : judged;
  }
};
using Reason = std::vector<TagGround>;

// Shares are compared as whole picoseconds, so that what a limit says is exact.
bool is_share(Time part, double share, Time whole) { return part >= limit_of(0, share, whole); }

Reason at_least(Ground ground, Time value, Time limit) {
  if (value.ps <= 0 || value < limit) return {};
  return {{.ground = ground, .value = value, .limit = limit}};
}

Reason ratio_at_least(Ground ground, Time part, double share, Time whole) {
  if (part.ps <= 0 || !is_share(part, share, whole)) return {};
  return {{.ground = ground, .ratio = ratio_of(part, whole), .bound = share}};
}

Reason when(bool holds, TagGround ground) { return holds ? Reason{ground} : Reason{}; }

// The grounds of both that hold.
Reason either(Reason first, const Reason& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

Reason high_underfeed(const Case& c) {
  const GapMetrics& gaps = c.step.gaps;
  // The reason must not seem to quote the raw ratio, which stands beside it in every report.
  const Ground ground =
      gaps.judged_idle() == gaps.underfeed ? Ground::kUnderfeed : Ground::kJudgedUnderfeed;
  return ratio_at_least(ground, gaps.judged_idle(), c.thresholds.high_underfeed, c.service());
}

Reason prelaunch_gap_heavy(const Case& c) {
  const GapMetrics& gaps = c.step.gaps;
  return at_least(Ground::kPrelaunchGap, c.judged(gaps.judged_prelaunch, gaps.prelaunch),
                  c.heavy());
}

Reason tail_gap_heavy(const Case& c) {
  const GapMetrics& gaps = c.step.gaps;
  return at_least(Ground::kTailGap, c.judged(gaps.judged_tail, gaps.tail), c.heavy());
}

Reason internal_bubble_heavy(const Case& c) {
  const GapMetrics& gaps = c.step.gaps;
  return at_least(Ground::kInternalBubble,
                  c.judged(gaps.judged_largest_internal, gaps.largest_internal), c.heavy());
}

Reason device_idle_gap_heavy(const Case& c) {
  if (c.rules == AnomalyRules::kScript) {
    return ratio_at_least(Ground::kUnderfeed, c.step.gaps.underfeed, c.thresholds.high_underfeed,
                          c.service());
  }
  const Reason gaps =
      either(internal_bubble_heavy(c), either(prelaunch_gap_heavy(c), tail_gap_heavy(c)));
  return either(high_underfeed(c), gaps);
}

Reason recurring_bubble_pattern(const Case& c) {
  if (!c.group.is_recurring) return {};
  return {{.ground = Ground::kBubblesRecur,
           .bound = c.thresholds.recurring_share,
           .count = static_cast<double>(c.group.steps)}};
}

// Where the file does not say who launched what, the host is not ruled out.
bool may_be_host(const Case& c) {
  const BubbleEvidence& bubbles = c.step.bubbles;
  const bool is_split = bubbles.host_part.ps > 0 || bubbles.queued_part.ps > 0;
  return !is_split || is_share(bubbles.host_part, c.thresholds.host_part_share, bubbles.total);
}

Reason host_originated_risk(const Case& c) {
  const BubbleEvidence& bubbles = c.step.bubbles;
  const Reason high = high_underfeed(c);
  if (high.empty() || !c.group.is_recurring || !may_be_host(c)) return {};
  const Reason host = either(ratio_at_least(Ground::kHostCoverage, bubbles.host_covered,
                                            c.thresholds.label_launch_lag, bubbles.total),
                             ratio_at_least(Ground::kSyncCalls, bubbles.sync_covered,
                                            c.thresholds.label_sync, bubbles.total));
  if (host.empty()) return {};
  return either(either(high, {{.ground = Ground::kRecurring}}), host);
}

Reason untraced_host_blocking_risk(const Case& c) {
  const BubbleEvidence& bubbles = c.step.bubbles;
  const Reason high = high_underfeed(c);
  if (high.empty()) return {};
  const Reason heaviest = bubbles.heaviest_is_untraced
                              ? at_least(Ground::kUntracedBubble, bubbles.heaviest, c.heavy())
                              : Reason{};
  const Reason untraced = either(ratio_at_least(Ground::kUntracedShare, bubbles.untraced,
                                                c.thresholds.untraced_share, bubbles.total),
                                 heaviest);
  return untraced.empty() ? Reason{} : either(high, untraced);
}

Reason comm_stall_masked(const Case& c) {
  const Thresholds& t = c.thresholds;
  const CommEvidence& comm = c.step.comm;
  const Time limit = limit_of(t.comm_stall_us, t.comm_stall_share, c.service());
  if (comm.elapsed.ps <= 0) return {};
  if (comm.transit) {
    const Time measured = comm.measured();
    const Time stall = measured - *comm.transit;
    if (is_share(*comm.transit, t.comm_transit, measured) || stall < limit) return {};
    return {{.ground = Ground::kLittleTransit,
             .value = *comm.transit,
             .limit = limit,
             .whole = measured,
             .ratio = ratio_of(*comm.transit, measured),
             .bound = t.comm_transit}};
  }
  const bool waits = comm.notify_wait > limit_of(0, t.comm_notify_wait, comm.elapsed);
  if (!waits || comm.notify_wait < limit) return {};
  return {{.ground = Ground::kNotifyWaits,
           .value = comm.notify_wait,
           .limit = limit,
           .whole = comm.elapsed,
           .ratio = ratio_of(comm.notify_wait, comm.elapsed),
           .bound = t.comm_notify_wait}};
}

Reason comm_sync_risk(const Case& c) {
  return either(ratio_at_least(Ground::kCommShare, c.step.bubbles.comm_labelled,
                               c.thresholds.comm_risk_share, c.step.bubbles.total),
                when(!comm_stall_masked(c).empty(), {.ground = Ground::kCommStalls}));
}

Reason wait_pollution_risk(const Case& c) {
  if (!c.step.has_wait_pollution) return {};
  return {{.ground = Ground::kWaitsInComm, .bound = c.thresholds.wait_pollution}};
}

Reason wait_anchor_false_hotspot(const Case& c) {
  return when(c.step.has_wait_anchor, {.ground = Ground::kWaitAnchor});
}

Reason aicpu_exposed_risk(const Case& c) {
  const AicpuEvidence& aicpu = c.step.aicpu;
  if (aicpu.exposed_count == 0) return {};
  Reason reason =
      at_least(Ground::kExposedAicpu, aicpu.exposed,
               limit_of(c.thresholds.aicpu_risk_us, c.thresholds.aicpu_risk_share, c.service()));
  if (!reason.empty() && aicpu.touches_bubble) {
    reason.push_back({.ground = Ground::kTouchesBubble});
  }
  return reason;
}

Reason copy_exposed(const Case& c) {
  return at_least(
      Ground::kExposedCopies, c.step.gaps.exposed_copy,
      limit_of(c.thresholds.copy_exposed_us, c.thresholds.copy_exposed_share, c.service()));
}

Reason step_outlier(const Case& c) {
  return at_least(Ground::kAboveMedian, c.step.outlier_excess.value_or(Time{}),
                  limit_of(c.thresholds.outlier_us, c.thresholds.outlier_share, c.service()));
}

Reason partial_capture_boundary(const Case& c) {
  const BubbleEvidence& bubbles = c.step.bubbles;
  const Reason gap = bubbles.heaviest_touches_edge
                         ? at_least(Ground::kGapAtEdge, bubbles.heaviest, c.heavy())
                         : Reason{};
  const double least = c.thresholds.partial_kernels_low * c.group.median_kernels;
  const double most = c.thresholds.partial_kernels_high * c.group.median_kernels;
  const double kernels = c.step.kernels;
  if (!c.step.is_edge || kernels < least || kernels >= most) return gap;
  return either(gap, {{.ground = Ground::kFewKernels,
                       .bound = c.thresholds.partial_kernels_high,
                       .count = kernels,
                       .of = c.group.median_kernels}});
}

Reason variable_shape_same_template(const Case& c) {
  return when(c.group.has_two_shapes, {.ground = Ground::kTwoShapes});
}

Reason graph_replay_opaque(const Case& c) {
  if (c.step.opaque_graph_idle < c.heavy()) return {};
  return ratio_at_least(Ground::kOpaqueGraphs, c.step.opaque_graph_idle,
                        c.thresholds.graph_opaque_share, c.step.gaps.underfeed);
}

// More Python frames than a run without a profiler could afford, where the device starves.
Reason too_many_frames(const Case& c) {
  if (c.step.kernels == 0 || c.step.python_frames == 0 || high_underfeed(c).empty()) return {};
  const double frames =
      static_cast<double>(c.step.python_frames) / static_cast<double>(c.step.kernels);
  if (frames < c.thresholds.profiler_frames) return {};
  return {{.ground = Ground::kManyFrames, .bound = c.thresholds.profiler_frames, .count = frames}};
}

Reason profiler_overhead_suspect(const Case& c) {
  const BubbleEvidence& bubbles = c.step.bubbles;
  const Reason overhead = bubbles.total >= c.heavy()
                              ? ratio_at_least(Ground::kProfilerShare, bubbles.overhead_covered,
                                               c.thresholds.profiler_overhead, bubbles.total)
                              : Reason{};
  return either(overhead, too_many_frames(c));
}

Reason unrecorded_work(const Case& c) {
  return at_least(Ground::kUnrecordedWork, c.step.unrecorded_idle, c.heavy());
}

struct Rule {
  Tag tag;
  Reason (*reason)(const Case&);
};
constexpr std::array<Rule, kTagCount> kRules = {{
    {Tag::kDeviceIdleGapHeavy, device_idle_gap_heavy},
    {Tag::kPrelaunchGapHeavy, prelaunch_gap_heavy},
    {Tag::kTailGapHeavy, tail_gap_heavy},
    {Tag::kInternalBubbleHeavy, internal_bubble_heavy},
    {Tag::kRecurringBubblePattern, recurring_bubble_pattern},
    {Tag::kHostOriginatedRisk, host_originated_risk},
    {Tag::kUntracedHostBlockingRisk, untraced_host_blocking_risk},
    {Tag::kCommSyncRisk, comm_sync_risk},
    {Tag::kCommStallMasked, comm_stall_masked},
    {Tag::kWaitPollutionRisk, wait_pollution_risk},
    {Tag::kWaitAnchorFalseHotspot, wait_anchor_false_hotspot},
    {Tag::kAicpuExposedRisk, aicpu_exposed_risk},
    {Tag::kCopyExposed, copy_exposed},
    {Tag::kStepOutlier, step_outlier},
    {Tag::kPartialCaptureBoundary, partial_capture_boundary},
    {Tag::kVariableShapeSameTemplate, variable_shape_same_template},
    {Tag::kGraphReplayOpaque, graph_replay_opaque},
    {Tag::kProfilerOverheadSuspect, profiler_overhead_suspect},
    {Tag::kUnrecordedWork, unrecorded_work},
}};

}  // namespace

Verdict judge_step(const StepFacts& step, const GroupFacts& group, const Thresholds& thresholds,
                   AnomalyRules rules) {
  const Case facts{step, group, thresholds, rules};
  Verdict verdict;
  for (const Rule& rule : kRules) {
    Reason reason = rule.reason(facts);
    if (reason.empty()) continue;
    verdict.tags.add(rule.tag);
    verdict.reasons.push_back({rule.tag, std::move(reason)});
  }
  return verdict;
}

}  // namespace lockstep::analysis::anomalies

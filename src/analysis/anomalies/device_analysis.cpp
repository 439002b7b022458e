// The stages of one device, in the order in which they need each other.
#include "analysis/anomalies/device_analysis.h"

#include <algorithm>
#include <string>

#include "algo/statistics/statistics.h"
#include "analysis/anomalies/evidence/artefacts.h"
#include "analysis/anomalies/evidence/bubbles.h"
#include "analysis/anomalies/evidence/host_evidence.h"
#include "analysis/anomalies/evidence/labels.h"
#include "analysis/anomalies/evidence/launch_split.h"
#include "analysis/anomalies/evidence/step_evidence.h"
#include "analysis/anomalies/steps/group_statistics.h"
#include "analysis/anomalies/steps/step_groups.h"
#include "analysis/anomalies/steps/step_outliers.h"
#include "analysis/anomalies/steps/step_shapes.h"
#include "analysis/anomalies/timeline/small_ops.h"
#include "analysis/anomalies/timeline/step_waits.h"
#include "analysis/anomalies/timeline/wait_anchors.h"
#include "analysis/anomalies/verdict/finding_parts.h"
#include "analysis/anomalies/verdict/findings.h"
#include "analysis/anomalies/verdict/tag_rules.h"
#include "base/threads/on_threads.h"

namespace lockstep::analysis::anomalies {
namespace {

// Where the host was not recorded at all, and at the edge of the capture, nobody can tell.
void label(const AnalysisContext& context, const HostIndex& host, std::vector<Bubble>& bubbles) {
  for (Bubble& bubble : bubbles) {
    bubble.labels = host.has_events && !bubble.touches_edge
                        ? soft_labels(bubble, context.thresholds(), context.options.rules)
                        : SoftLabels{SoftLabel::kInsufficientEvidence};
  }
}

void collect_facts(const AnalysisContext& context, DeviceAnomalies& device) {
  device.bubbles = find_bubbles(context.trace, device.timeline, context.thresholds(), device.steps);
  const HostIndex& host = context.host_of(device.timeline);
  collect_host_evidence(context.trace, host, device.steps, device.bubbles);
  split_by_launch(context.trace, device.timeline, host, context.index, context.launches,
                  device.bubbles);
  find_ops_inside(context.trace, host, device.steps, device.bubbles);
  count_python_frames(host, device.steps);
  label(context, host, device.bubbles);
  device.artefacts = mark_artefacts(context.index, device.timeline, context.thresholds(),
                                    device.steps, device.bubbles);
  sum_up_bubbles(device.bubbles, context.thresholds(), device.steps);
  sum_up_communication(context.index, device.timeline, device.steps);
}

// Waits before kernels know nothing of what the gaps are that they lie in.
void set_waits_apart(const AnalysisContext& context, DeviceAnomalies& device) {
  const FindingInput input{context.trace, device, {}, context.thresholds()};
  std::vector<algo::Interval> apart;
  std::vector<algo::Interval> artefacts;
  for (const Bubble& bubble : device.bubbles) {
    const algo::Interval gap{bubble.start.ps, bubble.end.ps};
    if (!FindingInput::is_judged(bubble) || input.is_heavy(bubble)) apart.push_back(gap);
    if (bubble.is_artefact()) artefacts.push_back(gap);
  }
  set_artefact_waits(device.timeline, device.waits, std::move(artefacts), device.ops);
  device.ops.small =
      judge_small_ops(device.timeline, device.waits, std::move(apart), context.thresholds());
}

// Of kernels alone, so that steps and bubbles need not wait for it.
void rank_operators(const AnalysisContext& context, DeviceAnomalies& device) {
  device.waits = kernel_gaps(device.timeline);
  device.ops = make_op_table(context.trace, device.timeline, device.waits, context.thresholds());
}

void collect_waits(const AnalysisContext& context, DeviceAnomalies& device) {
  set_waits_apart(context, device);
  for (AnomalyStep& step : device.steps) {
    const StepWaits waits =
        step_waits(device.timeline, device.waits, device.ops, step.kernels, context.thresholds());
    step.facts.has_wait_anchor = waits.has_wait_anchor;
    step.facts.has_wait_pollution = waits.has_wait_pollution;
    step.facts.aicpu = waits.aicpu;
  }
}

double median_kernels(const std::vector<AnomalyStep>& steps) {
  std::vector<std::int64_t> counts;
  for (const AnomalyStep& step : steps)
    counts.push_back(static_cast<std::int64_t>(step.kernels.size()));
  return static_cast<double>(algo::median(counts));
}

void raise_tags(const AnalysisContext& context, DeviceAnomalies& device) {
  const double kernels = median_kernels(device.steps);
  for (std::size_t i = 0; i < device.steps.size(); ++i) {
    AnomalyStep& step = device.steps[i];
    const StepGroup& group = device.groups[step.group];
    step.facts.is_edge = i == 0 || i + 1 == device.steps.size();
    const GroupFacts facts{static_cast<std::uint32_t>(group.steps.size()), group.is_recurring,
                           kernels, group.shape_example.has_value()};
    Verdict verdict = judge_step(step.facts, facts, context.thresholds(), context.options.rules);
    step.tags = verdict.tags;
    step.reasons = std::move(verdict.reasons);
  }
}

// The step of a group that takes as long as most: the one of median service.
std::uint32_t typical_step(const DeviceAnomalies& device, const StepGroup& group) {
  std::vector<std::uint32_t> steps = group.steps;
  std::ranges::stable_sort(steps, {},
                           [&](std::uint32_t s) { return device.steps[s].facts.gaps.service; });
  return steps[(steps.size() - 1) / 2];
}

void take_apart(const AnalysisContext& context, DeviceAnomalies& device) {
  for (const StepGroup& group : device.groups) {
    const std::uint32_t number = typical_step(device, group);
    const AnomalyStep& step = device.steps[number];
    device.structures.push_back(
        break_down({context.trace, device.timeline, device.waits, device.ops,
                    context.streams_of(device.timeline), context.annotations, step.kernels, number,
                    step.start, step.end},
                   context.thresholds()));
  }
}

}  // namespace

DeviceAnomalies analyse_device(const AnalysisContext& context, std::string_view prefix,
                               DeviceTimeline timeline) {
  DeviceAnomalies device;
  device.timeline = std::move(timeline);
  std::future<void> ranking = run_beside("operators", [&] { rank_operators(context, device); });
  device.steps =
      step_windows(context.trace, device.timeline, context.markers.of(device.timeline.rank),
                   context.streams_of(device.timeline), prefix, context.empty_steps);
  device.groups = group_steps(context.trace, device.timeline, device.steps,
                              std::string(prefix) + "g", context.thresholds());
  device.global = global_gaps(device.timeline);
  collect_facts(context, device);
  ranking.get();
  collect_waits(context, device);
  aggregate(context.trace, device.timeline, device.steps, device.bubbles, context.thresholds(),
            device.groups);
  const std::vector<StepOutlier> outliers =
      find_outliers(context.trace, device.timeline, device.waits, device.groups, device.bubbles,
                    context.thresholds(), device.steps);
  compare_shapes(context.trace, device.timeline, context.host_of(device.timeline), device.steps,
                 device.groups);
  raise_tags(context, device);
  aggregate_tags(device.steps, device.groups);
  take_apart(context, device);
  static_cast<Conclusion&>(device) =
      conclude(context.trace, outliers, context.thresholds(), device);
  return device;
}

}  // namespace lockstep::analysis::anomalies

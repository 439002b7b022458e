// The stages of one device, in the order in which they need each other. Each takes what others
// made and returns what it makes; at the end all of it is put together.
#include "analysis/anomalies/device_analysis.h"

#include <algorithm>
#include <cstdint>
#include <string>

#include "analysis/anomalies/evidence/artefacts.h"
#include "analysis/anomalies/evidence/bubbles.h"
#include "analysis/anomalies/evidence/host_evidence.h"
#include "analysis/anomalies/evidence/labels.h"
#include "analysis/anomalies/evidence/launch_split.h"
#include "analysis/anomalies/evidence/step_evidence.h"
#include "analysis/anomalies/evidence/waits_apart.h"
#include "analysis/anomalies/steps/group_statistics.h"
#include "analysis/anomalies/steps/measured_steps.h"
#include "analysis/anomalies/steps/step_groups.h"
#include "analysis/anomalies/steps/step_outliers.h"
#include "analysis/anomalies/steps/step_shapes.h"
#include "analysis/anomalies/timeline/step_waits.h"
#include "analysis/anomalies/verdict/findings.h"
#include "analysis/anomalies/verdict/step_verdicts.h"
#include "base/threads/on_threads.h"

namespace lockstep::analysis::anomalies {
namespace {

struct ExplainedGaps {
  std::vector<Bubble> bubbles;
  std::vector<Time> opaque_dispatch;  // by step
};

ExplainedGaps explain(const AnalysisContext& context, const DeviceTimeline& timeline,
                      std::span<const StepFrame> steps, std::span<const Gap> gaps) {
  const Thresholds& thresholds = context.thresholds();
  const HostIndex& host = context.host_of(timeline);
  std::vector<HostCoverage> coverage = host_coverage(context.trace, host, steps, gaps);
  std::vector<LaunchSplit> launches =
      split_by_launch(context.trace, timeline, host, context.index, context.launches, gaps);
  std::vector<trace::EventId> inside = ops_inside(context.trace, host, steps, gaps, launches);
  std::vector<SoftLabels> labels =
      label_gaps(host.has_events, gaps, coverage, launches, thresholds, context.options.rules);
  FoundArtefacts artefacts =
      find_artefacts(context.index, timeline, thresholds, steps, gaps, coverage, launches);
  return {join_bubbles(gaps, {std::move(coverage), std::move(launches), std::move(inside),
                              std::move(labels), std::move(artefacts.marks)}),
          std::move(artefacts.opaque_dispatch)};
}

// Steps and their gaps, before anything is said of them.
struct MeasuredDevice {
  std::vector<StepFrame> frames;
  Grouping grouping;
  std::vector<MeasuredGaps> gaps;  // by step
  ExplainedGaps explained;

  [[nodiscard]] MeasuredSteps steps() const {
    return {frames, gaps, grouping.group_of, grouping.groups};
  }
  [[nodiscard]] std::span<const Bubble> bubbles() const { return explained.bubbles; }
};

MeasuredDevice measure(const AnalysisContext& context, std::string_view prefix,
                       const DeviceTimeline& timeline) {
  std::vector<StepFrame> frames =
      step_windows(context.trace, timeline, context.markers.of(timeline.rank),
                   context.streams_of(timeline), prefix, context.empty_steps);
  Grouping grouping =
      group_steps(context.trace, timeline, frames, std::string(prefix) + "g", context.thresholds());
  FoundGaps gaps = find_gaps(context.trace, timeline, context.thresholds(), frames);
  ExplainedGaps explained = explain(context, timeline, frames, gaps.significant);
  return {std::move(frames), std::move(grouping), std::move(gaps.by_step), std::move(explained)};
}

struct Operators {
  std::vector<KernelGaps> waits;  // by kernel
  OpTable ops;
};

// Of kernels alone, so that steps and gaps need not wait for it.
Operators rank_operators(const AnalysisContext& context, const DeviceTimeline& timeline) {
  std::vector<KernelGaps> waits = kernel_gaps(timeline);
  OpTable ops = make_op_table(context.trace, timeline, waits, context.thresholds());
  return {std::move(waits), std::move(ops)};
}

Operators tell_waits_apart(Operators ranked, const DeviceTimeline& timeline,
                           const MeasuredDevice& device, const Thresholds& thresholds) {
  OpTable ops = set_waits_apart(std::move(ranked.ops), timeline, ranked.waits, device.bubbles(),
                                device.frames, thresholds);
  return {std::move(ranked.waits), std::move(ops)};
}

// What stages found out about steps; all by step.
struct StepEvidence {
  std::vector<StepArtefacts> artefacts;
  std::vector<StepBubbles> bubbles;
  std::vector<CommEvidence> communication;
  std::vector<std::uint64_t> python_frames;
  std::vector<StepWaits> waits;
  std::vector<StepShapes> shapes;
  std::vector<std::optional<Time>> excesses;
};

StepEvidence evidence_of_steps(const AnalysisContext& context, const DeviceTimeline& timeline,
                               const MeasuredDevice& device, const Operators& operators,
                               std::span<const StepOutlier> outliers) {
  const Thresholds& thresholds = context.thresholds();
  const HostIndex& host = context.host_of(timeline);
  return {
      .artefacts = judge_gaps(device.gaps, device.explained.opaque_dispatch, device.bubbles()),
      .bubbles = sum_up_bubbles(device.bubbles(), thresholds, device.frames),
      .communication = sum_up_communication(context.index, timeline, device.frames),
      .python_frames = count_python_frames(host, device.frames),
      .waits = waits_of_steps(timeline, operators.waits, operators.ops, device.frames, thresholds),
      .shapes = shapes_of_steps(context.trace, timeline, host, device.frames),
      .excesses = outlier_excesses(device.steps(), outliers, thresholds)};
}

std::vector<StepFacts> facts_of_steps(const MeasuredSteps& steps, const StepEvidence& evidence) {
  std::vector<StepFacts> facts;
  const std::size_t count = steps.frames.size();
  facts.reserve(count);
  for (std::size_t s = 0; s < count; ++s) {
    const StepArtefacts& artefacts = evidence.artefacts[s];
    const StepWaits& waits = evidence.waits[s];
    facts.push_back({.gaps = {steps.gaps[s], artefacts.judged},
                     .bubbles = evidence.bubbles[s].evidence,
                     .comm = evidence.communication[s],
                     .aicpu = waits.aicpu,
                     .kernels = static_cast<std::uint32_t>(steps.frames[s].kernels.size()),
                     .python_frames = evidence.python_frames[s],
                     .opaque_graph_idle = artefacts.opaque_graph_idle,
                     .unrecorded_idle = artefacts.unrecorded_idle,
                     .has_wait_pollution = waits.has_wait_pollution,
                     .has_wait_anchor = waits.has_wait_anchor,
                     .is_edge = s == 0 || s + 1 == count,
                     .shapes = evidence.shapes[s].shapes,
                     .outlier_excess = evidence.excesses[s]});
  }
  return facts;
}

// The step of a group that takes as long as most: the one of median service.
std::uint32_t typical_step(std::span<const StepFrame> frames, const GroupMembers& group) {
  std::vector<std::uint32_t> steps = group.steps;
  std::ranges::stable_sort(steps, {}, [&](std::uint32_t s) { return frames[s].service(); });
  return steps[(steps.size() - 1) / 2];
}

std::vector<StructureBreakdown> take_apart(const AnalysisContext& context,
                                           const DeviceTimeline& timeline,
                                           const Operators& operators, const MeasuredSteps& steps) {
  std::vector<StructureBreakdown> structures;
  structures.reserve(steps.groups.size());
  for (const GroupMembers& group : steps.groups) {
    const std::uint32_t number = typical_step(steps.frames, group);
    const StepFrame& step = steps.frames[number];
    structures.push_back(break_down(
        {context.trace, timeline, operators.waits, operators.ops, context.streams_of(timeline),
         context.annotations, step.kernels, number, step.start, step.end},
        context.thresholds()));
  }
  return structures;
}

std::vector<AnomalyStep> join_steps(std::vector<StepFrame> frames,
                                    std::span<const std::uint32_t> group_of,
                                    std::span<const StepFacts> facts, std::vector<Verdict> verdicts,
                                    std::span<const StepBubbles> bubbles) {
  std::vector<AnomalyStep> steps;
  steps.reserve(frames.size());
  for (std::size_t s = 0; s < frames.size(); ++s) {
    steps.push_back({std::move(frames[s]), group_of[s], facts[s], verdicts[s].tags,
                     std::move(verdicts[s].reasons), bubbles[s].labels});
  }
  return steps;
}

std::vector<StepGroup> join_groups(std::vector<GroupMembers> members,
                                   std::vector<GroupStatistics> statistics,
                                   std::span<const GroupTags> tags,
                                   std::span<const ShapeExample> shapes) {
  std::vector<StepGroup> groups;
  groups.reserve(members.size());
  for (std::size_t g = 0; g < members.size(); ++g)
    groups.push_back({std::move(members[g]), std::move(statistics[g]), tags[g], shapes[g]});
  return groups;
}

}  // namespace

DeviceAnomalies analyse_device(const AnalysisContext& context, std::string_view prefix,
                               DeviceTimeline timeline) {
  const trace::Trace& trace = context.trace;
  const Thresholds& thresholds = context.thresholds();
  std::future<Operators> ranking =
      run_beside("operators", [&] { return rank_operators(context, timeline); });
  MeasuredDevice measured = measure(context, prefix, timeline);
  Operators operators = tell_waits_apart(ranking.get(), timeline, measured, thresholds);
  const MeasuredSteps steps = measured.steps();
  std::vector<GroupStatistics> statistics =
      group_statistics(trace, timeline, steps, measured.bubbles(), thresholds);
  const std::vector<StepOutlier> outliers =
      find_outliers(trace, timeline, operators.waits, steps, measured.bubbles(), thresholds);
  const StepEvidence evidence = evidence_of_steps(context, timeline, measured, operators, outliers);
  const std::vector<StepFacts> facts = facts_of_steps(steps, evidence);
  const std::vector<ShapeExample> shapes = shape_examples(evidence.shapes, steps.groups);
  std::vector<Verdict> verdicts =
      judge_steps(facts, steps.group_of, facts_of_groups(facts, steps.groups, statistics, shapes),
                  thresholds, context.options.rules);
  const std::vector<GroupTags> tags = tags_of_groups(verdicts, steps.groups, statistics);
  std::vector<StructureBreakdown> structures = take_apart(context, timeline, operators, steps);
  std::vector<Artefact> artefacts = list_artefacts(measured.bubbles());
  GlobalGaps global = global_gaps(timeline);
  JudgedDevice device{.timeline = std::move(timeline),
                      .global = std::move(global),
                      .steps = join_steps(std::move(measured.frames), steps.group_of, facts,
                                          std::move(verdicts), evidence.bubbles),
                      .groups = join_groups(std::move(measured.grouping.groups),
                                            std::move(statistics), tags, shapes),
                      .bubbles = std::move(measured.explained.bubbles),
                      .artefacts = std::move(artefacts),
                      .waits = std::move(operators.waits),
                      .ops = std::move(operators.ops),
                      .structures = std::move(structures)};
  Conclusion conclusion = conclude(trace, outliers, thresholds, device);
  return {std::move(device), std::move(conclusion)};
}

}  // namespace lockstep::analysis::anomalies

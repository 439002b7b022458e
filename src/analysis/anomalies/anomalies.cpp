// The nine phases, device by device.
#include "analysis/anomalies/anomalies.h"

#include <algorithm>
#include <future>
#include <map>
#include <span>
#include <string>
#include <utility>

#include "algo/statistics/statistics.h"
#include "analysis/anomalies/evidence/artefacts.h"
#include "analysis/anomalies/evidence/bubbles.h"
#include "analysis/anomalies/evidence/evidence_gaps.h"
#include "analysis/anomalies/evidence/host_evidence.h"
#include "analysis/anomalies/evidence/host_index.h"
#include "analysis/anomalies/evidence/labels.h"
#include "analysis/anomalies/evidence/launch_split.h"
#include "analysis/anomalies/evidence/step_evidence.h"
#include "analysis/anomalies/steps/group_statistics.h"
#include "analysis/anomalies/steps/step_groups.h"
#include "analysis/anomalies/steps/step_outliers.h"
#include "analysis/anomalies/steps/step_shapes.h"
#include "analysis/anomalies/steps/step_windows.h"
#include "analysis/anomalies/structure/annotation_cuts.h"
#include "analysis/anomalies/timeline/device_index.h"
#include "analysis/anomalies/timeline/small_ops.h"
#include "analysis/anomalies/timeline/step_waits.h"
#include "analysis/anomalies/timeline/wait_anchors.h"
#include "analysis/anomalies/verdict/finding_parts.h"
#include "analysis/anomalies/verdict/findings.h"
#include "analysis/anomalies/verdict/recommendations.h"
#include "analysis/anomalies/verdict/tag_rules.h"
#include "base/threads/on_threads.h"
#include "trace/host/launches.h"

namespace lockstep::analysis::anomalies {
namespace {

// What all devices of a trace share.
struct Context {
  const trace::Trace& trace;
  const AnomaliesOptions& options;
  const std::shared_future<std::vector<HostIndex>>& hosts;  // made meanwhile
  const trace::Launches& launches;
  const AnnotationsByThread& annotations;
  const DeviceIndex& index;
  const std::map<std::pair<trace::RankId, trace::DeviceId>,
                 std::vector<const cycles::StreamCycles*>>& streams;
  const StepMarkers& markers;
  EmptySteps empty_steps = EmptySteps::kKeep;

  [[nodiscard]] const Thresholds& thresholds() const { return options.thresholds; }
  [[nodiscard]] const HostIndex& host_of(const DeviceTimeline& timeline) const {
    return hosts.get()[trace::index_of(timeline.rank)];
  }
  [[nodiscard]] std::span<const cycles::StreamCycles* const> streams_of(
      const DeviceTimeline& timeline) const {
    return streams.at({timeline.rank, timeline.device});
  }
};

// Where the host was not recorded at all, and at the edge of the capture, nobody can tell.
void label(const Context& context, const HostIndex& host, std::vector<Bubble>& bubbles) {
  for (Bubble& bubble : bubbles) {
    bubble.labels = host.has_events && !bubble.touches_edge
                        ? soft_labels(bubble, context.thresholds(), context.options.rules)
                        : SoftLabels{SoftLabel::kInsufficientEvidence};
  }
}

void collect_facts(const Context& context, DeviceAnomalies& device) {
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
void set_waits_apart(const Context& context, DeviceAnomalies& device) {
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
void rank_operators(const Context& context, DeviceAnomalies& device) {
  device.waits = kernel_gaps(device.timeline);
  device.ops = make_op_table(context.trace, device.timeline, device.waits, context.thresholds());
}

void collect_waits(const Context& context, DeviceAnomalies& device) {
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

void raise_tags(const Context& context, DeviceAnomalies& device) {
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

void take_apart(const Context& context, DeviceAnomalies& device) {
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

void analyse(const Context& context, std::string_view prefix, DeviceAnomalies& device) {
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
  conclude(context.trace, outliers, context.thresholds(), device);
}

// Ids need a prefix only where there are several devices.
std::string prefix_of(const DeviceTimeline& timeline, std::size_t devices, std::size_t number) {
  if (devices == 1) return "";
  if (!timeline.rank_number || !timeline.is_told_by_rank) return "d" + std::to_string(number) + ".";
  return "r" + std::to_string(*timeline.rank_number) + ".d" + timeline.device_id + ".";
}

// Those that worked most, in the order that they had.
void keep_busiest(std::size_t most, std::vector<DeviceTimeline>& timelines) {
  if (timelines.size() <= most) return;
  std::vector<std::pair<WideTime, std::size_t>> work;  // less is more
  for (std::size_t i = 0; i < timelines.size(); ++i) {
    WideTime sum = 0;
    for (const DeviceWork& kernel : timelines[i].kernels) sum -= kernel.duration().ps;
    work.emplace_back(sum, i);
  }
  std::ranges::sort(work);
  work.resize(most);
  std::ranges::sort(work, {}, &std::pair<WideTime, std::size_t>::second);
  std::vector<DeviceTimeline> kept;
  for (const auto& [sum, i] : work) kept.push_back(std::move(timelines[i]));
  timelines = std::move(kept);
}

EmptySteps empty_steps(const StepMarkers& markers, std::span<const DeviceTimeline> timelines,
                       std::size_t most) {
  std::size_t steps = 0;
  std::map<trace::RankId, std::size_t> of_ranks;
  for (const DeviceTimeline& timeline : timelines) {
    steps += markers.of(timeline.rank).size();
    of_ranks[timeline.rank] = markers.of(timeline.rank).size();
  }
  for (const auto& [rank, count] : of_ranks) most += 4 * count;
  return steps > most ? EmptySteps::kLeaveOut : EmptySteps::kKeep;
}

// What was not judged, because there is too much of it.
void tell_left_out(std::size_t judged, std::size_t all, EmptySteps empty,
                   std::vector<EvidenceGap>& gaps) {
  if (judged < all) gaps.push_back({.lack = Lack::kLeftOutDevices, .count = judged, .of = all});
  if (empty == EmptySteps::kLeaveOut) gaps.push_back({.lack = Lack::kEmptySteps});
}

// An event is one of the calls that are looked at.
void tell_depth(std::span<const HostIndex> hosts, std::vector<EvidenceGap>& gaps) {
  std::size_t deepest = 0;
  for (const HostIndex& host : hosts) {
    for (const HostThread& thread : host.threads) deepest = std::max(deepest, thread.deepest + 1);
  }
  if (deepest > kMostCallsAround)
    gaps.push_back({.lack = Lack::kDeepCalls, .count = kMostCallsAround, .of = deepest});
}

void tell_marks(const cycles::Cycles& cycles, std::vector<EvidenceGap>& gaps) {
  if (cycles.asked_mark_classes < cycles.mark_classes)
    gaps.push_back({.lack = Lack::kMarkClasses,
                    .count = cycles.asked_mark_classes,
                    .of = cycles.mark_classes});
}

void tell_threads(std::span<const HostIndex> hosts, std::vector<EvidenceGap>& gaps) {
  std::size_t all = 0;
  std::size_t seen = 0;
  for (const HostIndex& host : hosts) {
    all += host.threads.size();
    seen += host.evidence.size();
  }
  if (seen < all) gaps.push_back({.lack = Lack::kHostThreads, .count = seen, .of = all});
}

std::uint32_t dominant_device(const std::vector<DeviceAnomalies>& devices) {
  std::uint32_t best = 0;
  for (std::uint32_t i = 1; i < devices.size(); ++i) {
    if (devices[i].groups.front().total_service > devices[best].groups.front().total_service)
      best = i;
  }
  return best;
}

}  // namespace

Anomalies find_anomalies(const trace::Trace& trace, const AnomaliesOptions& options) {
  const std::shared_future<std::vector<HostIndex>> hosts =
      run_beside("host index", [&] { return index_hosts(trace); }).share();
  const cycles::Cycles cycles = cycles::find_cycles(trace, options.cycles);
  const trace::Launches launches = trace::find_launches(trace);
  std::vector<const cycles::KernelStream*> streams;
  std::map<std::pair<trace::RankId, trace::DeviceId>, std::vector<const cycles::StreamCycles*>>
      by_device;
  for (const cycles::StreamCycles& one : cycles.streams) {
    streams.push_back(&one.stream);
    by_device[{one.stream.rank, one.stream.device}].push_back(&one);
  }
  std::vector<DeviceTimeline> timelines = device_timelines(trace, streams);

  Anomalies anomalies;
  const AnnotationsByThread annotations = cutting_annotations(trace);
  const DeviceIndex index(trace);
  const StepMarkers markers(trace);
  const std::size_t all_devices = timelines.size();
  keep_busiest(options.most_devices, timelines);
  const EmptySteps empty = empty_steps(markers, timelines, options.most_steps);
  const Context context{trace, options,   hosts,   launches, annotations,
                        index, by_device, markers, empty};
  for (std::size_t i = 0; i < timelines.size(); ++i) {
    const std::string prefix = prefix_of(timelines[i], timelines.size(), i);
    DeviceAnomalies& device = anomalies.devices.emplace_back();
    device.timeline = std::move(timelines[i]);
    analyse(context, prefix, device);
  }
  if (anomalies.devices.empty()) return anomalies;
  const auto is_marked = [](const DeviceAnomalies& device) {
    return device.steps.front().window == StepWindow::kHost;
  };
  anomalies.steps_are_marked = std::ranges::any_of(anomalies.devices, is_marked);
  anomalies.dominant_device = dominant_device(anomalies.devices);
  anomalies.evidence_gaps = evidence_gaps(trace, anomalies.devices, options.thresholds);
  tell_left_out(anomalies.devices.size(), all_devices, empty, anomalies.evidence_gaps);
  tell_threads(hosts.get(), anomalies.evidence_gaps);
  tell_depth(hosts.get(), anomalies.evidence_gaps);
  tell_marks(cycles, anomalies.evidence_gaps);
  anomalies.recommendations = recommend(trace, anomalies.devices, options.thresholds);
  return anomalies;
}

}  // namespace lockstep::analysis::anomalies

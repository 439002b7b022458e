// What to do about findings, and what to record where they stay unexplained.
#include "analysis/anomalies/verdict/recommendations.h"

#include <algorithm>
#include <array>
#include <optional>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "analysis/anomalies/device_anomalies.h"
#include "analysis/anomalies/evidence/recorded_evidence.h"
#include "analysis/anomalies/verdict/finding_texts.h"

namespace lockstep::analysis::anomalies {
namespace {

// A recommendation names no more targets than this.
constexpr std::size_t kMostTargets = 4;
// Fewer steps may all differ.
constexpr std::size_t kFewSteps = 4;

enum class Stack : std::uint8_t { kTorch, kAscend, kXla, kOther };

Stack stack_of(const trace::Trace& trace) {
  if (trace.ranks.empty()) return Stack::kOther;
  const std::string_view format = trace.ranks.front().format;
  if (format.starts_with("ascend")) return Stack::kAscend;
  if (format.starts_with("x")) return Stack::kXla;
  return format == "kineto" ? Stack::kTorch : Stack::kOther;
}

std::string_view action_of(SoftLabel label, Stack stack) {
  const bool is_ascend = stack == Stack::kAscend;
  switch (label) {
    case SoftLabel::kSyncOrH2d:
      return is_ascend
                 ? "Take the synchronisation or the copy out of the step: keep values on the "
                   "device "
                   "(no .item(), .cpu(), print), copy from pinned memory with non_blocking=True, "
                   "make sure that ASCEND_LAUNCH_BLOCKING is not 1."
                 : "Take the synchronisation or the copy out of the step: keep values on the "
                   "device "
                   "(no .item(), .cpu(), print), copy from pinned memory with non_blocking=True, "
                   "prefetch the next input on a stream of its own.";
    case SoftLabel::kCommWait:
      return "Compare the ranks at the collective around the gap and look at the one that enters "
             "it "
             "last; balance the work or overlap communication with computing.";
    case SoftLabel::kUntracedHostBlocking:
      return "Find what blocks the host where the profiler sees nothing: sample its threads during "
             "the gap; check input pipeline, sleeps, locks, garbage collection, file and network "
             "waits.";
    case SoftLabel::kHostLaunchLag:
      return is_ascend ? "Shorten the host's way to the late launch: avoid compiling operators in "
                         "the step (jit_compile=False, fixed shapes), dispatch on two threads "
                         "(TASK_QUEUE_ENABLE=2), move Python work out of the loop."
                       : "Shorten the host's way to the late launch: cache what it builds for each "
                         "call (plans, kernels for new shapes), move Python work out of the loop, "
                         "replay the part as a graph.";
    case SoftLabel::kPythonSerializationOrLock:
      return "Take Python work off the launching thread: move loading and post-processing to other "
             "processes, collect garbage between steps (gc.freeze, gc.disable), look for "
             "contention for the interpreter's lock.";
    case SoftLabel::kInsufficientEvidence:
      break;
  }
  return "Record host operators, runtime calls and Python stacks around the gap: what was recorded "
         "points to no cause.";
}

std::string_view launch_bound_action(Stack stack) {
  switch (stack) {
    case Stack::kTorch:
      return "Launch less often: torch.compile, CUDA or HIP graphs (mode=\"reduce-overhead\"), "
             "fused "
             "optimisers, a larger batch.";
    case Stack::kAscend:
      return "Launch less often or faster: graph mode (aclgraph, torchair), fused operators, "
             "TASK_QUEUE_ENABLE=2, bound cores for the host's threads, a larger batch.";
    case Stack::kXla:
      return "Launch less often: put more of the step under one jit, enable command buffers "
             "(--xla_gpu_enable_command_buffer), use a larger batch.";
    case Stack::kOther:
      break;
  }
  return "Launch less often: graphs, fused kernels, a larger batch.";
}

std::string_view unknown_of(SoftLabels labels, bool knows_launch) {
  if (labels.has(SoftLabel::kUntracedHostBlocking))
    return "What the host did during the gap was not recorded.";
  if (labels.has(SoftLabel::kInsufficientEvidence)) return "What was recorded points to no cause.";
  if (!knows_launch) return "Who launched the next kernel is not known.";
  return "";
}

SoftLabel first_of(SoftLabels labels) {
  for (std::size_t i = 0; i < kSoftLabelCount; ++i) {
    if (labels.has(static_cast<SoftLabel>(i))) return static_cast<SoftLabel>(i);
  }
  return SoftLabel::kInsufficientEvidence;
}

// Recommendations of all devices; the same advice for several targets is one.
class Advice {
 public:
  void add(Recommendation one) {
    for (Entry& entry : entries_) {
      Recommendation& known = entry.recommendation;
      if (known.scope != one.scope || known.action != one.action) continue;
      known.priority = std::min(known.priority, one.priority);
      known.followup_required |= one.followup_required;
      if (known.evidence_gap.empty()) known.evidence_gap = one.evidence_gap;
      if (std::ranges::find(entry.targets, one.target) == entry.targets.end())
        entry.targets.push_back(std::move(one.target));
      return;
    }
    std::string target = one.target;
    entries_.push_back({std::move(one), {std::move(target)}});
  }

  std::vector<Recommendation> take() && {
    std::vector<Recommendation> all;
    for (Entry& entry : entries_) {
      const std::size_t count = entry.targets.size();
      if (count > kMostTargets) {
        entry.targets.resize(kMostTargets - 1);
        entry.targets.push_back(fmt::format("{} more", count - kMostTargets + 1));
      }
      entry.recommendation.target = listed(entry.targets);
      all.push_back(std::move(entry.recommendation));
    }
    std::ranges::stable_sort(all, {}, &Recommendation::priority);
    return all;
  }

 private:
  struct Entry {
    Recommendation recommendation;
    std::vector<std::string> targets;
  };
  std::vector<Entry> entries_;
};

class Recommender {
 public:
  Recommender(const trace::Trace& trace, std::span<const DeviceAnomalies> devices,
              const Thresholds& thresholds)
      : trace_(trace),
        devices_(devices),
        unstable_(thresholds.unstable_groups),
        stack_(stack_of(trace)),
        options_(profiler_options(trace)),
        evidence_(recorded_evidence(trace, devices, thresholds)) {}

  std::vector<Recommendation> recommend() {
    for (const DeviceAnomalies& device : devices_) {
      for (const Finding& finding : device.findings) advise(device, finding);
      advise_on_structure(device);
      advise_on_operators(device);
    }
    advise_on_recording();
    return std::move(advice_).take();
  }

 private:
  void advise(const DeviceAnomalies& device, const Finding& finding) {
    switch (finding.kind) {
      case FindingKind::kStepOutlier:
        return is_late_peer(finding) ? advise_on_late_peer(device, finding)
                                     : advise_on_gap(device, finding);
      case FindingKind::kRecurringStall:
      case FindingKind::kHeavyBubble:
        return advise_on_gap(device, finding);
      case FindingKind::kLaunchBound:
        return add(finding.priority, "step_group", group_id(device, finding),
                   std::string(launch_bound_action(stack_)), evidence_.launched == 0,
                   evidence_.launched == 0 ? "Who launched the kernels is not known." : "");
      case FindingKind::kStarved:
        return add(finding.priority, "step_group", group_id(device, finding),
                   "Kernels start late although they were launched in time: look at dependencies "
                   "between streams, at waits for events and at other users of the device.",
                   false, "");
      case FindingKind::kCommStall:
        return advise_on_communication(device, finding);
      case FindingKind::kCopyExposed:
        return advise_on_copies(device, finding);
      case FindingKind::kAicpuExposed:
        return advise_on_aicpu(device, finding);
      case FindingKind::kArtefact:
        return add(Priority::kP3, "global", "",
                   "Do not read the idle share as idleness: record the missing work first (graphs "
                   "node by node, all streams, a longer window).",
                   false, "What ran on the device meanwhile was not recorded.");
    }
  }

  void advise_on_gap(const DeviceAnomalies& device, const Finding& finding) {
    const Bubble* bubble = finding.bubble ? &device.bubbles[*finding.bubble] : nullptr;
    const trace::EventId inside = bubble == nullptr ? trace::kNoEvent : bubble->inside_op;
    const bool is_op = finding.kind == FindingKind::kRecurringStall && inside != trace::kNoEvent;
    const bool is_copy = finding.kind == FindingKind::kStepOutlier && !finding.scope;
    const SoftLabel label = is_copy ? SoftLabel::kSyncOrH2d : first_of(finding.labels);
    const std::string_view unknown =
        unknown_of(finding.labels, bubble == nullptr || bubble->has_launch);
    if (bubble != nullptr && bubble->touches_edge)
      return add(
          Priority::kP3, "global", "",
          "Begin the capture earlier and end it later, or let a warm-up step run inside: gaps "
          "at its edge tell nothing.",
          false, "What lies beyond the edge of the capture was not recorded.");
    std::string action(action_of(label, stack_));
    if (bubble != nullptr && is_slow_operator(*bubble))
      action = fmt::format(
          "Look into {} on the host, before its launch: keep shapes fixed so that plans and "
          "compiled "
          "kernels are found again, warm up every shape, or choose another implementation.",
          event_text(trace_, inside));
    add(finding.priority, is_op ? "op" : "step_group",
        is_op ? event_text(trace_, inside) : group_id(device, finding), std::move(action),
        !unknown.empty(), std::string(unknown));
  }

  void advise_on_copies(const DeviceAnomalies& device, const Finding& finding) {
    WideTime all = 0;
    WideTime inside = 0;
    for (const DeviceWork& copy : device.timeline.copies) {
      all += copy.duration().ps;
      if (trace_.text(copy.name).find("DtoD") != std::string_view::npos)
        inside += copy.duration().ps;
    }
    add(finding.priority, "step_group", group_id(device, finding),
        2 * inside > all ? "Most copies stay on the device: drop them (views instead of clone and "
                           "contiguous) or fuse them into the kernels around them."
                         : std::string(action_of(SoftLabel::kSyncOrH2d, stack_)),
        false, "");
  }

  void advise_on_communication(const DeviceAnomalies& device, const Finding& finding) {
    const bool is_alone = trace_.ranks.size() < 2;
    const std::string_view fact = finding.priority <= Priority::kP1
                                      ? "The collectives wait instead of moving data"
                                      : "If transit was measured, the collectives only wait";
    add(finding.priority, "step_group", group_id(device, finding),
        fmt::format("{}: find the rank that comes last and why, balance the work between ranks, "
                    "check that none is slowed down.",
                    fact),
        is_alone, is_alone ? "Only one rank was given: which one is late is not known." : "");
  }

  // Waits of communication without a gap: the device was busy with a collective.
  static bool is_late_peer(const Finding& finding) {
    return !finding.bubble && finding.labels.has(SoftLabel::kCommWait);
  }

  void advise_on_late_peer(const DeviceAnomalies& device, const Finding& finding) {
    const bool is_alone = trace_.ranks.size() < 2;
    add(finding.priority, "step_group", group_id(device, finding),
        "Find the rank that enters the collective last in the step that stands out, and what held "
        "it up there.",
        is_alone, is_alone ? "Only one rank was given: which one is late is not known." : "");
  }

  void advise_on_aicpu(const DeviceAnomalies& device, const Finding& finding) {
    std::vector<std::string> names;
    for (const AicpuRow& row : device.ops.aicpu) {
      if (row.aicpu != AicpuClass::kExposed) continue;
      std::string name = kernel_text(trace_, device.timeline, row.kernel);
      if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
    }
    for (std::string& name : names)
      add(finding.priority, "op", std::move(name),
          "Move the operator off the AI CPU: another dtype or shape that an AI core runs, a fused "
          "operator, or let it run beside computing.",
          false, "");
  }

  // Gaps at the borders of layers come from how the host walks through them.
  void advise_on_structure(const DeviceAnomalies& device) {
    for (std::size_t g = 0; g < device.structures.size() && g < device.groups.size(); ++g) {
      const StructureBreakdown& structure = device.structures[g];
      const StepGroup& group = device.groups[g];
      const bool is_heavy = group.dominant_tags.has(Tag::kDeviceIdleGapHeavy);
      const bool has_layers = structure.evidence != StructureEvidence::kNone;
      if (!is_heavy || !has_layers || structure.bubbles_between <= structure.bubbles_inside)
        continue;
      add(Priority::kP2, "structure", group.id,
          "Most gaps lie between structures, not inside: look at what the host does from one layer "
          "to the next (hooks, Python between modules, synchronisation).",
          false, "");
    }
  }

  void advise_on_operators(const DeviceAnomalies& device) {
    const bool is_launch_bound = std::ranges::find(device.findings, FindingKind::kLaunchBound,
                                                   &Finding::kind) != device.findings.end();
    if (device.ops.small.matters && is_launch_bound)
      add(Priority::kP3, "side", device.groups.front().id,
          fmt::format("Fuse small kernels, or replay them as a graph: {} of {} cost {} of launch "
                      "gaps and {} of work.",
                      grouped(device.ops.small.count), counted(device.ops.small.all, "kernel"),
                      time_text(device.ops.small.gaps), time_text(device.ops.small.duration)),
          false, "");
    for (const std::uint32_t row : device.ops.wait_anchors) {
      // A gap that is none makes anchors that are none.
      if (device.ops.rows[row].waits_in_artefact()) continue;
      add(Priority::kP3, "op", short_name(device.ops.rows[row].text),
          "Nothing to optimise there: it ranks high for the wait before the kernel, not for its "
          "work.",
          false, "");
    }
    for (const StepGroup& group : device.groups) {
      if (group.dominant_tags.has(Tag::kWaitPollutionRisk))
        add(Priority::kP3, "step_group", group.id,
            "Waits of operators lie inside communication: check communication and "
            "synchronisation before blaming the operators.",
            false, "Waits in this group are no evidence for a cause.");
    }
  }

  [[nodiscard]] bool has_open_finding() const {
    return std::ranges::any_of(devices_, &DeviceAnomalies::requires_host_followup);
  }

  [[nodiscard]] bool has_unstable_groups() const {
    return std::ranges::any_of(devices_, [this](const DeviceAnomalies& device) {
      return device.steps.size() >= kFewSteps &&
             static_cast<double>(device.groups.size()) >
                 unstable_ * static_cast<double>(device.steps.size());
    });
  }

  void advise_on_recording() {
    if (has_open_finding() && !evidence_.has_python)
      add(Priority::kP2, "global", "",
          fmt::format("Record again with Python stacks ({}): gaps are not explained.",
                      options_.stacks),
          true, "No Python frames were recorded.");
    if (has_open_finding() && (evidence_.is_sparse || !evidence_.has_host_events))
      add(Priority::kP2, "global", "",
          "Sample the host's threads beside the next capture (py-spy record --native --idle, perf "
          "record -g, a view of threads and system calls).",
          true, "Recorded host events do not cover the gaps.");
    if (has_unstable_groups() && !evidence_.has_shapes)
      add(Priority::kP3, "global", "",
          fmt::format("Record again with shapes ({}): steps differ, and shapes may tell why.",
                      options_.shapes),
          true, "No shapes were recorded.");
  }

  [[nodiscard]] static std::string group_id(const DeviceAnomalies& device, const Finding& finding) {
    return device.groups[finding.group].id;
  }

  void add(Priority priority, std::string_view scope, std::string target, std::string action,
           bool followup_required, std::string evidence_gap) {
    advice_.add({priority, scope, std::move(target), std::move(action), followup_required,
                 std::move(evidence_gap)});
  }

  const trace::Trace& trace_;
  std::span<const DeviceAnomalies> devices_;
  double unstable_;
  Stack stack_;
  const ProfilerOptions& options_;
  RecordedEvidence evidence_;
  Advice advice_;
};

}  // namespace

std::vector<Recommendation> recommend(const trace::Trace& trace,
                                      std::span<const DeviceAnomalies> devices,
                                      const Thresholds& thresholds) {
  return Recommender(trace, devices, thresholds).recommend();
}

}  // namespace lockstep::analysis::anomalies
